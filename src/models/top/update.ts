import type { OverviewRow } from '../../overview/index.js';
import { act, type TopAction } from './act.js';
import { type TopState, type TopStep, withRows } from './state.js';

export type TopEvent =
  | { readonly type: 'act'; readonly action: TopAction }
  | { readonly type: 'listed'; readonly rows: readonly OverviewRow[]; readonly nowMs: number }
  /** A word for the person. */
  | { readonly type: 'told'; readonly message: string };

/** The next state of the overview, and what has to be done. Pure. */
export function update(state: TopState, event: TopEvent): TopStep {
  switch (event.type) {
    case 'act':
      return act(state, event.action);
    case 'listed': {
      const next = withRows({ ...state, nowMs: event.nowMs }, event.rows);
      return [next, isNewsFor(state, next) ? [{ do: 'ring' }] : []];
    }
    case 'told':
      return [{ ...state, notice: event.message }, []];
  }
}

/** Whether something asks that did not before; what was there when one began to look is no news. */
function isNewsFor(before: TopState, after: TopState): boolean {
  if (!before.isRead) return false;
  const known = new Set(before.rows.map(({ question }) => question?.id));
  return after.rows.some(({ question }) => question !== null && !known.has(question.id));
}
