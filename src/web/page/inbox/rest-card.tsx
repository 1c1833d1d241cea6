import { useSignal } from '@preact/signals';
import { steeringFault, wordsOf } from '../../../models/top/index.js';
import type { PageSnapshot } from '../../contract/index.js';
import { Age } from '../frame/age.js';
import { usePage } from '../page-context.js';
import { refusalWords } from './card-desk.js';

type Row = PageSnapshot['rows'][number];

/** A run that rests until the person lets it continue: a limit, a breaker, a pause, damage. */
export function RestCard({ row }: { row: Row }) {
  const { store } = usePage();
  const told = useSignal<string | null>(null);
  const { plan, project, agent, why, machine } = wordsOf(
    row,
    store.labels.value,
    new Date(store.nowMs.peek()),
  );
  const rests = RESTS[row.status] ?? 'rests';
  const canResume = store.state.value.me?.can === 'steer' && steeringFault(row, 'resume') === undefined;
  const resume = async () => {
    told.value = 'Resuming …';
    const reply = await store.api.steer(row.id, { kind: 'resume' });
    told.value = reply.isDone ? reply.value.words : refusalWords(reply);
    if (!reply.isDone) store.noteRefused(reply);
  };
  return (
    <article class="card rest" tabIndex={-1} aria-label={`${plan} ${rests}`} data-card={row.key} data-stop>
      <header class="card-head">
        <h2>
          <span class="who">{plan}</span> <span class="asks">{rests}</span>
        </h2>
        <p class="where">
          {machine === '' ? null : <span class="badge">{machine}</span>}
          {[project, agent].filter((word) => word !== '-').join(' · ')}
        </p>
        <p class="meta">
          <Age at={row.since} />
        </p>
      </header>
      {why === '' ? null : <p class="why">{why}</p>}
      <p class="hint">{whatToDo(row)}</p>
      {told.value === null ? null : <p class="note">{told.value}</p>}
      <div class="actions">
        {canResume ? (
          <button type="button" onClick={() => void resume()}>
            Resume
          </button>
        ) : null}
        {row.kind === 'run' && row.status !== 'damaged' ? (
          <a class="button quiet" href={`/r/${row.id}`} data-key="context">
            Open the run
          </a>
        ) : null}
      </div>
    </article>
  );
}

const RESTS: Readonly<Record<string, string>> = {
  paused: 'is paused',
  halted: 'was stopped by its breaker',
  suspended: 'is suspended',
  damaged: 'is damaged',
};

function whatToDo({ kind, status, id }: Row): string {
  const entry = id.slice(0, 8);
  if (kind === 'entry')
    return status === 'failed'
      ? `Try it again with holdfast queue retry ${entry}, or remove it with holdfast queue remove ${entry}.`
      : `holdfast queue show ${entry} says what it is waiting for.`;
  if (kind !== 'run') return 'It continues in its own terminal.';
  if (status === 'damaged')
    return 'Run holdfast sessions verify in its project: it says what is wrong and what helps.';
  return 'Nothing is lost. When resumed, it continues where it was.';
}
