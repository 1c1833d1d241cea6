import * as reference from '@alcalzone/ansi-tokenize';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { styledCharsFromTokens, styledCharsToString, tokenize } from './styled-text.js';

describe('a row with its styles', () => {
  it('is put together as the package does it, for any text', () => {
    const codes = ['1', '22', '2', '31', '39', '0', '7', '27', '38;5;12', '48;2;1;2;3', '49', '3;4'];
    const text = fc
      .array(
        fc.oneof(
          fc.constantFrom('word', ' ', '日', '👩‍👩‍👧'),
          fc.constantFrom(...codes).map((code) => `\x1b[${code}m`),
        ),
      )
      .map((parts) => parts.join(''));
    fc.assert(
      fc.property(text, text, (some, others) => {
        // Ink puts characters of several texts into one row.
        const chars = [some, others].flatMap((given) => styledCharsFromTokens(tokenize(given)));
        expect(styledCharsToString(chars)).toBe(reference.styledCharsToString(chars));
      }),
      { numRuns: 1000, seed: 18 },
    );
  });
});
