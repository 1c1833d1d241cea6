import { useSignal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import { visibleLabel } from '../../../foundation/text/visible-text.js';
import { wordsOf } from '../../../models/top/index.js';
import type { PageSnapshot, RunPage as RunFacts } from '../../contract/index.js';
import { Age } from '../frame/age.js';
import { Loading } from '../frame/loading.js';
import { refusalWords } from '../inbox/card-desk.js';
import { CardView } from '../inbox/card-view.js';
import { usePage } from '../page-context.js';
import { FollowedRun } from './follow-run.js';
import { LogView } from './log-view.js';
import { Numbers, NumbersElsewhere } from './numbers.js';
import { RowStatus } from './run-row.js';
import { Steering } from './steering.js';

export { ReportView } from '../report/report-page.js';

/** One run, live. */
export function RunPage({ id }: { id: string }) {
  const { store } = usePage();
  const facts = useSignal<RunFacts | null>(null);
  const fault = useSignal<string | null>(null);
  const followed = useMemo(() => new FollowedRun(store, id), [store, id]);
  const isReady = store.state.value.seq !== -1;
  const row = rowOf(store.state.value.rows, id) ?? facts.value?.row ?? null;
  const machine = row?.machine ?? facts.value?.machine;
  // Only the journal of a run on this machine can be followed from here.
  const isHere = isReady && machine === undefined && (row !== null || facts.value !== null);
  useEffect(() => (isHere ? followed.start() : undefined), [followed, isHere]);
  useEffect(() => {
    if (!isReady) return;
    void store.api.run(id).then((reply) => {
      if (reply.isDone) facts.value = reply.value;
      else fault.value = reply.status === 404 ? 'There is no such run.' : refusalWords(reply);
    });
  }, [id, isReady, store, facts, fault]);
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
  const now = new Date(row?.asOf === undefined ? 0 : store.serverNow.value);
  const words = row === null ? null : wordsOf(row, store.labels.value, now);
  return (
    <section class="run">
      <Crumb />
      <header class="run-head">
        <h1>{words?.plan ?? (view.plan === '' ? id.slice(0, 8) : view.plan)}</h1>
        <p class="where">
          {row === null ? null : <RowStatus row={row} />}
          {machine === undefined ? null : <span class="badge">{visibleLabel(machine)}</span>}
          <span>
            {[words?.project, words?.agent].filter((word) => word !== undefined && word !== '-').join(' · ')}
          </span>
          {row === null ? null : <Age at={row.startedAt} />}
        </p>
        {words === null || words.why === '' ? null : <p class="why">{words.why}</p>}
        {machine === undefined ? (
          <p class="crumb">
            <a href={`/r/${id}/report`}>Report ›</a>
          </p>
        ) : null}
      </header>
      {cards.map((card) => (
        <CardView key={card.set.sessionId} card={card} />
      ))}
      {machine === undefined ? (
        <Numbers view={view} row={row} />
      ) : row === null || words === null ? null : (
        <NumbersElsewhere row={row} words={words} />
      )}
      <Steering id={id} row={row} />
      {machine === undefined ? (
        <LogView followed={followed} hasJournal={facts.value?.hasJournal ?? true} />
      ) : (
        <p class="note">
          This run is on {visibleLabel(machine)}. Its state, questions and cost are shown here; its output,
          report and transcript stay there.
        </p>
      )}
      {facts.value === null || facts.value.commands.length === 0 ? null : (
        <details class="commands">
          <summary>In a terminal{machine === undefined ? '' : ` of ${visibleLabel(machine)}`}</summary>
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

type Row = PageSnapshot['rows'][number];

/** The row of a run on this machine or another one; rows of other machines have the machine in their keys. */
function rowOf(rows: ReadonlyMap<string, Row>, id: string): Row | undefined {
  return rows.get(`run:${id}`) ?? [...rows.values()].find((row) => row.kind === 'run' && row.id === id);
}
