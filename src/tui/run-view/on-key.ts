import type { Key } from '../keys.js';
import { type EditorState, edit, editorWith, textOf } from '../text-editor.js';
import { graphemesOf } from '../wrap.js';
import { isPaused, type RunViewState, type Step, withNotice } from './state.js';

/** What a key does. Letters that came at once are so many keys, unless they are typed into a text. */
export function onKey(state: RunViewState, key: Key): Step {
  if (key.name !== 'text' || !('text' in key) || state.mode.name === 'guide') return onOneKey(state, key);
  const [first = '', ...rest] = graphemesOf(key.text);
  const [next, effects] = onOneKey(state, { name: 'text', text: first });
  if (rest.length === 0) return [next, effects];
  const [last, more] = onKey(next, { name: 'text', text: rest.join('') });
  return [last, [...effects, ...more]];
}

function onOneKey(state: RunViewState, key: Key): Step {
  if (key.name === 'ctrl-c') return [state, [{ do: 'interrupt' }]];
  if (state.isStopping || state.end !== null) return [state, []];
  const { mode } = state;
  switch (mode.name) {
    case 'watch':
    case 'help':
      return onWatchKey({ ...state, notice: null }, key);
    case 'guide':
      return onGuideKey(state, mode.editor, key);
    case 'stop':
      return onStopKey(watching(state), key);
  }
}

function onWatchKey(state: RunViewState, key: Key): Step {
  const isHelp = state.mode.name === 'help';
  switch (key.name === 'text' && 'text' in key ? key.text : key.name) {
    case '?':
      return [isHelp ? watching(state) : { ...state, mode: { name: 'help' } }, []];
    case 'escape':
      return [watching(state), []];
    case 'a': {
      const [first] = state.questions;
      if (first === undefined) return [withNotice(state, 'Nothing is asked.'), []];
      return [watching(state), [{ do: 'answer', id: first.id }]];
    }
    case 'p':
      return pauseOrResume(watching(state));
    case 'g':
      return [{ ...state, mode: { name: 'guide', editor: editorWith('') } }, []];
    case 's':
      return [{ ...state, mode: { name: 'stop' } }, []];
    default:
      return [state, []];
  }
}

/** Pressed once more before the run has taken it, it is the opposite. */
function pauseOrResume(state: RunViewState): Step {
  const isResting = state.asked === null ? isPaused(state) : state.asked === 'pause';
  const kind = isResting ? 'resume' : 'pause';
  const told = isResting ? 'Continuing …' : 'Pausing …';
  return [withNotice({ ...state, asked: kind }, told), [{ do: 'request', request: { kind } }]];
}

function onGuideKey(state: RunViewState, editor: EditorState, key: Key): Step {
  if (key.name === 'escape') return [watching(state), []];
  if (key.name !== 'enter') {
    const next = edit(editor, key);
    return [next === editor ? state : { ...state, mode: { name: 'guide', editor: next } }, []];
  }
  const text = textOf(editor).trim();
  if (text === '') return [watching(state), []];
  return [
    withNotice(watching(state), 'The agent gets it with its next prompt.'),
    [{ do: 'request', request: { kind: 'guidance', text } }],
  ];
}

function onStopKey(state: RunViewState, key: Key): Step {
  if (key.name !== 'text' || !('text' in key) || !/^[yY]$/.test(key.text)) return [state, []];
  return [withNotice(state, 'It stops …'), [{ do: 'request', request: { kind: 'stop' } }]];
}

function watching(state: RunViewState): RunViewState {
  return { ...state, mode: { name: 'watch' }, notice: null };
}
