import { defineLifecycle } from '../../foundation/index.js';

/** The states of a change session. Only an active one holds its change. */
export const changeLifecycle = defineLifecycle({
  states: ['active', 'finished', 'released'],
  initial: 'active',
  on: {
    flush: { from: ['active'], to: 'finished' },
    release: { from: ['active'], to: 'released' },
  },
});

export type ChangeSessionStatus = (typeof changeLifecycle.states)[number];
