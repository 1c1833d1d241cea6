import { sparkline } from '../../foundation/index.js';
import { type RowWords, SECTIONS, type TopState, wordsOf } from '../../models/top/index.js';
import type { OverviewRow } from '../../overview/index.js';
import { padTo, widthOf } from '../wrap.js';

/** A line of the list: a row, or the heading above some rows. */
export type TopLine =
  | { readonly row: OverviewRow; readonly title?: undefined }
  | { readonly title: string; readonly row?: undefined };

/** All lines of the list, in order; nothing is put into words yet. */
export function linesOf({ shown }: TopState): TopLine[] {
  return SECTIONS.flatMap(({ title, groups }) => {
    const rows = shown.filter(({ group }) => groups.includes(group));
    return rows.length === 0 ? [] : [{ title }, ...rows.map((row) => ({ row }))];
  });
}

/** The lines that are on screen, around the selected row. */
export function windowOf(lines: readonly TopLine[], selectedKey: string | null, room: number): TopLine[] {
  const at = lines.findIndex(({ row }) => row !== undefined && row.key === selectedKey);
  const from = Math.max(0, Math.min(at - Math.floor(room / 2), lines.length - room));
  return lines.slice(from, from + room);
}

/** Which rows these are, as `1–20 of 40`; empty if all of them are on screen. */
export function rangeOf(lines: readonly TopLine[], shown: readonly OverviewRow[]): string {
  const rows = lines.flatMap(({ row }) => (row === undefined ? [] : [row]));
  const [first] = rows;
  if (first === undefined || rows.length === shown.length) return '';
  const start = shown.findIndex(({ key }) => key === first.key) + 1;
  return `${start}–${start + rows.length - 1} of ${shown.length}`;
}

/** From this width on, every column has room. */
const FULL_COLUMNS = 70;

interface Widths {
  readonly project: number;
  readonly plan: number;
  readonly agent: number;
  readonly phase: number;
  readonly spark: number;
  readonly tests: number;
  readonly cost: number;
  readonly age: number;
}

/** With several machines, a place takes two words. */
function widthsFor(columns: number, { rows }: Pick<TopState, 'rows'>): Widths {
  const width = usualWidths(columns);
  const hasOthers = rows.some(({ machine }) => machine !== undefined);
  return hasOthers ? { ...width, project: width.project + 8 } : width;
}

function usualWidths(columns: number): Widths {
  const isWide = columns >= 110;
  return isWide
    ? { project: 16, plan: 18, agent: 10, phase: 12, spark: 8, tests: 14, cost: 7, age: 5 }
    : { project: 10, plan: 12, agent: 7, phase: 8, spark: 6, tests: 6, cost: 6, age: 4 };
}

/** The headings of the columns; empty if there are too few columns. */
export function headerOf(columns: number, state: Pick<TopState, 'rows'>): string {
  if (columns < FULL_COLUMNS) return '';
  const width = widthsFor(columns, state);
  return columnsOf(['project', 'plan', 'agent', 'phase', 'tests', 'cost', 'age', 'why'], width, columns);
}

/** A row, in this many columns. */
export function rowText(row: OverviewRow, state: TopState, columns: number): string {
  const mark = row.key === state.selectedKey ? '› ' : '  ';
  const words = wordsOf(row, state.labels, new Date(state.nowMs));
  if (columns < FULL_COLUMNS) {
    const about = words.why === '' ? `${words.plan} ${row.phase === null ? '' : words.phase}` : words.why;
    return padTo(`${mark}${padTo(words.age, 5)}${padTo(placeOf(words), 10)} ${about}`, columns);
  }
  const width = widthsFor(columns, state);
  const { plan, agent, phase, cost, age, why } = words;
  return `${mark}${columnsOf([placeOf(words), plan, agent, phase, testsOf(row, width), cost, age, why], width, columns).slice(2)}`;
}

/** The project, after the machine's name if it is on another machine. */
function placeOf({ machine, project }: RowWords): string {
  return machine === '' ? project : `${machine}:${project}`;
}

function columnsOf(cells: readonly string[], width: Widths, columns: number): string {
  const widths = [width.project, width.plan, width.agent, width.phase, width.tests, width.cost, width.age];
  const padded = cells.map((cell, index) => padTo(cell, widths[index] ?? widthOf(cell)));
  return padTo(`  ${padded.join(' ')}`, columns);
}

/** A curve, and the last numbers if there is room. */
function testsOf({ tests }: OverviewRow, { spark, tests: room }: Widths): string {
  const last = tests.at(-1);
  if (last === undefined) return '-';
  const top = Math.max(...tests.map(({ total }) => total));
  const passing = tests.map((point) => point.passing);
  const curve = sparkline(passing, top, spark);
  const numbers = `${curve} ${last.passing}/${last.total}`;
  return numbers.length <= room ? numbers : curve;
}
