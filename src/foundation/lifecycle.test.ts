import { describe, expect, it } from 'vitest';
import { allows, defineLifecycle, isTerminal, next } from './lifecycle.js';

const door = defineLifecycle({
  states: ['open', 'shut', 'locked', 'gone'],
  initial: 'open',
  on: {
    close: { from: ['open'], to: 'shut' },
    lock: { from: ['shut'], to: 'locked' },
    remove: { from: ['open', 'shut'], to: 'gone' },
  },
});

describe('a lifecycle', () => {
  it('goes from state to state by its table', () => {
    expect(next(door, 'open', 'close')).toBe('shut');
    expect(next(door, 'shut', 'lock')).toBe('locked');
  });

  it('refuses what the table has no row for, and says what would be possible', () => {
    expect(() => next(door, 'locked', 'remove')).toThrow(
      expect.objectContaining({
        code: 'ILLEGAL_TRANSITION',
        state: 'locked',
        event: 'remove',
        message: 'Cannot remove a session that is locked; this is possible only when it is open or shut',
      }),
    );
  });

  it('allows exactly what next does not refuse', () => {
    for (const state of door.states) {
      for (const event of ['close', 'lock', 'remove'] as const) {
        expect(allows(door, state, event)).toBe(succeeds(() => next(door, state, event)));
      }
    }
  });

  it('is terminal if no event leads out', () => {
    expect(door.states.filter((state) => isTerminal(door, state))).toEqual(['locked', 'gone']);
  });
});

function succeeds(action: () => unknown): boolean {
  try {
    action();
    return true;
  } catch {
    return false;
  }
}
