import type { OverviewRow } from '../../overview/index.js';
import { act, type TopAction } from './act.js';
import { type TopState, type TopStep, withRows } from './state.js';

export type TopEvent =
  | { readonly type: 'act'; readonly action: TopAction }
  | { readonly type: 'listed'; readonly rows: readonly OverviewRow[]; readonly nowMs: number }
  /** A short message for the person. */
  | { readonly type: 'told'; readonly message: string };

/** Returns the next state of the overview and the effects to carry out. Pure. */
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

/** Whether something new asks; whatever was there at the first look is no news. */
function isNewsFor(before: TopState, after: TopState): boolean {
  if (!before.isRead) return false;
  const known = new Set(before.rows.map(({ question }) => question?.id));
  return after.rows.some(({ question }) => question !== null && !known.has(question.id));
}
