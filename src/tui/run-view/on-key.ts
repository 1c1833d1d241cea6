import type { RunViewAction } from '../../models/run-view/index.js';
import type { Key } from '../keys.js';
import { type EditorState, edit, editorText } from '../text-editor.js';
import { graphemesOf } from '../wrap.js';
import { step, type TerminalRun, type TerminalStep } from './terminal-state.js';

/** What a key does. Letters that arrive together count as separate keys, unless they are typed into a text. */
export function onKey(state: TerminalRun, key: Key): TerminalStep {
  if (key.name !== 'text' || !('text' in key) || state.mode.name === 'guide') return onOneKey(state, key);
  const [first = '', ...rest] = graphemesOf(key.text);
  const [next, effects] = onOneKey(state, { name: 'text', text: first });
  if (rest.length === 0) return [next, effects];
  const [last, more] = onKey(next, { name: 'text', text: rest.join('') });
  return [last, [...effects, ...more]];
}

function onOneKey(state: TerminalRun, key: Key): TerminalStep {
  if (key.name === 'ctrl-c') return did(state, { do: 'interrupt' });
  if (state.isAttached && isTyped(key, 'q') && state.mode.name === 'watch')
    return did(state, { do: 'interrupt' });
  if (state.isStopping || state.end !== null) return [state, []];
  if (state.editor !== null) return onGuideKey(state, state.editor, key);
  const letter = key.name === 'text' && 'text' in key ? key.text : key.name;
  if (state.mode.name === 'stop') return did(state, { do: /^[yY]$/.test(letter) ? 'stop' : 'go-back' });
  if (letter === '?') return did({ ...state, isHelpShown: !state.isHelpShown }, { do: 'go-back' });
  if (letter === 'escape') return did({ ...state, isHelpShown: false }, { do: 'go-back' });
  return did(state, { do: KEYS[letter] ?? 'go-back' });
}

const KEYS: Readonly<Record<string, Exclude<RunViewAction['do'], 'written'>>> = {
  a: 'answer',
  p: 'pause-or-resume',
  g: 'guide',
  s: 'consider-stopping',
};

function onGuideKey(state: TerminalRun, editor: EditorState, key: Key): TerminalStep {
  if (key.name === 'escape') return did(state, { do: 'go-back' });
  if (key.name === 'enter') return did(state, { do: 'send' });
  const next = edit(editor, key);
  return next === editor
    ? [state, []]
    : did({ ...state, editor: next }, { do: 'written', text: editorText(next) });
}

function isTyped(key: Key, text: string): boolean {
  return key.name === 'text' && 'text' in key && key.text === text;
}

function did(state: TerminalRun, action: RunViewAction): TerminalStep {
  return step(state, { type: 'act', action });
}
