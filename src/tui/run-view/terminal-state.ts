import {
  type Effect,
  initialState,
  type RunViewEvent,
  type RunViewState,
  update,
} from '../../models/run-view/index.js';
import { type EditorState, editorText, editorWith } from '../text-editor.js';

/** The view of a run, and what only a terminal has to know about it. */
export interface TerminalRun extends RunViewState {
  /** What is being written to the agent, with its cursor. */
  readonly editor: EditorState | null;
  /** The list of keys is shown. */
  readonly isHelpShown: boolean;
  /** The run is another process: who leaves the view leaves it alone. */
  readonly isAttached: boolean;
}

export type TerminalStep = readonly [TerminalRun, readonly Effect[]];

export function initialRun(nowMs: number, isAttached = false): TerminalRun {
  return { ...initialState(nowMs), editor: null, isHelpShown: false, isAttached };
}

/** What an event makes of the view; the editor is where something is written. */
export function step(state: TerminalRun, event: RunViewEvent): TerminalStep {
  const [run, effects] = update(state, event);
  // Who does something has no more need of the keys.
  const isHelpShown =
    state.isHelpShown && effects.length === 0 && run.mode.name === 'watch' && !run.isStopping;
  return [{ ...state, ...run, isHelpShown, editor: editorFor(run, state.editor) }, effects];
}

function editorFor({ mode }: RunViewState, editor: EditorState | null): EditorState | null {
  if (mode.name !== 'guide') return null;
  return editor !== null && editorText(editor) === mode.text ? editor : editorWith(mode.text);
}
