import { allows, defineLifecycle } from '../../foundation/index.js';

/**
 * The states of a process session. `paused` refuses prompts and sends no signal. Every non-terminal state can end, fail
 * or be terminated, so a session can never get stuck; terminal states are final.
 */
export const processLifecycle = defineLifecycle({
  states: ['creating', 'ready', 'executing', 'paused', 'ended', 'error', 'terminated'],
  initial: 'creating',
  on: {
    start: { from: ['creating'], to: 'ready' },
    prompt: { from: ['ready'], to: 'executing' },
    answer: { from: ['executing'], to: 'ready' },
    pause: { from: ['ready'], to: 'paused' },
    resume: { from: ['paused'], to: 'ready' },
    end: { from: ['creating', 'ready', 'executing', 'paused'], to: 'ended' },
    fail: { from: ['creating', 'ready', 'executing', 'paused'], to: 'error' },
    terminate: { from: ['creating', 'ready', 'executing', 'paused'], to: 'terminated' },
  },
});

export type ProcessState = (typeof processLifecycle.states)[number];
export type ProcessEvent = keyof typeof processLifecycle.on;

const TERMINAL: ReadonlySet<ProcessState> = new Set(['ended', 'error', 'terminated']);

/** Whether a session is over for good. */
export function isOver(state: ProcessState): boolean {
  return TERMINAL.has(state);
}

/** Whether a session takes a prompt in this state. */
export function canExecute(state: ProcessState): boolean {
  return allows(processLifecycle, state, 'prompt');
}
