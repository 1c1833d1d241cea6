import { sparkline, visibleExcerpt } from '../../foundation/index.js';
import { countsOf, inOrder, labelsOf, SECTIONS, wordsOf } from '../../models/top/index.js';
import type { OverviewRow } from '../../overview/index.js';
import type { Style } from '../terminal.js';
import { renderTable } from './table.js';

const HEADER = ['PROJECT', 'PLAN', 'AGENT', 'PHASE', 'TESTS', 'COST', 'AGE', 'ID', 'WHY'];
const SPARK_COLUMNS = 8;
const WHY_COLUMNS = 80;

/** The overview as plain text: a table with a line above each part. */
export function renderOverview(rows: readonly OverviewRow[], now: Date, style: Style): string {
  if (rows.length === 0) return 'Nothing is running, nothing is waiting, and nothing ended today.';
  const ordered = inOrder(rows);
  const labels = labelsOf(ordered);
  const hasOthers = ordered.some(({ machine }) => machine !== undefined);
  const [header = '', ...lines] = renderTable(
    hasOthers ? ['MACHINE', ...HEADER] : HEADER,
    ordered.map((row) => [...(hasOthers ? [machineOf(row)] : []), ...cellsOf(row, labels, now)]),
  ).split('\n');
  const parts = SECTIONS.flatMap(({ title, groups }) => {
    const own = lines.filter((_, index) => groups.includes(ordered[index]?.group ?? 'ended'));
    return own.length === 0 ? [] : ['', style.bold(title), ...own];
  });
  return [`${countsOf(rows)}`, '', style.bold(header), ...parts.slice(1)].join('\n');
}

function machineOf({ machine }: OverviewRow): string {
  return visibleExcerpt(machine ?? 'here', 20);
}

function cellsOf(row: OverviewRow, labels: ReadonlyMap<string, string>, now: Date): string[] {
  const { project, plan, agent, phase, cost, age, why } = wordsOf(row, labels, now);
  const short = row.id.slice(0, /^[0-9a-f]{8}-/.test(row.id) ? 8 : 32);
  return [project, plan, agent, phase, testsOf(row), cost, age, short, cut(why, WHY_COLUMNS)];
}

function testsOf({ tests }: OverviewRow): string {
  const last = tests.at(-1);
  if (last === undefined) return '-';
  const top = Math.max(...tests.map(({ total }) => total));
  return `${sparkline(
    tests.map(({ passing }) => passing),
    top,
    SPARK_COLUMNS,
  )} ${last.passing}/${last.total}`;
}

function cut(text: string, columns: number): string {
  return text.length <= columns ? text : `${text.slice(0, columns - 1)}…`;
}
