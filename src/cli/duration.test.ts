import { describe, expect, it } from 'vitest';
import { columnsOf } from '../foundation/index.js';
import { formatAge, parseDuration } from './duration.js';
import { renderTable } from './render/table.js';

describe('a duration', () => {
  it.each([
    ['0', 0],
    ['90', 90_000],
    ['1.5', 1_500],
    ['250ms', 250],
    ['90s', 90_000],
    ['10m', 600_000],
    ['1h30m', 5_400_000],
    ['2d', 172_800_000],
    ['0.5h', 1_800_000],
  ])('%s is %i ms', (text, ms) => {
    expect(parseDuration(text)).toBe(ms);
  });

  it.each(['', 'soon', '-5s', '5 s', '5x', '1h!', 's', '1e3', '\u001b[2J'])('%j is refused', (text) => {
    expect(() => parseDuration(text)).toThrow(expect.objectContaining({ code: 'USAGE' }));
  });

  it.each([
    [-5, '0 s'],
    [59_499, '59 s'],
    [60_000, '1 min'],
    [3_599_000, '59 min'],
    [3_600_000, '1 h'],
    [86_400_000, '1 d'],
    [10 * 86_400_000, '10 d'],
  ])('%i ms is %s', (ms, text) => {
    expect(formatAge(ms)).toBe(text);
  });
});

describe('a table', () => {
  it('aligns its columns by what the eye sees, and leaves no spaces at the end', () => {
    expect(
      renderTable(
        ['A', 'LONG'],
        [
          ['漢字', 'x'],
          ['é', 'yy'],
          ['👍', ''],
        ],
      ),
    ).toBe('A     LONG\n漢字  x\né     yy\n👍');
  });

  it.each([
    ['abc', 3],
    ['漢', 2],
    ['e\u0301', 1],
    ['', 0],
  ])('the width of %j is %i', (text, width) => {
    expect(columnsOf(text)).toBe(width);
  });
});
