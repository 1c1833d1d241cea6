import type { InboxEvent } from '../../models/inbox/index.js';
import type { Key } from '../keys.js';
import { onKey } from './on-key.js';
import { step, type TerminalInbox, type TerminalStep } from './terminal-state.js';

export type TerminalEvent =
  | InboxEvent
  | { readonly type: 'key'; readonly key: Key }
  /** How far the text on screen can be scrolled, as measured by the view. */
  | { readonly type: 'scroll-limit'; readonly limit: number; readonly rows: number };

/** Returns the next state of the inbox in a terminal and the effects to carry out. Pure. */
export function updateTerminal(state: TerminalInbox, event: TerminalEvent): TerminalStep {
  const [next, effects] = react(state, event);
  return [next.scroll === 0 || isSamePlace(state, next) ? next : { ...next, scroll: 0 }, effects];
}

function react(state: TerminalInbox, event: TerminalEvent): TerminalStep {
  switch (event.type) {
    case 'key':
      return onKey(state, event.key);
    case 'scroll-limit':
      return [
        { ...state, scroll: Math.min(state.scroll, event.limit), pageRows: Math.max(1, event.rows) },
        [],
      ];
    default:
      return step(state, event);
  }
}

function isSamePlace(a: TerminalInbox, b: TerminalInbox): boolean {
  const place = ({ open, screen, isHelpShown }: TerminalInbox) =>
    [screen.name, isHelpShown, open?.view.id, open?.questionIndex].join(' ');
  return place(a) === place(b);
}
