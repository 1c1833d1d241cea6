import { describe, expect, it } from 'vitest';
import { LateSegmenter } from './late-segmenter.js';

describe('a late segmenter', () => {
  it('takes a text apart as the one of the language does, which it makes when it is first used', () => {
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
