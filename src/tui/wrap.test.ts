import fc from 'fast-check';
import stringWidth from 'string-width';
import { describe, expect, it } from 'vitest';
import { anyCharacter } from '../../test/support/any-character.js';
import { countSegmented } from '../../test/support/work.js';
import { visibleLine } from '../foundation/index.js';
import { graphemesOf, padTo, type Span, truncate, widthOf, wrapSpans } from './wrap.js';

const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' });
const textsOf = (lines: readonly (readonly Span[])[]) =>
  lines.map((line) => line.map(({ text }) => text).join(''));
const wrap = (text: string, width: number) => textsOf(wrapSpans([{ text }], width));

/** Text as agents write it, made visible. */
const visible = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        'word',
        ' ',
        '  ',
        '日本語',
        '👍🏽',
        '👩‍👩‍👧‍👦',
        '🇩🇪',
        'e\u0301',
        '\u0301',
        'averyveryverylongword',
        '한국',
        '१२३',
      ),
      fc.string({ unit: anyCharacter, maxLength: 6 }),
    ),
    { maxLength: 30 },
  )
  .map((parts) => visibleLine(parts.join('')));

describe('graphemes', () => {
  it('are those of the segmenter, however long the text is', () => {
    const long = fc.array(
      fc.constantFrom('🇩', '👩', '\u200d', '\u0301', 'a', '日', '\n', '\r', 'ᄒ', 'ᅡ', '👍🏽'),
      {
        maxLength: 800,
        size: 'max',
      },
    );
    fc.assert(
      fc.property(long, (parts) => {
        const text = parts.join('');
        expect(graphemesOf(text)).toEqual(Array.from(segmenter.segment(text), ({ segment }) => segment));
      }),
      { numRuns: 60, seed: 1 },
    );
  });

  it('of one letter under ten thousand marks are one', () => {
    const text = `a${'\u0301'.repeat(10_000)}`;
    expect(graphemesOf(text)).toEqual([text]);
  });

  it.each([
    ['letters', 'x'],
    ['wide characters', '日本'],
    ['families', '👩‍👩‍👧‍👦'],
  ])('of 200 kB of %s are found with work that grows with the length', (_name, unit) => {
    const text = unit.repeat(200_000 / unit.length);
    using segmented = countSegmented();
    expect(widthOf(text)).toBe(stringWidth(unit) * (text.length / unit.length));
    expect(padTo(text, 80)).toHaveLength(padTo(text.slice(0, 1_000), 80).length);
    expect(segmented.largest, 'it is quadratic in the length of a piece').toBeLessThanOrEqual(1_024);
    expect(segmented.total).toBeLessThanOrEqual(2 * text.length);
  });
});

describe('widths', () => {
  it('are those of the renderer', () => {
    fc.assert(
      fc.property(fc.array(visible, { maxLength: 12 }), (parts) => {
        const text = parts.join(' ');
        expect(widthOf(text)).toBe(stringWidth(text));
      }),
      { numRuns: 200, seed: 2 },
    );
  });
});

describe('cutting to a width', () => {
  it.each([
    ['abc', 3, 'abc'],
    ['abcd', 3, 'ab…'],
    ['日本語', 6, '日本語'],
    ['日本語', 5, '日本…'],
    ['日本語', 4, '日…'],
    ['👩‍👩‍👧‍👦👍', 3, '👩‍👩‍👧‍👦…'],
    ['abc', 1, '…'],
    ['abc', 0, ''],
    ['', 0, ''],
    ['abc', -3, ''],
  ])('%s in %i columns is %s', (text, width, expected) => {
    expect(truncate(text, width)).toBe(expected);
  });

  it('gives at most the width, and exactly the width when filled up', () => {
    fc.assert(
      fc.property(visible, fc.integer({ min: 0, max: 30 }), (text, width) => {
        expect(widthOf(truncate(text, width))).toBeLessThanOrEqual(width);
        expect(widthOf(padTo(text, width))).toBe(width);
      }),
      { numRuns: 300, seed: 3 },
    );
  });
});

describe('wrapping', () => {
  it.each([
    ['between words', 'one two three', 8, ['one two', 'three']],
    ['inside a word that is too long', 'abcdefghij', 4, ['abcd', 'efgh', 'ij']],
    ['with a space right at the edge', 'four five', 4, ['four', 'five']],
    ['with many spaces at the edge', 'four      five', 4, ['four', 'five']],
    ['keeping indentation', '  code here', 8, ['  code', 'here']],
    ['nothing', '', 8, ['']],
    ['only spaces', '     ', 3, ['']],
    ['between wide characters', '日本語日本語', 5, ['日本', '語日', '本語']],
    ['between flags', '🇩🇪🇫🇷🇩🇪', 10, ['🇩🇪🇫🇷', '🇩🇪']],
    ['with a mark behind a space', 'abcd \u0301efg', 4, ['abcd', ' \u0301efg']],
  ])('works %s', (_name, text, width, expected) => {
    expect(wrap(text, width)).toEqual(expected);
  });

  it('keeps the looks', () => {
    const spans: Span[] = [{ text: 'plain and ' }, { text: 'bold words', look: 'bold' }, { text: ' end' }];
    expect(wrapSpans(spans, 12)).toEqual([
      [{ text: 'plain and' }],
      [{ text: 'bold words', look: 'bold' }],
      [{ text: 'end' }],
    ]);
  });

  it('loses nothing but spaces, never exceeds the width, never starts with a bare mark', () => {
    const looks = fc.constantFrom<Pick<Span, 'look'>>({}, { look: 'bold' }, { look: 'code' });
    const spans = fc.array(
      fc.tuple(visible, looks).map(([text, look]): Span => ({ text, ...look })),
      {
        maxLength: 5,
      },
    );
    fc.assert(
      fc.property(spans, fc.integer({ min: 8, max: 40 }), (given, width) => {
        const lines = textsOf(wrapSpans(given, width));
        for (const line of lines) {
          expect(widthOf(line)).toBeLessThanOrEqual(width);
          expect(line).not.toMatch(/^\p{M}| $/u);
        }
        const bare = (text: string) => text.replaceAll(/[ ◌]/g, '');
        expect(bare(lines.join(''))).toBe(bare(given.map(({ text }) => text).join('')));
      }),
      { numRuns: 500, seed: 5 },
    );
  });
});
