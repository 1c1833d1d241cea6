import { useSignal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import { wordsOf } from '../../../models/top/index.js';
import type { RunPage as RunFacts } from '../../contract/index.js';
import { Age } from '../frame/age.js';
import { Loading } from '../frame/loading.js';
import { CardView } from '../inbox/card-view.js';
import { refusalWords } from '../inbox/desk.js';
import { usePage } from '../page-context.js';
import { FollowedRun } from './follow-run.js';
import { LogView } from './log-view.js';
import { Numbers } from './numbers.js';
import { Standing } from './run-row.js';
import { Steering } from './steering.js';

export { ReportView } from '../report/report-page.js';

/** One run, live. */
export function RunPage({ id }: { id: string }) {
  const { store } = usePage();
  const facts = useSignal<RunFacts | null>(null);
  const fault = useSignal<string | null>(null);
  const followed = useMemo(() => new FollowedRun(store, id), [store, id]);
  const isReady = store.state.value.seq !== -1;
  useEffect(() => (isReady ? followed.start() : undefined), [followed, isReady]);
  useEffect(() => {
    if (!isReady) return;
    void store.api.run(id).then((reply) => {
      if (reply.isDone) facts.value = reply.value;
      else fault.value = reply.status === 404 ? 'There is no such run.' : refusalWords(reply);
    });
  }, [id, isReady, store, facts, fault]);
  const row = store.state.value.rows.get(`run:${id}`) ?? facts.value?.row ?? null;
  const cards = store.cards.value.filter((card) => card.row !== null && card.row === row?.key);
  const { view } = followed.log.value;
  if (fault.value !== null && row === null)
    return (
      <section class="run">
        <Crumb />
        <p class="empty">{fault.value}</p>
      </section>
    );
  if (!isReady || (row === null && facts.value === null)) return <Loading title="" />;
  const words = row === null ? null : wordsOf(row, store.labels.value, new Date(0));
  return (
    <section class="run">
      <Crumb />
      <header class="run-head">
        <h1>{words?.plan ?? (view.plan === '' ? id.slice(0, 8) : view.plan)}</h1>
        <p class="where">
          {row === null ? null : <Standing row={row} />}
          <span>
            {[words?.project, words?.agent].filter((word) => word !== undefined && word !== '-').join(' · ')}
          </span>
          {row === null ? null : <Age at={row.startedAt} />}
        </p>
        {row?.why == null ? null : <p class="why">{words?.why}</p>}
        <p class="crumb">
          <a href={`/r/${id}/report`}>Report ›</a>
        </p>
      </header>
      {cards.map((card) => (
        <CardView key={card.set.sessionId} card={card} />
      ))}
      <Numbers view={view} row={row} />
      <Steering id={id} row={row} />
      <LogView followed={followed} hasJournal={facts.value?.hasJournal ?? true} />
      {facts.value === null || facts.value.commands.length === 0 ? null : (
        <details class="commands">
          <summary>In a terminal</summary>
          {facts.value.commands.map((command) => (
            <pre key={command}>
              <code>{command}</code>
            </pre>
          ))}
        </details>
      )}
    </section>
  );
}

function Crumb() {
  return (
    <p class="crumb">
      <a href="/runs">‹ Runs</a>
    </p>
  );
}
