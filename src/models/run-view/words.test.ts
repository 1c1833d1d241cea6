import { describe, expect, it } from 'vitest';
import { dollarsOf, durationOf, roughDurationOf, roughNumberOf } from './words.js';

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
