import { faultAt, type InboxAction, type InboxEffect, type OpenSet } from '../../models/inbox/index.js';
import { filterAfter } from '../filter-after.js';
import type { Key } from '../keys.js';
import { type EditorState, edit, editorText } from '../text-editor.js';
import { graphemesOf } from '../wrap.js';
import { step, type TerminalInbox, type TerminalStep } from './terminal-state.js';

const PAGE_SETS = 10;

/** What a key does. Letters that arrive together (a key held down, a slow line) count as separate keys. */
export function onKey(state: TerminalInbox, key: Key): TerminalStep {
  if (key.name !== 'text' || !('text' in key)) return onOneKey(state, key);
  const effects: InboxEffect[] = [];
  let now = state;
  const letters = graphemesOf(key.text);
  for (const [index, letter] of letters.entries()) {
    const isTyping = editorOf(now) !== null || now.isFiltering;
    const [next, more] = onOneKey(now, {
      name: 'text',
      text: isTyping ? letters.slice(index).join('') : letter,
    });
    now = next;
    effects.push(...more);
    if (isTyping || more.some((effect) => effect.do === 'leave')) break;
  }
  return [now, effects];
}

/** The editor, if keys go into it right now. */
function editorOf({
  editor,
  isHelpShown,
  isBusy,
}: Pick<TerminalInbox, 'editor' | 'isHelpShown' | 'isBusy'>): EditorState | null {
  return isHelpShown || isBusy ? null : editor;
}

function onOneKey(state: TerminalInbox, key: Key): TerminalStep {
  if (key.name === 'ctrl-c') return did(state, { do: 'leave' });
  if (state.isBusy) return [state, []];
  const editor = editorOf(state);
  if (editor === null && state.isFiltering && !state.isHelpShown) return onFilterKey(state, key);
  if (editor === null) {
    // Enter pressed right after the command, before the terminal was ours, arrives as this.
    if (key.name === 'newline') return onOneKey(state, { name: 'enter' });
    if (key.name === 'page-up') return pageBy(state, -1);
    if (key.name === 'page-down') return pageBy(state, 1);
    if (state.isHelpShown) return [{ ...state, isHelpShown: false }, []];
    if (isTyped(key, '?') && state.screen.name !== 'settled') return [{ ...state, isHelpShown: true }, []];
  }
  const action = editor === null ? actionOf(state, key) : writingActionOf(state, key);
  if (action !== undefined) return did(state, action);
  return editor === null ? [state, []] : type(state, editor, key);
}

/** A key while the list's filter is being typed. */
function onFilterKey(state: TerminalInbox, key: Key): TerminalStep {
  if (key.name === 'enter') return did(state, { do: 'keep-filter' });
  if (key.name === 'escape') return did(state, { do: 'clear-filter' });
  if (key.name === 'up' || key.name === 'down') {
    const [kept] = did(state, { do: 'keep-filter' });
    return did(kept, { do: 'move', by: key.name === 'up' ? -1 : 1 });
  }
  const text = filterAfter(state.filter, key);
  return text === undefined ? [state, []] : did(state, { do: 'filter-by', text });
}

function did(state: TerminalInbox, action: InboxAction): TerminalStep {
  return step(state, { type: 'act', action });
}

function pageBy(state: TerminalInbox, direction: -1 | 1): TerminalStep {
  if (state.screen.name === 'list' && !state.isHelpShown)
    return did(state, { do: 'move', by: direction * PAGE_SETS });
  // One row of the previous page stays on screen, so the person keeps their place.
  const rows = state.pageRows > 3 ? state.pageRows - 1 : state.pageRows;
  const [next] = did(state, { do: 'read-on' });
  return [{ ...next, scroll: Math.max(0, state.scroll + direction * rows) }, []];
}

/** A key for the editor. */
function type(state: TerminalInbox, editor: EditorState, key: Key): TerminalStep {
  const next = edit(editor, key);
  if (next === editor) return [state, []];
  return did({ ...state, editor: next }, { do: 'written', text: editorText(next) });
}

