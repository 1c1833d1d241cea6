import {
  initialState,
  type RunViewEffect,
  type RunViewEvent,
  type RunViewState,
  update,
} from '../../models/run-view/index.js';
import { type EditorState, editorText, editorWith } from '../text-editor.js';

/** The view of a run, and what only a terminal needs to know about it. */
export interface TerminalRun extends RunViewState {
  /** The text being written to the agent, with its cursor. */
  readonly editor: EditorState | null;
  /** Whether the list of keys is shown. */
  readonly isHelpShown: boolean;
  /** Whether the run is another process, which leaving the view does not affect. */
  readonly isAttached: boolean;
}

export type TerminalStep = readonly [TerminalRun, readonly RunViewEffect[]];

export function initialRun(nowMs: number, isAttached = false): TerminalRun {
  return { ...initialState(nowMs), editor: null, isHelpShown: false, isAttached };
}

/** Applies an event to the view; there is an editor wherever text is being written. */
export function step(state: TerminalRun, event: RunViewEvent): TerminalStep {
  const [run, effects] = update(state, event);
  // A person who acts no longer needs the list of keys.
  const isHelpShown =
    state.isHelpShown && effects.length === 0 && run.mode.name === 'watch' && !run.isStopping;
  return [{ ...state, ...run, isHelpShown, editor: editorFor(run, state.editor) }, effects];
}

function editorFor({ mode }: RunViewState, editor: EditorState | null): EditorState | null {
  if (mode.name !== 'guide') return null;
  return editor !== null && editorText(editor) === mode.text ? editor : editorWith(mode.text);
}
