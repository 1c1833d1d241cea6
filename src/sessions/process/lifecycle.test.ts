import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../test/support/verifies.js';
import { allows, isTerminal, next } from '../../foundation/index.js';
import { isOver, type ProcessEvent, type ProcessState, processLifecycle } from './lifecycle.js';

const EVENTS = Object.keys(processLifecycle.on) as ProcessEvent[];

describe('the states of a process session', () => {
  verifies('P01', 'can fail, end and be terminated unless they are final', () => {
    for (const state of processLifecycle.states) {
      const ways = EVENTS.filter((event) => allows(processLifecycle, state, event));
      expect(isOver(state)).toBe(isTerminal(processLifecycle, state));
      if (isOver(state)) expect(ways).toEqual([]);
      else expect(ways).toEqual(expect.arrayContaining(['end', 'fail', 'terminate']));
    }
  });

  verifies('P01', 'take a prompt only if ready', () => {
    const takers = processLifecycle.states.filter((state) => allows(processLifecycle, state, 'prompt'));
    expect(takers).toEqual(['ready']);
  });

  it('are final once terminal, in any order of events, with crashes in between', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...EVENTS), { maxLength: 40 }), (events) => {
        let state: ProcessState = processLifecycle.initial;
        let over: ProcessState | undefined;
        for (const event of events) {
          if (!allows(processLifecycle, state, event)) continue;
          state = next(processLifecycle, state, event);
          if (over !== undefined) throw new Error(`${over} became ${state}`);
          if (isOver(state)) over = state;
        }
        // In any state, one of these events ends the session.
        if (!isOver(state)) expect(isOver(next(processLifecycle, state, 'fail'))).toBe(true);
      }),
    );
  });
});
