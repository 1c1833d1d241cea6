import { visibleExcerpt } from '../../foundation/text/visible-text.js';
import type { OverviewRow } from '../../overview/index.js';
import { selectedRow, type TopState, type TopStep, withFilter } from './state.js';

/** What a person does. A surface maps its keys and buttons to these; an action that does not fit says why. */
export type TopAction =
  | { readonly do: 'move'; readonly by: number }
  /** What the person most likely wants: to answer the row's question, otherwise to look at the row. */
  | { readonly do: 'open' }
  | { readonly do: 'answer' }
  | { readonly do: 'attach' }
  | { readonly do: 'pause' }
  | { readonly do: 'resume' }
  /** Asks for a yes, then stops the run. */
  | { readonly do: 'consider-stopping' }
  | { readonly do: 'stop' }
  | { readonly do: 'go-there' }
  /** Starts typing a filter, updates it, then keeps or clears it. */
  | { readonly do: 'filter' }
  | { readonly do: 'filter-by'; readonly text: string }
  | { readonly do: 'keep-filter' }
  | { readonly do: 'clear-filter' }
  | { readonly do: 'go-back' }
  | { readonly do: 'leave' };

/** Applies an action to the overview. */
export function act(state: TopState, action: TopAction): TopStep {
  switch (action.do) {
    case 'leave':
      return [state, [{ do: 'leave' }]];
    case 'move':
      return [moved(watching(state), action.by), []];
    case 'filter':
      return [{ ...watching(state), mode: { name: 'filter' } }, []];
    case 'filter-by':
      return [state.mode.name === 'filter' ? withFilter(state, action.text) : state, []];
    case 'keep-filter':
    case 'go-back':
      return [watching(state), []];
    case 'clear-filter':
      return [withFilter(watching(state), ''), []];
    case 'stop':
      return stop(state);
    default: {
      const row = selectedRow(state);
      return row === undefined ? [watching(state), []] : onRow(watching(state), row, action.do);
    }
  }
}

function moved(state: TopState, by: number): TopState {
  const { shown, selectedKey } = state;
  const index = shown.findIndex(({ key }) => key === selectedKey);
  const row = shown[Math.max(0, Math.min(shown.length - 1, index + by))];
  return { ...state, selectedKey: row?.key ?? null };
}

type RowAction = 'open' | 'answer' | 'attach' | 'pause' | 'resume' | 'consider-stopping' | 'go-there';

function onRow(state: TopState, row: OverviewRow, what: RowAction): TopStep {
  switch (what) {
    case 'open':
      return onRow(state, row, row.question === null ? 'attach' : 'answer');
    case 'answer':
      if (row.question === null) return [told(state, 'It is not asking anything.'), []];
      return [state, [{ do: 'answer', question: row.question.id }]];
    case 'attach':
      if (row.kind !== 'run') return [told(state, NO_VIEW[row.kind]), []];
      if (row.machine !== undefined)
        return [told(state, `It is on ${nameOf(row.machine)}; its line-by-line output stays there.`), []];
      return [state, [{ do: 'attach', row }]];
    case 'go-there':
      if (row.project === null) return [told(state, 'Its directory was not recorded.'), []];
      if (row.machine !== undefined) {
        const place = visibleExcerpt(directoryOf(row), 200);
        return [told(state, `It is in ${place} on ${nameOf(row.machine)}.`), []];
      }
      return [state, [{ do: 'go-there', row }]];
    case 'pause':
    case 'resume':
      return steer(state, row, what);
    case 'consider-stopping': {
      const fault = steeringFault(row, 'stop');
      if (fault !== undefined) return [told(state, fault), []];
      return [{ ...state, mode: { name: 'stop', key: row.key } }, []];
    }
  }
}

function nameOf(machine: string): string {
  return visibleExcerpt(machine, 63);
}

function directoryOf({ worktree, project }: OverviewRow): string {
  return worktree?.path ?? project ?? '';
}

const NO_VIEW: Readonly<Record<Exclude<OverviewRow['kind'], 'run'>, string>> = {
  chat: 'A chat is in its own terminal; o shows how to get there.',
  question: 'No run asked this; a answers it.',
  agent: 'This agent is in its own terminal; o shows how to get there.',
  entry: 'It has not run yet; `holdfast queue show` says why.',
  worker: 'A worker takes what is queued; each of its runs has a row of its own.',
};

function steer(state: TopState, row: OverviewRow, what: 'pause' | 'resume'): TopStep {
  const fault = steeringFault(row, what);
  if (fault !== undefined) return [told(state, fault), []];
  return [told(state, what === 'pause' ? 'Pausing …' : 'Resuming …'), [{ do: what, row }]];
}

/** Why a row cannot take a request, or undefined if it can. */
export function steeringFault(row: OverviewRow, what: 'pause' | 'resume' | 'stop'): string | undefined {
  if (row.kind !== 'run') return 'Only runs can be paused, resumed and stopped from here.';
  if (row.group === 'ended') return `It is ${row.status}.`;
  if (row.status === 'damaged')
    return 'Its files are damaged: `holdfast sessions verify` says what is wrong.';
  if (what === 'resume') return resumeFault(row);
  if (!row.isRunning) return 'No process runs it; r resumes it.';
  return what === 'pause' && row.status === 'paused' ? 'It is paused; r resumes it.' : undefined;
}

function resumeFault({ isRunning, group, status, why }: OverviewRow): string | undefined {
  if (!isRunning || status !== 'running') return undefined;
  if (group === 'asks') return 'It is waiting for your answer; a answers it.';
  return why === null ? 'It is working.' : undefined;
}

function stop(state: TopState): TopStep {
  const { mode } = state;
  if (mode.name !== 'stop') return [state, []];
  const row = state.rows.find(({ key }) => key === mode.key);
  return row === undefined
    ? [watching(state), []]
    : [told(watching(state), 'Stopping …'), [{ do: 'stop', row }]];
}

function told(state: TopState, notice: string): TopState {
  return { ...state, notice };
}

function watching(state: TopState): TopState {
  return { ...state, mode: { name: 'watch' }, notice: null };
}
