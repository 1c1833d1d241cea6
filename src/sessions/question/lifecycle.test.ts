import { describe, expect } from 'vitest';
import { verifies } from '../../../test/support/verifies.js';
import { isHoldfastError, isTerminal, next } from '../../foundation/index.js';
import { questionLifecycle } from './lifecycle.js';

const STATES = ['pending', 'completed', 'rejected', 'timed_out', 'abandoned'] as const;

/** Repeated here on purpose: the table must not be its own oracle. `-` is refused. */
const EXPECTED = {
  answer: ['completed', '-', '-', 'completed', 'completed'],
  reject: ['rejected', '-', '-', 'rejected', 'rejected'],
  expire: ['timed_out', '-', '-', '-', '-'],
  abandon: ['abandoned', '-', '-', 'abandoned', '-'],
} as const;

describe('the lifecycle of a question set', () => {
  verifies(
    'Q04',
    'the states are pending, completed, rejected, timed_out, abandoned, and pending is first',
    () => {
      expect(questionLifecycle.states).toEqual(STATES);
      expect(questionLifecycle.initial).toBe('pending');
      expect(Object.keys(questionLifecycle.on).sort()).toEqual(Object.keys(EXPECTED).sort());
    },
  );

  for (const [event, row] of Object.entries(EXPECTED)) {
    for (const [index, state] of STATES.entries()) {
      const wanted = row[index];
      const words = wanted === '-' ? 'is refused as a typed error' : `leads to ${wanted}`;
      verifies('Q04', `${event} in state ${state} ${words}`, () => {
        const move = () => next(questionLifecycle, state, event as keyof typeof EXPECTED);
        if (wanted !== '-') {
          expect(move()).toBe(wanted);
          return;
        }
        let thrown: unknown;
        try {
          move();
        } catch (error) {
          thrown = error;
        }
        expect(isHoldfastError(thrown, 'ILLEGAL_TRANSITION')).toBe(true);
        expect(thrown).toMatchObject({ state, event });
        expect(String(thrown)).toContain(`Cannot ${event} a session that is ${state}`);
      });
    }
  }

  verifies('Q04', 'only completed and rejected are final', () => {
    expect(STATES.filter((state) => isTerminal(questionLifecycle, state))).toEqual(['completed', 'rejected']);
  });
});
