import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyCharacter } from '../../../test/support/any-character.js';
import { LateSegmenter } from './late-segmenter.js';

describe('a late segmenter', () => {
  it('creates none for a text in which each character stands for itself', () => {
    const { Segmenter } = Intl;
    const known = new Segmenter(undefined, { granularity: 'grapheme' });
    const texts = ['', 'plain text', '\x1b[1m› bold\x1b[22m · ↑↓ ─│', 'Grüße, мир'];
    const expected = texts.map((text) => [...known.segment(text)]);
    Reflect.set(Intl, 'Segmenter', undefined);
    try {
      expect(texts.map((text) => [...new LateSegmenter().segment(text)])).toEqual(expected);
    } finally {
      Reflect.set(Intl, 'Segmenter', Segmenter);
    }
    const words = [...new LateSegmenter('en', { granularity: 'word' }).segment('two words')];
    expect(words.map(({ segment }) => segment)).toEqual(['two', ' ', 'words']);
  });

  it('finds the same characters as the built-in segmenter in any text', () => {
    const known = new Intl.Segmenter(undefined, { granularity: 'grapheme' });
    const late = new LateSegmenter();
    const text = fc
      .array(
        fc.oneof(
          fc.string(),
          fc.string({ unit: anyCharacter }),
          fc.constantFrom('\x1b[2m', '·', '\r\n', '\u0301'),
        ),
      )
      .map((parts) => parts.join(''));
    fc.assert(
      fc.property(text, (given) => {
        expect([...late.segment(given)]).toEqual([...known.segment(given)]);
      }),
      { numRuns: 500, seed: 18 },
    );
  });

  it('splits a text as the built-in segmenter does, which it creates at first use', () => {
    const { Segmenter } = Intl;
    let made = 0;
    class Counted extends Segmenter {
      constructor(...parameters: ConstructorParameters<typeof Segmenter>) {
        super(...parameters);
        made += 1;
      }
    }
    Reflect.set(Intl, 'Segmenter', Counted);
    try {
      const late = new LateSegmenter('en', { granularity: 'grapheme' });
      expect(made).toBe(0);
      const graphemes = [...late.segment('e\u0301👩‍👩‍👧x')].map(({ segment }) => segment);
      expect(graphemes).toEqual(['e\u0301', '👩‍👩‍👧', 'x']);
      late.segment('again');
      expect(made).toBe(1);
    } finally {
      Reflect.set(Intl, 'Segmenter', Segmenter);
    }
  });
});