/** What a key means while no text is being written. */
function actionOf({ open, screen, pending, filter }: TerminalInbox, key: Key): InboxAction | undefined {
  // A person still typing when the set left must not dismiss the reason with the next letter.
  if (screen.name === 'settled')
    return key.name === 'enter' || key.name === 'escape' ? { do: 'go-back' } : undefined;
  if (screen.name === 'reject-all') return onRejectKey(key);
  if (open === null || screen.name === 'list') return onListKey(pending.length, filter, key);
  if (screen.name === 'reject') return onRejectKey(key);
  if (key.name === 'escape') return { do: 'consider-rejecting' };
  if (isTyped(key, 'q')) return { do: 'close' };
  return screen.name === 'review' ? onReviewKey(open, key) : onQuestionKey(open, key);
}

function onListKey(sets: number, filter: string, key: Key): InboxAction | undefined {
  if (key.name === 'up' || isTyped(key, 'k')) return { do: 'move', by: -1 };
  if (key.name === 'down' || isTyped(key, 'j')) return { do: 'move', by: 1 };
  if (key.name === 'home' || isTyped(key, 'g')) return { do: 'move', by: -sets };
  if (key.name === 'end' || isTyped(key, 'G')) return { do: 'move', by: sets };
  if (isTyped(key, '/')) return { do: 'filter' };
  if (isTyped(key, 'R')) return { do: 'consider-rejecting-all' };
  if (key.name === 'escape' && filter !== '') return { do: 'clear-filter' };
  if (isTyped(key, 'q') || key.name === 'ctrl-d' || key.name === 'escape') return { do: 'leave' };
  return key.name === 'enter' || key.name === 'right' ? { do: 'open' } : undefined;
}

function onQuestionKey({ row, questionIndex }: OpenSet, key: Key): InboxAction | undefined {
  if (key.name === 'up' || isTyped(key, 'k')) return { do: 'stand-on', row: row - 1 };
  if (key.name === 'down' || isTyped(key, 'j')) return { do: 'stand-on', row: row + 1 };
  if (key.name === 'tab' || key.name === 'right') return { do: 'go-to', question: questionIndex + 1 };
  if (key.name === 'shift-tab' || key.name === 'left') return { do: 'go-to', question: questionIndex - 1 };
  if (isTyped(key, 'r')) return { do: 'choose-recommended' };
  if (isTyped(key, 'o')) return { do: 'write' };
  if (isTyped(key, ' ')) return { do: 'choose', row };
  if (key.name === 'enter') return { do: 'answer' };
  const digit = digitOf(key);
  return digit === undefined ? undefined : { do: 'choose', row: digit };
}

function onReviewKey({ view }: OpenSet, key: Key): InboxAction | undefined {
  const last = view.questions.length - 1;
  if (key.name === 'enter' || isTyped(key, 'y')) return { do: 'submit' };
  if (['left', 'shift-tab', 'up', 'backspace'].includes(key.name) || isTyped(key, 'n'))
    return { do: 'go-to', question: last };
  const digit = digitOf(key);
  return digit !== undefined && digit <= last ? { do: 'go-to', question: digit } : undefined;
}

function onRejectKey(key: Key): InboxAction | undefined {
  if (key.name === 'escape' || isTyped(key, 'n')) return { do: 'go-back' };
  if (isTyped(key, 'y')) return { do: 'give-reason' };
  return isTyped(key, 'l') ? { do: 'close' } : undefined;
}

/** What a key means while text is being written; undefined if it goes into the text. */
function writingActionOf({ open, screen }: TerminalInbox, key: Key): InboxAction | undefined {
  if (screen.name === 'reject' || screen.name === 'reject-all') {
    if (key.name === 'escape') return { do: 'go-back' };
    return key.name === 'enter' ? { do: 'reject' } : undefined;
  }
  if (open === null) return undefined;
  const { questionIndex } = open;
  if (key.name === 'escape') return { do: 'stop-writing' };
  if (key.name === 'tab' && faultAt(open, questionIndex) !== undefined)
    return { do: 'go-to', question: questionIndex + 1 };
  if (key.name === 'enter' || key.name === 'tab') return { do: 'answer' };
  return key.name === 'shift-tab' ? { do: 'go-to', question: questionIndex - 1 } : undefined;
}

/** The row that a digit stands for: 1 is the first, 0 the tenth. */
function digitOf(key: Key): number | undefined {
  return key.name === 'text' && 'text' in key && /^[0-9]$/.test(key.text)
    ? (Number(key.text) + 9) % 10
    : undefined;
}

function isTyped(key: Key, text: string): boolean {
  return key.name === 'text' && 'text' in key && key.text === text;
}
