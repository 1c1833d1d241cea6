import {
  initialTop,
  type TopAction,
  type TopEffect,
  type TopEvent,
  type TopState,
  update,
} from '../../models/top/index.js';
import { filterAfter } from '../filter-after.js';
import type { Key } from '../keys.js';
import { graphemesOf } from '../wrap.js';

/** The overview, and what only a terminal needs to know about it. */
export interface TerminalTop extends TopState {
  readonly isHelpShown: boolean;
  /** How many rows are on screen at a time. */
  readonly pageRows: number;
}

export type TerminalStep = readonly [TerminalTop, readonly TopEffect[]];

export type TerminalEvent = TopEvent | { readonly type: 'key'; readonly key: Key };

export function initialTerminal(nowMs: number, from?: TerminalTop): TerminalTop {
  return from === undefined
    ? { ...initialTop(nowMs), isHelpShown: false, pageRows: 10 }
    : { ...from, notice: null };
}

/** Returns the next state of the overview in a terminal and the effects to carry out. Pure. */
export function updateTerminal(state: TerminalTop, event: TerminalEvent): TerminalStep {
  return event.type === 'key' ? onKey(state, event.key) : step(state, event);
}

/** What a key does. Letters that arrive together count as separate keys, unless they are typed into the filter. */
function onKey(state: TerminalTop, key: Key): TerminalStep {
  const isTyped = key.name === 'text' && 'text' in key;
  if (!isTyped || state.mode.name === 'filter') return onOneKey(state, key);
  const effects: TopEffect[] = [];
  let now = state;
  const letters = graphemesOf(key.text);
  for (const [index, letter] of letters.entries()) {
    const isFilter = now.mode.name === 'filter';
    const text = isFilter ? letters.slice(index).join('') : letter;
    const [next, more] = onOneKey(now, { name: 'text', text });
    now = next;
    effects.push(...more);
    if (isFilter || more.some((effect) => effect.do === 'leave' || effect.do === 'attach')) break;
  }
  return [now, effects];
}

function onOneKey(state: TerminalTop, key: Key): TerminalStep {
  if (key.name === 'ctrl-c') return did(state, { do: 'leave' });
  if (state.isHelpShown) return [{ ...state, isHelpShown: false }, []];
  const letter = 'text' in key ? key.text : key.name;
  if (state.mode.name === 'filter') return onFilterKey(state, key);
  if (state.mode.name === 'stop') return did(state, { do: /^[yY]$/.test(letter) ? 'stop' : 'go-back' });
  if (key.name === 'paste') return [state, []];
  if (letter === '?') return [{ ...state, isHelpShown: true }, []];
  if (letter === 'escape') return did(state, { do: state.filter === '' ? 'go-back' : 'clear-filter' });
  const action = KEYS[letter] ?? movement(state, letter);
  return action === undefined ? [state, []] : did(state, action);
}

const KEYS: Readonly<Record<string, TopAction>> = {
  enter: { do: 'open' },
  right: { do: 'open' },
  a: { do: 'answer' },
  v: { do: 'attach' },
  p: { do: 'pause' },
  r: { do: 'resume' },
  s: { do: 'consider-stopping' },
  o: { do: 'go-there' },
  '/': { do: 'filter' },
  q: { do: 'leave' },
  'ctrl-d': { do: 'leave' },
};

function movement({ shown, pageRows }: TerminalTop, letter: string): TopAction | undefined {
  const by: Readonly<Record<string, number>> = {
    up: -1,
    k: -1,
    down: 1,
    j: 1,
    'page-up': -pageRows,
    'page-down': pageRows,
    home: -shown.length,
    g: -shown.length,
    end: shown.length,
    G: shown.length,
  };
  const rows = by[letter];
  return rows === undefined ? undefined : { do: 'move', by: rows };
}

function onFilterKey(state: TerminalTop, key: Key): TerminalStep {
  if (key.name === 'enter') return did(state, { do: 'keep-filter' });
  if (key.name === 'escape') return did(state, { do: 'clear-filter' });
  if (key.name === 'up' || key.name === 'down') {
    const [kept] = did(state, { do: 'keep-filter' });
    return did(kept, { do: 'move', by: key.name === 'up' ? -1 : 1 });
  }
  const text = filterAfter(state.filter, key);
  return text === undefined ? [state, []] : did(state, { do: 'filter-by', text });
}

function did(state: TerminalTop, action: TopAction): TerminalStep {
  return step(state, { type: 'act', action });
}

function step(state: TerminalTop, event: TopEvent): TerminalStep {
  const [top, effects] = update(state, event);
  return [top === state ? state : { ...state, ...top }, effects];
}
