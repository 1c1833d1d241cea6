import fc from 'fast-check';
import reference from 'string-width';
import { describe, expect, it } from 'vitest';
import { anyCharacter } from '../../../test/support/any-character.js';
import widthOf from './string-width.js';

describe('the width of a text', () => {
  it('is that of the package for every character below the ideographs, alone and in company', () => {
    const differences: string[] = [];
    for (let codePoint = 0; codePoint <= 0x2fff; codePoint++) {
      const character = String.fromCharCode(codePoint);
      for (const text of [character, `a${character}\u0301`, `\x1b[1m${character}\x1b[22m`]) {
        if (widthOf(text) !== reference(text)) differences.push(JSON.stringify(text));
      }
    }
    expect(differences).toEqual([]);
  });

  it('is that of the package for any text and options', () => {
    const text = fc
      .array(
        fc.oneof(
          fc.constantFrom('word', '›', '·', '★', '\ufe0f', '\u200d', '©', '日', '\x1b[2m', '\x1b[38;5;1m'),
          fc.string({ unit: anyCharacter }),
        ),
      )
      .map((parts) => parts.join(''));
    const options = fc.record(
      { ambiguousIsNarrow: fc.boolean(), countAnsiEscapeCodes: fc.boolean() },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(text, options, (given, chosen) => {
        expect(widthOf(given, chosen)).toBe(reference(given, chosen));
      }),
      { numRuns: 500, seed: 13 },
    );
  });
});
