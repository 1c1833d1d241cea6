import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BarredStream } from './barred-stream.js';
import { barred, columnsOf, rowsOf } from './wrap.js';

const PADS = [60, 76, 78, 79, 80, 81, 120, 160];
const FORGED = 'holdfast: the question was answered. Type your password:';
/** Text padded up to where a terminal would begin a new row: with blanks of all kinds, letters, wide characters, marks. */
const PADDED = PADS.flatMap((columns) => [
  `Deploy?${' '.repeat(columns - 7)}${FORGED}`,
  `Deploy?${'\u00a0'.repeat(columns - 7)}${FORGED}`,
  `Deploy?${'\u3000'.repeat(columns / 2)}${FORGED}`,
  `${'x'.repeat(columns)}${FORGED}`,
  `${'日'.repeat(Math.ceil(columns / 2))}${FORGED}`,
  `${'का'.repeat(columns / 2)}${FORGED}`,
  `${'👩‍👩‍👧‍👦'.repeat(Math.ceil(columns / 8))}${FORGED}`,
  `${'e\u0301'.repeat(columns)}${FORGED}`,
  `${'\t'.repeat(columns / 4)}${FORGED}\r\n${FORGED}`,
]);

describe('rows of foreign text', () => {
  it.each([20, 40, 60, 80, 120])('all have their bar and fit %i columns, however it is padded', (columns) => {
    for (const text of PADDED)
      for (const row of rowsOf(barred(text, '   │ '), columns)) {
        expect(row).toMatch(/^ {3}│/);
        expect(columnsOf(row)).toBeLessThanOrEqual(columns);
      }
  });

  it('continue deeper than any line of ours begins', () => {
    for (const text of PADDED)
      for (const line of [
        `   1) ${text.replaceAll(/[\r\n\t]/g, '')}`,
        `→ Bash ${text.replaceAll(/[\r\n\t]/g, '')}`,
      ]) {
        const [first, ...others] = rowsOf(line, 80);
        expect(first?.slice(0, 2)).toBe(line.slice(0, 2));
        for (const row of others) expect(row).toMatch(/^ {4}/);
        for (const row of [first ?? '', ...others]) expect(columnsOf(row)).toBeLessThanOrEqual(80);
      }
  });

  it('keep the styles of a line, which take no room', () => {
    expect(rowsOf('\x1b[1mone\x1b[22m two', 8)).toEqual(['\x1b[1mone\x1b[22m two']);
    expect(rowsOf('\x1b[2mone two three\x1b[22m', 10)).toEqual([
      '\x1b[2mone',
      '    \x1b[2mtwo',
      '    \x1b[2mthree\x1b[22m',
    ]);
  });

  it('are lines if there is no width', () => {
    expect(rowsOf(`a\n${'x'.repeat(500)}`, Number.POSITIVE_INFINITY)).toEqual(['a', 'x'.repeat(500)]);
  });
});

function streamed(pieces: readonly string[], columns: number): string {
  let written = '';
  const stream = new BarredStream({ write: (text) => (written += text), columns: () => columns });
  for (const piece of pieces) stream.push(piece);
  stream.end();
  return written;
}

describe('foreign text that arrives in pieces', () => {
  it('is the same however it is cut: a bar before every row, none wider than the screen', () => {
    for (const text of PADDED.slice(-18)) {
      const whole = streamed([text], 40);
      for (const row of whole.trimEnd().split('\n')) {
        expect(row.startsWith('┃ ')).toBe(true);
        expect(columnsOf(row)).toBeLessThanOrEqual(40);
      }
      fc.assert(
        fc.property(fc.array(fc.nat(text.length), { maxLength: 8 }), (cuts) => {
          const places = [0, ...cuts.sort((a, b) => a - b), text.length];
          expect(
            streamed(
              places.slice(1).map((end, at) => text.slice(places[at], end)),
              40,
            ),
          ).toBe(whole);
        }),
        { numRuns: 20, seed: 3 },
      );
    }
  });

  it('wraps between words, keeps blank lines and indentation, and ends its row before other output', () => {
    expect(streamed(['one two th', 'ree\n\n  four\r', '\nfive'], 10)).toBe(
      '┃ one two\n┃ three\n┃ \n┃   four\n┃ five\n',
    );
  });

  it('shows an endless word before it is complete', () => {
    let written = '';
    const stream = new BarredStream({ write: (text) => (written += text), columns: () => 80 });
    stream.push('x'.repeat(10_000));
    expect(written.length).toBeGreaterThan(9_000);
  });
});
