import type { ComponentChildren } from 'preact';
import { visibleExcerpt } from '../../../foundation/text/visible-text.js';
import {
  dollarsOf,
  durationOf,
  type RunViewState,
  roughDurationOf,
  roughNumberOf,
} from '../../../models/run-view/index.js';
import type { RowWords } from '../../../models/top/index.js';
import type { PageSnapshot } from '../../contract/index.js';
import { usePage } from '../page-context.js';
import { Tests } from './sparkline.js';

type Row = PageSnapshot['rows'][number];

/** What a run uses up, and the words for it. */
const USED = [
  { name: 'Cost', key: 'costUsd', words: dollarsOf },
  { name: 'Tokens', key: 'tokens', words: roughNumberOf },
  { name: 'Worked', key: 'activeMs', words: roughDurationOf },
  { name: 'Iterations', key: 'iterations', words: String },
] as const;

/** How the run stands: phases, tests, what was used of each limit, and what it is doing now. */
export function Numbers({ view, row }: { view: RunViewState; row: Row | null }) {
  const tests = view.tests.length > 0 ? view.tests : (row?.tests ?? []);
  const usage = view.standing?.usage;
  const budget = view.standing?.budget ?? {};
  return (
    <div class="numbers">
      <Phases view={view} />
      <dl class="figures">
        {tests.length === 0 && view.verdict === null ? null : (
          <Figure name="Tests">
            {view.verdict === null ? <Tests tests={tests} /> : visibleExcerpt(view.verdict, 80)}
          </Figure>
        )}
        {usage === undefined
          ? null
          : USED.map(({ name, key, words }) => {
              const limit = budget[key];
              const mark = key === 'costUsd' && row?.cost?.source === 'priced' ? '≈' : '';
              return (
                <Figure key={key} name={name} used={usage[key]} limit={limit}>
                  {mark + words(usage[key])}
                  {limit === undefined ? '' : <span class="quiet-words"> of {words(limit)}</span>}
                </Figure>
              );
            })}
        {view.contextPercent === null ? null : (
          <Figure name="Context" used={view.contextPercent} limit={100}>
            {view.contextPercent} %
          </Figure>
        )}
      </dl>
      <Now view={view} row={row} />
    </div>
  );
}

/** For a run on another machine, whose journal stays there: what its row shows. */
export function NumbersElsewhere({ row, words }: { row: Row; words: RowWords }) {
  const figures = [
    ['Phase', words.phase],
    ['Cost', words.cost],
  ].filter(([, told]) => told !== '-');
  if (figures.length === 0 && row.tests.length === 0) return null;
  return (
    <div class="numbers">
      <dl class="figures">
        {row.tests.length === 0 ? null : (
          <Figure name="Tests">
            <Tests tests={row.tests} />
          </Figure>
        )}
        {figures.map(([name = '', told]) => (
          <Figure key={name} name={name}>
            {told}
          </Figure>
        ))}
      </dl>
    </div>
  );
}

function Figure({
  name,
  used,
  limit,
  children,
}: {
  name: string;
  used?: number;
  limit?: number | undefined;
  children: ComponentChildren;
}) {
  return (
    <div class="figure">
      <dt>{name}</dt>
      <dd>
        {children}
        {used === undefined || limit === undefined || limit <= 0 ? null : (
          <Meter share={Math.max(0, Math.min(1, used / limit))} />
        )}
      </dd>
    </div>
  );
}

/** A bar; its meaning stands beside it in words. */
function Meter({ share }: { share: number }) {
  return (
    <svg
      class={share >= 0.9 ? 'meter full' : 'meter'}
      viewBox="0 0 100 4"
      preserveAspectRatio="none"
      aria-hidden="true"
      focusable="false"
    >
      <rect width="100" height="4" fill="currentColor" opacity="0.18" />
      <rect width={Math.round(share * 100)} height="4" fill="currentColor" />
    </svg>
  );
}

function Phases({ view }: { view: RunViewState }) {
  const { phases, standing, stories, place, end } = view;
  if (stories !== null) {
    const done = end?.outcome === 'completed' ? stories : (standing?.completed.length ?? 0);
    return (
      <p class="phases">
        {done} of {stories} stories done
        {place === null
          ? ''
          : ` · story ${place.number} of ${place.total}: ${visibleExcerpt(place.title, 120)}`}
      </p>
    );
  }
  if (phases.length === 0) return null;
  return (
    <ol class="phases" aria-label="Phases">
      {phases.map((name) => {
        const state = phaseState(view, name);
        return (
          <li key={name} class={`phase ${state}`} aria-current={state === 'now' ? 'step' : undefined}>
            <span aria-hidden="true">{MARKS[state]}</span> {visibleExcerpt(name, 32)}
            {state === 'now' || state === 'open' ? '' : <span class="hidden"> {state}</span>}
          </li>
        );
      })}
    </ol>
  );
}

const MARKS = { done: '✓', skipped: '–', now: '●', open: '○' } as const;

function phaseState({ standing, end }: RunViewState, name: string): keyof typeof MARKS {
  if (standing?.skipped.includes(name) === true) return 'skipped';
  if (end?.outcome === 'completed' || standing?.completed.includes(name) === true) return 'done';
  return standing?.phase === name ? 'now' : 'open';
}

/** What it is doing now and for how long, or how it ended. */
function Now({ view, row }: { view: RunViewState; row: Row | null }) {
  const { store } = usePage();
  const { end, action, iteration } = view;
  if (end !== null && row?.isRunning !== true)
    return (
      <p class="doing ended">
        <strong>{ENDS[end.outcome]}</strong>
        {end.reason === null ? '' : `: ${visibleExcerpt(end.reason, 300)}`}
      </p>
    );
  if (action === null || row?.isRunning !== true) return null;
  const age = durationOf(store.serverNow.value - action.sinceMs);
  return (
    <p class={action.isTrouble ? 'doing trouble' : 'doing'}>
      <span class="doing-label">Now</span>
      <span>{visibleExcerpt(action.words, 300)}</span>
      <span class="quiet-words">
        {age}
        {iteration === 0 ? '' : ` · iteration ${iteration}`}
      </span>
    </p>
  );
}

const ENDS = {
  completed: 'Completed',
  halted: 'Stopped by its breaker',
  limit: 'Stopped at a limit',
  'needs-person': 'Waiting for your answer',
  stopped: 'Stopped on request',
  interrupted: 'Interrupted',
  failed: 'Failed',
} as const;
