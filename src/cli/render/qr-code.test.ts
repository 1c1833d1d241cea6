import { describe, expect, it } from 'vitest';
import { qrCode, qrLines } from './qr-code.js';

describe('a QR code', () => {
  it('reads back as the text it was made from', () => {
    const text = 'https://laptop.tail1234.ts.net/#pair=2A3B4C5D';
    expect(textIn(qrCode(text))).toBe(text);
  });

  it('is drawn two rows a line, dark on light whatever the terminal', () => {
    const modules = qrCode('x');
    const [plain, coloured] = [qrLines(modules, false), qrLines(modules, true)];
    expect([plain.length, plain[0]]).toEqual([15, '█'.repeat(29)]);
    expect(coloured[0]).toBe(`\u001b[38;5;16;48;5;231m${' '.repeat(29)}\u001b[0m`);
  });
});

/** Reads a one-block code as a scanner does: mask from the format, bits in order, bytes after the length. */
function textIn(modules: readonly (readonly boolean[])[]): string {
  const size = modules.length;
  const dark = (row: number, column: number) => modules[row]?.[column] === true;
  const format = [0, 1, 2, 3, 4, 5, 7, 8].reduce(
    (bits, row, index) => bits | (dark(row, 8) ? 1 << index : 0),
    0,
  );
  const told =
    format |
    [7, 5, 4, 3, 2, 1, 0].reduce((bits, column, index) => bits | (dark(8, column) ? 1 << (index + 8) : 0), 0);
  const mask = ((told ^ 0x5412) >> 10) & 7;
  const isMasked = [
    (r: number, c: number) => (r + c) % 2 === 0,
    (r: number) => r % 2 === 0,
    (_: number, c: number) => c % 3 === 0,
    (r: number, c: number) => (r + c) % 3 === 0,
    (r: number, c: number) => ((r >> 1) + Math.floor(c / 3)) % 2 === 0,
    (r: number, c: number) => (r * c) % 6 === 0,
    (r: number, c: number) => (r * c) % 6 < 3,
    (r: number, c: number) => (r + c + ((r * c) % 3)) % 2 === 0,
  ][mask];
  const isOurs = (r: number, c: number) =>
    (r < 9 && (c < 9 || c >= size - 8)) ||
    (r >= size - 8 && c < 9) ||
    r === 6 ||
    c === 6 ||
    (size > 21 && Math.abs(r - size + 7) <= 2 && Math.abs(c - size + 7) <= 2);
  const columns = Array.from({ length: size }, (_, c) => size - 1 - c).filter((c) => c !== 6);
  let bits = '';
  for (let pair = 0; pair < columns.length; pair += 2)
    for (let step = 0; step < size; step += 1)
      for (const c of columns.slice(pair, pair + 2)) {
        const r = (pair / 2) % 2 === 0 ? size - 1 - step : step;
        if (!isOurs(r, c)) bits += dark(r, c) !== isMasked?.(r, c) ? '1' : '0';
      }
  const length = Number.parseInt(bits.slice(4, 12), 2);
  const bytes = Array.from({ length }, (_, index) =>
    Number.parseInt(bits.slice(12 + index * 8, 20 + index * 8), 2),
  );
  return Buffer.from(bytes).toString('utf8');
}
