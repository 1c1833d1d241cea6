import { defineLifecycle } from '../../foundation/index.js';

/**
 * The states of a loop. A new session is `running` at iteration 0. `paused`: by request or limit; `suspended`: by a
 * signal or a crash. A stored `running` whose owner is gone is resumed like a suspended one.
 */
export const loopLifecycle = defineLifecycle({
  states: ['running', 'paused', 'suspended', 'completed', 'halted', 'aborted'],
  initial: 'running',
  on: {
    iterate: { from: ['running'], to: 'running' },
    pause: { from: ['running'], to: 'paused' },
    suspend: { from: ['running', 'paused'], to: 'suspended' },
    resume: { from: ['running', 'paused', 'suspended'], to: 'running' },
    complete: { from: ['running'], to: 'completed' },
    halt: { from: ['running', 'paused'], to: 'halted' },
    reset: { from: ['halted'], to: 'running' },
    abort: { from: ['running', 'paused', 'suspended', 'halted'], to: 'aborted' },
  },
});

export type LoopStatus = (typeof loopLifecycle.states)[number];
