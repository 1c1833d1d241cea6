import { visibleLabel } from '../../../foundation/text/visible-text.js';
import { wordsOf } from '../../../models/top/index.js';
import type { PageSnapshot } from '../../contract/index.js';
import { Age } from '../frame/age.js';
import { usePage } from '../page-context.js';
import { Tests } from './sparkline.js';

type Row = PageSnapshot['rows'][number];

/** How a row stands: a shape, a word and a colour. */
export function RowStatus({ row }: { row: Pick<Row, 'group' | 'status' | 'isRunning'> }) {
  const { shape, word, look } = standingOf(row);
  return (
    <span class={`standing ${look}`}>
      <span aria-hidden="true">{shape}</span> {word}
    </span>
  );
}

function standingOf({ group, status, isRunning }: Pick<Row, 'group' | 'status' | 'isRunning'>): {
  readonly shape: string;
  readonly word: string;
  readonly look: string;
} {
  if (group === 'asks') return { shape: '?', word: 'asks', look: 'asking' };
  if (group === 'rests') return { shape: '‖', word: status, look: status === 'paused' ? 'quiet' : 'bad' };
  if (group === 'works') return { shape: isRunning ? '●' : '○', word: status, look: 'good' };
  return status === 'completed'
    ? { shape: '✓', word: status, look: 'good' }
    : { shape: '✗', word: status, look: 'quiet' };
}

/** One row of the overview; it leads to its run, or to what it asks. */
export function RunRow({ row, isBrief = false }: { row: Row; isBrief?: boolean }) {
  const { store } = usePage();
  // The words change with time only for rows that may be out of date.
  const words = wordsOf(
    row,
    store.labels.value,
    new Date(row.asOf === undefined ? 0 : store.serverNow.value),
  );
  const href = row.kind === 'run' && row.status !== 'damaged' ? `/r/${row.id}` : questionOf(row);
  const told = [words.project, words.agent, words.phase].filter((word) => word !== '-');
  const { machine } = words;
  const content = (
    <>
      <span class="row-title">
        {row.kind === 'question' ? visibleLabel(row.question?.title ?? words.plan) : words.plan}
      </span>
      <RowStatus row={row} />
      <span class="row-where">
        {machine === '' ? null : <span class="badge">{machine}</span>} {told.join(' · ')}
      </span>
      <span class="row-numbers">
        <Tests tests={row.tests} />
        {words.cost === '-' ? null : <span class="cost">{words.cost}</span>}
        <Age at={row.since} />
      </span>
      {isBrief || words.why === '' ? null : <span class="row-why">{words.why}</span>}
    </>
  );
  return href === undefined ? (
    <div class="row">{content}</div>
  ) : (
    <a class="row" href={href} data-stop={isBrief ? undefined : true}>
      {content}
    </a>
  );
}

/** A row without its own view leads to its question, if it asks one. */
function questionOf({ question }: Row): string | undefined {
  return question === null ? undefined : `/q/${question.id}`;
}
