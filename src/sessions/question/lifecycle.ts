import { defineLifecycle } from '../../foundation/index.js';

/** The states of a question set. `timed_out` and `abandoned` are not final: a late answer still counts. */
export const questionLifecycle = defineLifecycle({
  states: ['pending', 'completed', 'rejected', 'timed_out', 'abandoned'],
  initial: 'pending',
  on: {
    answer: { from: ['pending', 'timed_out', 'abandoned'], to: 'completed' },
    reject: { from: ['pending', 'timed_out', 'abandoned'], to: 'rejected' },
    expire: { from: ['pending'], to: 'timed_out' },
    abandon: { from: ['pending', 'timed_out'], to: 'abandoned' },
  },
});

export type QuestionStatus = (typeof questionLifecycle.states)[number];
