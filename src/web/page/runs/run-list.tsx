import { useComputed, useSignal } from '@preact/signals';
import { countsOf, matching, SECTIONS } from '../../../models/top/index.js';
import { Loading } from '../frame/loading.js';
import { usePage } from '../page-context.js';
import { RunRow } from './run-row.js';

/** From this many rows on, those off the screen are not drawn. */
const MANY = 50;

/** Everything that is running, waiting or ended, in every project; what is waiting comes first. */
export function RunList() {
  const { store } = usePage();
  const filter = useSignal('');
  const shown = useComputed(() => matching(store.rows.value, filter.value));
  if (store.state.value.seq === -1) return <Loading title="Runs" />;
  const sections = SECTIONS.map(({ title, groups }) => ({
    title,
    rows: shown.value.filter(({ group }) => groups.includes(group)),
  }));
  return (
    <section class="runs">
      <header class="runs-head">
        <h1>Runs</h1>
        <p class="hint">{countsOf(store.rows.value)}</p>
        <label class="filter">
          <span class="hidden">Filter by project, plan, agent or state</span>
          <input
            type="search"
            placeholder="Filter"
            data-key="filter"
            value={filter}
            onInput={(event) => {
              filter.value = event.currentTarget.value;
            }}
          />
        </label>
      </header>
      {store.rows.value.length === 0 ? (
        <div class="empty">
          <p class="empty-title">No runs yet.</p>
          <p>
            <code>holdfast run plan.md</code> starts one in a project.
          </p>
        </div>
      ) : shown.value.length === 0 ? (
        <p class="empty">Nothing matches “{filter.value}”.</p>
      ) : null}
      {sections.map(({ title, rows }) =>
        rows.length === 0 ? null : (
          <section key={title} aria-label={title}>
            <h2 class="section-title">
              {title} <span class="count">{rows.length}</span>
            </h2>
            <ul class={rows.length > MANY ? 'rows many' : 'rows'}>
              {rows.map((row) => (
                <li key={row.key}>
                  <RunRow row={row} />
                </li>
              ))}
            </ul>
          </section>
        ),
      )}
    </section>
  );
}
