import { describe, expect, it } from 'vitest';
import { dollarsOf, durationOf, gauge, roughDurationOf, roughNumberOf, sparkline } from './words.js';

describe('numbers in few characters', () => {
  it.each([
    [0, '0s', '0s'],
    [59_999, '59s', '59s'],
    [754_000, '12m 34s', '12m'],
    [9_000_000, '2h 30m', '2.5h'],
    [7_200_000, '2h 0m', '2h'],
    [-5, '0s', '0s'],
  ])('%i ms are %s, or %s', (ms, whole, rough) => {
    expect(durationOf(ms)).toBe(whole);
    expect(roughDurationOf(ms)).toBe(rough);
  });

  it.each([
    [950, '950'],
    [1_200, '1.2k'],
    [12_345, '12k'],
    [1_000_000, '1M'],
    [2_500_000, '2.5M'],
  ])('%i is %s', (value, words) => {
    expect(roughNumberOf(value)).toBe(words);
  });

  it('dollars have cents unless they are whole', () => {
    expect([dollarsOf(10), dollarsOf(1.2)]).toEqual(['$10', '$1.20']);
  });
});

describe('pictures of numbers', () => {
  it('a gauge is empty only at nothing and full only at the limit', () => {
    expect([0, 0.1, 50, 99.9, 100, 250].map((used) => gauge(used, 100, 4))).toEqual([
      '░░░░',
      '█░░░',
      '██░░',
      '███░',
      '████',
      '████',
    ]);
    expect(gauge(1, 0, 4)).toBe('░░░░');
    expect(gauge(1, 2, -3)).toBe('');
  });

  it('a curve keeps the newest values', () => {
    expect(sparkline([0, 4, 8], 8, 10)).toBe('▁▅█');
    expect(sparkline([0, 4, 8], 8, 2)).toBe('▅█');
    expect(sparkline([0, 4, 8], 8, 0)).toBe('');
    expect(sparkline([1], 0, 3)).toBe('▁');
  });
});
