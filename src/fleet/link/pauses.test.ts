import { describe, expect, it } from 'vitest';
import { FleetRefusedError, FleetUnreachableError } from '../../hub/index.js';
import { Pauses } from './pauses.js';

const AWAY = new FleetUnreachableError('gone');
const REFUSED = new FleetRefusedError('wrong password', 'Another one.');
const READ_ONLY = new FleetUnreachableError('read-only', { isCertain: true });

describe('the pauses between attempts to reach the hub', () => {
  it('grow to 5 seconds and no further while nobody answers, however long that takes', () => {
    const pauses = new Pauses(() => 1);
    const waited = Array.from({ length: 100 }, () => pauses.after(AWAY));
    expect(waited.slice(0, 5)).toEqual([625, 1_250, 2_500, 5_000, 5_000]);
    expect(Math.max(...waited)).toBe(5_000);
  });

  it.each([
    ['refuses', REFUSED],
    ['takes nothing', READ_ONLY],
  ])('grow to half a minute for a server that %s', (_, failure) => {
    const pauses = new Pauses(() => 1);
    const waited = Array.from({ length: 10 }, () => pauses.after(failure));
    expect(waited.at(-1)).toBe(30_000);
    // A server that becomes unreachable after that is tried as often as any other.
    expect(pauses.after(AWAY)).toBe(5_000);
  });

  it('begin again after a success, and differ from machine to machine', () => {
    const pauses = new Pauses(() => 0);
    expect([pauses.after(AWAY), pauses.after(AWAY)]).toEqual([500, 1_000]);
    pauses.reset();
    expect(pauses.after(AWAY)).toBe(500);
    expect(new Pauses(() => 1).after(AWAY)).toBe(625);
  });
});
