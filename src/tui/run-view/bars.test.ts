import { describe, expect, it } from 'vitest';
import { sparkline } from '../../foundation/index.js';
import { gauge } from './bars.js';

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
