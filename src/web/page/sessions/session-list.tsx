import { useSignal } from '@preact/signals';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { grouped } from '../../../foundation/text/counted.js';
import { visibleExcerpt } from '../../../foundation/text/visible-text.js';
import type { BrowsedSession, BrowsedSessions } from '../../contract/sessions.js';
import { Loading } from '../frame/loading.js';
import { Sheet } from '../frame/sheet.js';
import { usePage } from '../page-context.js';
import { Browsing, FILTERS } from './browsing.js';
import { SessionActions } from './session-actions.js';
import { SessionRow } from './session-row.js';

const ALL = {
  kind: 'Every kind',
  project: 'Every project',
  agent: 'Every agent',
  status: 'Every status',
} as const;

/** Every session of every kind and project, most recently active first. */
export function SessionList() {
  const { store } = usePage();
  const browsing = useMemo(() => new Browsing(store), [store]);
  const asked = useSignal<BrowsedSession | null>(null);
  const isReady = store.state.value.seq !== -1;
  useEffect(() => {
    if (isReady) void browsing.read();
  }, [browsing, isReady]);
  const found = browsing.found.value;
  const rows = browsing.rows.value;
  if (!isReady || (found === null && browsing.fault.value === null)) return <Loading title="Sessions" />;
  const isFiltered = Object.keys(browsing.filter.value).length > 0;
  return (
    <section class="runs sessions">
      <header class="runs-head">
        <h1>Sessions</h1>
        <p class="hint" role="status">
          {found === null ? '' : countWords(found, isFiltered)}
        </p>
        <Filters browsing={browsing} />
      </header>
      {browsing.fault.value === null ? null : <p class="note bad">{browsing.fault.value}</p>}
      {rows.length > 0 || found === null ? null : (
        <div class="empty">
          <p class="empty-title">{isFiltered ? 'No session matches.' : 'No sessions yet.'}</p>
          {isFiltered ? (
            <button type="button" onClick={() => browsing.showAll()}>
              Show all
            </button>
          ) : null}
        </div>
      )}
      <ul class="rows many">
        {rows.map((session) => (
          <li key={`${session.kind} ${session.id} ${session.project}`}>
            <SessionRow
              session={session}
              onAsk={() => {
                asked.value = session;
              }}
            />
          </li>
        ))}
      </ul>
      {(found?.next ?? null) === null ? null : <More browsing={browsing} />}
      {asked.value === null ? null : (
        <AskedSheet
          session={asked.value}
          onChanged={() => void browsing.read()}
          onClose={() => {
            asked.value = null;
          }}
        />
      )}
    </section>
  );
}

function Filters({ browsing }: { browsing: Browsing }) {
  const filter = browsing.filter.value;
  return (
    <>
      <label class="filter">
        <span class="hidden">Filter by any word: project, agent, id, status</span>
        <input
          type="search"
          placeholder="Filter"
          data-key="filter"
          maxLength={200}
          value={filter.text ?? ''}
          onInput={(event) => browsing.set('text', event.currentTarget.value)}
        />
      </label>
      <div class="facets">
        {FILTERS.map((name) => (
          <label key={name}>
            <span class="hidden">{ALL[name]}</span>
            <select
              value={filter[name] ?? ''}
              onChange={(event) => browsing.set(name, event.currentTarget.value)}
            >
              <option value="">{ALL[name]}</option>
              {options(browsing.found.value, name, filter[name]).map(({ value, count }) => (
                <option key={value} value={value}>
                  {name === 'project' ? projectWords(value) : visibleExcerpt(value, 60)} ({count})
                </option>
              ))}
            </select>
          </label>
        ))}
      </div>
    </>
  );
}

/** Reads the next part before the person reaches the end, or when pressed. */
function More({ browsing }: { browsing: Browsing }) {
  const end = useRef<HTMLDivElement>(null);
  const { next } = browsing.found.value ?? {};
  useEffect(() => {
    // Recreated with each page, so that an end still in view counts again.
    if (end.current === null || next === undefined) return;
    const observer = new IntersectionObserver(
      ([seen]) => {
        if (seen?.isIntersecting === true) browsing.more();
      },
      { rootMargin: '600px' },
    );
    observer.observe(end.current);
    return () => observer.disconnect();
  }, [browsing, next]);
  return (
    <div ref={end}>
      <button type="button" disabled={browsing.isReading.value} onClick={browsing.more}>
        {browsing.isReading.value ? 'Reading …' : 'More'}
      </button>
    </div>
  );
}

function AskedSheet({
  session: { kind, id },
  onChanged,
  onClose,
}: {
  session: BrowsedSession;
  onChanged: () => void;
  onClose: () => void;
}) {
  return (
    <Sheet title={`${kind} ${visibleExcerpt(id, 40)}`} onClose={onClose}>
      <SessionActions kind={kind} id={id} onChanged={onChanged} />
      <div class="actions">
        <button type="button" class="quiet" onClick={onClose}>
          Close
        </button>
      </div>
    </Sheet>
  );
}

function countWords({ total, fitting }: BrowsedSessions, isFiltered: boolean): string {
  const all = grouped(total);
  return isFiltered ? `${grouped(fitting)} of ${all}` : `${all} of every kind and project`;
}

/** The chosen value is listed even if nothing matches it any more. */
function options(
  found: BrowsedSessions | null,
  name: (typeof FILTERS)[number],
  chosen: string | undefined,
): BrowsedSessions['facets']['kind'] {
  const values = found?.facets[name] ?? [];
  if (chosen === undefined || values.some(({ value }) => value === chosen)) return values;
  return [{ value: chosen, count: 0 }, ...values];
}

function projectWords(path: string): string {
  const [parent, name] = path.split('/').slice(-2);
  return visibleExcerpt(name === undefined || parent === '' ? path : `${parent}/${name}`, 60);
}
