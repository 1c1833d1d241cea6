import { defineLifecycle } from '../foundation/index.js';

/**
 * The states of an entry. `running`: a worker has it, or had it and is gone; the next worker then resumes its run.
 * `retry` is for a run that never prompted an agent, and for a person who asks for it.
 */
export const entryLifecycle = defineLifecycle({
  states: ['queued', 'paused', 'running', 'done', 'failed'],
  initial: 'queued',
  on: {
    pause: { from: ['queued'], to: 'paused' },
    resume: { from: ['paused'], to: 'queued' },
    take: { from: ['queued', 'running'], to: 'running' },
    release: { from: ['running'], to: 'queued' },
    finish: { from: ['running'], to: 'done' },
    fail: { from: ['running'], to: 'failed' },
    retry: { from: ['failed'], to: 'queued' },
  },
});

export type EntryStatus = (typeof entryLifecycle.states)[number];
