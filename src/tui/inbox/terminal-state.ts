import {
  INITIAL_STATE,
  type InboxEffect,
  type InboxEvent,
  type InboxState,
  update,
  writtenText,
} from '../../models/inbox/index.js';
import { type EditorState, editorText, editorWith } from '../text-editor.js';

/** The inbox, and what only a terminal needs to know about it. */
export interface TerminalInbox extends InboxState {
  /** The text being written, with its cursor. */
  readonly editor: EditorState | null;
  /** Whether the list of keys is shown instead. */
  readonly isHelpShown: boolean;
  /** How many rows the text on screen is scrolled down. */
  readonly scroll: number;
  /** How many rows of it are on screen at a time. */
  readonly pageRows: number;
}

export type TerminalStep = readonly [TerminalInbox, readonly InboxEffect[]];

export const INITIAL_INBOX: TerminalInbox = {
  ...INITIAL_STATE,
  editor: null,
  isHelpShown: false,
  scroll: 0,
  pageRows: 1,
};

/** Applies an event to the inbox; there is an editor wherever text is being written. */
export function step(state: TerminalInbox, event: InboxEvent): TerminalStep {
  const [inbox, effects] = update(state, event);
  if (inbox === state) return [state, effects];
  // The reason why the set left must be visible, whatever was shown.
  const isHelpShown = state.isHelpShown && inbox.screen.name !== 'settled';
  return [{ ...state, ...inbox, isHelpShown, editor: editorFor(inbox, state.editor) }, effects];
}

function editorFor(inbox: InboxState, editor: EditorState | null): EditorState | null {
  const text = writtenText(inbox);
  if (text === undefined) return null;
  return editor !== null && editorText(editor) === text ? editor : editorWith(text);
}
