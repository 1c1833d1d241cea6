import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import attack from '../../../test/fixtures/attack-strings.json' with { type: 'json' };
import { anyCharacter } from '../../../test/support/any-character.js';
import { visibleJson } from './visible-text.js';

describe('JSON for a terminal', () => {
  it.each([
    ['plain', '"plain"'],
    ['é 漢', '"é 漢"'],
    ['\u001b[2J', '"\\u001b[2J"'],
    ['\u009b', '"\\u009b"'],
    ['\u007f', '"\\u007f"'],
    ['\u202e', '"\\u202e"'],
    ['\u{e0041}', '"\\udb40\\udc41"'],
    ['\u2028', '"\\u2028"'],
  ])('%j is written %s', (text, json) => {
    expect(visibleJson(text)).toBe(json);
  });

  it('means the same and is one harmless line, whatever is in it', () => {
    const text = fc.oneof(
      fc.string({ unit: anyCharacter }),
      fc.constantFrom(...attack.cases.map((one) => one.text)),
    );
    const value = fc.dictionary(text, fc.oneof(text, fc.integer(), fc.array(text)));
    fc.assert(
      fc.property(value, (given) => {
        const json = visibleJson(given);
        expect(JSON.parse(json)).toEqual(JSON.parse(JSON.stringify(given)));
        expect(json).not.toMatch(
          /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\p{Bidi_Control}\p{Default_Ignorable_Code_Point}]/u,
        );
      }),
    );
  });
});
