import { describe, expect, it } from 'vitest';
import { allows, isTerminal, next } from '../../foundation/index.js';
import { type LoopStatus, loopLifecycle } from './lifecycle.js';

const { states } = loopLifecycle;

/** Every allowed pair of state and event; anything not listed is refused. */
const ALLOWED: Readonly<Record<keyof typeof loopLifecycle.on, Partial<Record<LoopStatus, LoopStatus>>>> = {
  iterate: { running: 'running' },
  pause: { running: 'paused' },
  suspend: { running: 'suspended', paused: 'suspended' },
  resume: { running: 'running', paused: 'running', suspended: 'running' },
  complete: { running: 'completed' },
  halt: { running: 'halted', paused: 'halted' },
  reset: { halted: 'running' },
  abort: { running: 'aborted', paused: 'aborted', suspended: 'aborted', halted: 'aborted' },
};

describe('the lifecycle of a loop', () => {
  const pairs = Object.keys(ALLOWED).flatMap((event) => states.map((state) => [event, state] as const));
  it.each(pairs)('%s in %s', (name, state) => {
    const event = name as keyof typeof ALLOWED;
    const to = ALLOWED[event][state];
    expect(allows(loopLifecycle, state, event)).toBe(to !== undefined);
    if (to === undefined)
      expect(() => next(loopLifecycle, state, event)).toThrow(
        expect.objectContaining({ code: 'ILLEGAL_TRANSITION', state, event }),
      );
    else expect(next(loopLifecycle, state, event)).toBe(to);
  });

  it('ends only in completed and aborted', () => {
    expect(states.filter((state) => isTerminal(loopLifecycle, state))).toEqual(['completed', 'aborted']);
  });
});
