import { isPaused, type RunViewState, type RunViewStep, withNotice } from './state.js';

/** What a person does. A surface maps its keys and buttons to these; an action that does not fit does nothing. */
export type RunViewAction =
  /** Answers the first waiting question. */
  | { readonly do: 'answer' }
  | { readonly do: 'pause-or-resume' }
  /** Starts writing to the agent; then updates the text, and sends it. */
  | { readonly do: 'guide' }
  | { readonly do: 'written'; readonly text: string }
  | { readonly do: 'send' }
  /** Asks for a yes before the run is stopped. */
  | { readonly do: 'consider-stopping' }
  | { readonly do: 'stop' }
  /** Back to watching; the notice disappears. */
  | { readonly do: 'go-back' }
  /** Ends the run without asking. */
  | { readonly do: 'interrupt' };

/** Applies an action to the view. */
export function act(state: RunViewState, action: RunViewAction): RunViewStep {
  if (action.do === 'interrupt') return [state, [{ do: 'interrupt' }]];
  if (state.isStopping || state.end !== null) return [state, []];
  const { mode } = state;
  switch (action.do) {
    case 'go-back':
      return [watching(state), []];
    case 'answer': {
      const [first] = state.questions;
      if (first === undefined) return [withNotice(state, 'No question is open.'), []];
      return [watching(state), [{ do: 'answer', id: first.id }]];
    }
    case 'pause-or-resume':
      return pauseOrResume(watching(state));
    case 'guide':
      return [{ ...state, mode: { name: 'guide', text: '' }, notice: null }, []];
    case 'written':
      return [mode.name === 'guide' ? { ...state, mode: { ...mode, text: action.text } } : state, []];
    case 'send':
      return mode.name === 'guide' ? send(watching(state), mode.text.trim()) : [state, []];
    case 'consider-stopping':
      return [{ ...state, mode: { name: 'stop' }, notice: null }, []];
    case 'stop':
      if (mode.name !== 'stop') return [state, []];
      return [withNotice(watching(state), 'Stopping …'), [{ do: 'request', request: { kind: 'stop' } }]];
  }
}

/** A second press before the run has taken the request asks for the opposite. */
function pauseOrResume(state: RunViewState): RunViewStep {
  const isResting = state.isLeft || (state.asked === null ? isPaused(state) : state.asked === 'pause');
  const kind = isResting ? 'resume' : 'pause';
  const told = isResting ? 'Continuing …' : 'Pausing …';
  return [withNotice({ ...state, asked: kind }, told), [{ do: 'request', request: { kind } }]];
}

function send(state: RunViewState, text: string): RunViewStep {
  if (text === '') return [state, []];
  return [
    withNotice(state, 'The agent gets it with its next prompt.'),
    [{ do: 'request', request: { kind: 'guidance', text } }],
  ];
}

function watching(state: RunViewState): RunViewState {
  return { ...state, mode: { name: 'watch' }, notice: null };
}
