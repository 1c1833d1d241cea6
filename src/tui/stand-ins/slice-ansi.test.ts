import fc from 'fast-check';
import reference from 'slice-ansi';
import stringWidth from 'string-width';
import stripAnsi from 'strip-ansi';
import { describe, expect, it } from 'vitest';
import { anyCharacter } from '../../../test/support/any-character.js';
import sliceAnsi from './slice-ansi.js';

describe('a stretch of a text with styles', () => {
  it('is cut by columns, and closes the styles that it leaves open', () => {
    expect(sliceAnsi('plain text', 2, 7)).toBe('ain t');
    expect(sliceAnsi('plain text', 6)).toBe('text');
    expect(sliceAnsi('\x1b[1mbold\x1b[22m', 0, 4)).toBe('\x1b[1mbold\x1b[22m');
    expect(sliceAnsi('\x1b[1mbold\x1b[22m', 0, 2)).toBe('\x1b[1mbo\x1b[22m');
    expect(sliceAnsi('日本語', 2, 4)).toBe('本');
  });

  it('stays whole if it fits by the width that Ink counts, which the package counts differently', () => {
    for (const text of ['\u{1f1f7} tail', `${'a\ufe0f'.repeat(9)} tail`, '\x1b[2m\u{1f1f7} tail\x1b[22m'])
      expect(sliceAnsi(text, 0, stringWidth(text))).toBe(text);
  });

  it('shows what the package shows where it is cut, for any text and columns', () => {
    const text = fc
      .array(
        fc.oneof(
          fc.string(),
          fc.string({ unit: anyCharacter }),
          fc.constantFrom('word', '日', '\x1b[2m', '\x1b[22m'),
        ),
      )
      .map((parts) => parts.join(''));
    const column = fc.integer({ min: -2, max: 40 });
    fc.assert(
      fc.property(text, column, fc.option(column, { nil: undefined }), (given, start, end) => {
        const isWhole = start <= 0 && (end === undefined || end >= stringWidth(given));
        const expected = isWhole ? given : reference(given, start, end);
        expect(stripAnsi(sliceAnsi(given, start, end))).toBe(stripAnsi(expected));
      }),
      { numRuns: 1000, seed: 18 },
    );
  });
});
