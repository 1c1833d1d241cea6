import type { RunViewEvent } from '../../models/run-view/index.js';
import type { Key } from '../keys.js';
import { onKey } from './on-key.js';
import { step, type TerminalRun, type TerminalStep } from './terminal-state.js';

export type TerminalEvent = RunViewEvent | { readonly type: 'key'; readonly key: Key };

/** Returns the next state of the view in a terminal and the effects to carry out. Pure. */
export function updateTerminal(state: TerminalRun, event: TerminalEvent): TerminalStep {
  return event.type === 'key' ? onKey(state, event.key) : step(state, event);
}
