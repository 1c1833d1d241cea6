import { isPermission } from '../../../foundation/permission-card.js';
import { visibleLabel } from '../../../foundation/text/visible-text.js';
import { wordsOf } from '../../../models/top/index.js';
import type { Card } from '../../contract/index.js';
import { Age } from '../frame/age.js';
import { usePage } from '../page-context.js';
import { timeOfDay, waitWords } from '../words.js';

/** Who asks, in which project and plan, since when, and what waiting costs. */
export function CardHead({ card }: { card: Card }) {
  const { store, router } = usePage();
  const { set } = card;
  const row = card.row === null ? undefined : store.state.value.rows.get(card.row);
  const words = row === undefined ? undefined : wordsOf(row, store.labels.value, new Date(0));
  const agent = visibleLabel(set.asker?.agent ?? row?.agent ?? 'An agent');
  const project = words?.project ?? lastPart(set.workingDirectory);
  const isOfRun = row?.kind === 'run';
  const isPending = set.status === 'pending';
  const place = isOfRun ? [words?.plan, words?.phase].filter((word) => word !== '-') : [];
  const where = [project, ...place].filter(Boolean).join(' · ');
  return (
    <header class="card-head">
      <h2>
        <span class="who">{agent}</span>
        <span class="asks"> {isPermission(set) ? 'asks for permission' : 'asks'}</span>
      </h2>
      <p class="where">
        {set.machine === undefined ? null : <span class="badge">{visibleLabel(set.machine)}</span>}
        {isOfRun && router.place.value.name !== 'run' ? (
          <a class="context" href={`/r/${row.id}`} data-key="context" title="Open the run">
            {where} ›
          </a>
        ) : (
          where
        )}
      </p>
      <p class="meta">
        <Age at={set.createdAt} />
        {isPending ? (
          <span class={set.isAskerGone === false ? 'waits' : ''}> · {waitWords(set, isOfRun)}</span>
        ) : null}
        {isPending && set.expiresAt !== null ? ` · until ${timeOfDay(Date.parse(set.expiresAt))}` : null}
      </p>
    </header>
  );
}

function lastPart(path: string | null): string {
  return visibleLabel(path?.split('/').filter(Boolean).at(-1) ?? '');
}
