import fc from 'fast-check';
import reference from 'slice-ansi';
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

  it('shows what the package shows, for any text and columns', () => {
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
        expect(stripAnsi(sliceAnsi(given, start, end))).toBe(stripAnsi(reference(given, start, end)));
      }),
      { numRuns: 1000, seed: 18 },
    );
  });
});
