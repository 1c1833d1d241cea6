import type { RunReport } from '../../../run/index.js';
import { line } from '../words.js';
import { type Chart, tableOf, WIDE } from './chart.js';
import { type Drawing, fitting, rounded, type Shape, textWidth } from './shapes.js';

/** The test results at one point of a run. */
export interface TestColumn {
  /** The phase or story. */
  readonly unit: string;
  readonly name: string;
  readonly passing: number;
  readonly total: number;
  /** Cut short, or lost: nothing was measured. */
  readonly isCut: boolean;
}

/** Tests over iterations; undefined if no test counts are known. */
export function testsChart(report: RunReport): Chart | undefined {
  const columns = columnsOf(report);
  const measured = columns.filter(({ isCut }) => !isCut);
  const [first, last] = [measured[0], measured.at(-1)];
  if (first === undefined || last === undefined) return undefined;
  const said = ({ passing, total }: TestColumn) => `${passing} of ${total}`;
  return {
    name: 'tests',
    title: 'Tests over iterations',
    summary: `At first ${said(first)} tests passed, at the end ${said(last)}.`,
    legend: 'Filled: pass. Outlined: fail. Cross: the iteration was cut short.',
    draw: (width) => drawTests(columns, width),
    table: tableOf(
      [
        { title: 'Iteration' },
        { title: 'Pass', kind: 'number' },
        { title: 'Fail', kind: 'number' },
        { title: 'Total', kind: 'number' },
      ],
      columns.map(({ name, passing, total, isCut }) =>
        isCut ? [name, 'cut short', '', ''] : [name, `${passing}`, `${total - passing}`, `${total}`],
      ),
    ),
  };
}

function columnsOf({ iterations, tests, testsBefore }: RunReport): TestColumn[] {
  const before =
    testsBefore === null ? [] : [{ unit: 'start', name: 'before the run', ...testsBefore, isCut: false }];
  if (iterations.length === 0)
    return [
      ...before,
      ...tests.map(({ phase, iteration, passing, total }) => {
        const unit = line(phase, 40);
        return { unit, name: `${unit} ${iteration}`, passing, total, isCut: false };
      }),
    ];
  const done = iterations.flatMap(({ phase, story, iteration, testsAfter, end }): TestColumn[] => {
    const unit = line(story ?? phase, 40);
    const name = `${unit} ${iteration}`;
    if (testsAfter !== null)
      return [{ unit, name, passing: testsAfter.passing, total: testsAfter.total, isCut: false }];
    return end === 'cut' || end === 'lost' ? [{ unit, name, passing: 0, total: 0, isCut: true }] : [];
  });
  return [...before, ...done];
}

const LEFT = 30;
const RIGHT = 6;
const TOP = 20;
const PLOT = 120;
const BOTTOM = 26;
const MAX_COLUMN = 30;
/** The width a column needs for its numbers. */
const NUMBERS = 32;

export function drawTests(columns: readonly TestColumn[], width: number): Drawing {
  const most = Math.max(1, ...columns.map(({ total }) => total));
  const step = (width - LEFT - RIGHT) / Math.max(1, columns.length);
  const base = TOP + PLOT;
  const heightOf = (count: number) => rounded((Math.max(0, count) / most) * PLOT);
  const shapes: Shape[] = [
    { kind: 'text', at: [LEFT - 6, TOP + 4], text: `${most}`, anchor: 'end', look: 'soft' },
    { kind: 'text', at: [LEFT - 6, base + 4], text: '0', anchor: 'end', look: 'soft' },
  ];
  const columnWidth = rounded(Math.min(MAX_COLUMN, Math.max(1, step * 0.66)));
  const isRoomy = step >= (width >= WIDE ? NUMBERS : NUMBERS - 4);
  const lastMeasured = columns.findLastIndex(({ isCut }) => !isCut);
  for (const [index, { passing, total, isCut, name }] of columns.entries()) {
    const middle = rounded(LEFT + (index + 0.5) * step);
    if (isCut) {
      shapes.push({ kind: 'sign', sign: 'cross', at: [middle, base - 8], title: `${name}: cut short` });
      continue;
    }
    const x = rounded(middle - columnWidth / 2);
    const title = `${name}: ${passing} of ${total} pass`;
    const [pass, fail] = [heightOf(passing), heightOf(total - passing)];
    if (fail > 0)
      shapes.push({
        kind: 'rect',
        x,
        y: rounded(base - pass - fail),
        width: columnWidth,
        height: fail,
        look: 'hollow',
        title,
      });
    if (pass > 0)
      shapes.push({
        kind: 'rect',
        x,
        y: rounded(base - pass),
        width: columnWidth,
        height: pass,
        look: 'solid',
        title,
      });
    if (isRoomy || index === lastMeasured)
      shapes.push({
        kind: 'text',
        at: [middle, rounded(base - heightOf(total) - 6)],
        text: `${passing}/${total}`,
        anchor: 'middle',
        ...(index === lastMeasured ? { look: 'strong' } : {}),
      });
  }
  shapes.push({ kind: 'line', from: [LEFT, base], to: [width - RIGHT, base], look: 'axis' });
  const { labels, rows } = unitLabels(columns, { step, base, width });
  return { width, height: base + BOTTOM + (rows - 1) * LABEL_ROW, shapes: [...shapes, ...labels] };
}

const LABEL_ROW = 12;
const LABEL_ROWS = 3;

/** Phase names below their columns, once per phase; a name wider than its columns moves to a row below its neighbours. */
function unitLabels(
  columns: readonly TestColumn[],
  { step, base, width }: { readonly step: number; readonly base: number; readonly width: number },
): { readonly labels: Shape[]; readonly rows: number } {
  const labels: Shape[] = [];
  /** How far each row is already filled. */
  const taken: number[] = [];
  let start = 0;
  for (let end = 1; end <= columns.length; end += 1) {
    const unit = columns[start]?.unit ?? '';
    if (columns[end]?.unit === unit) continue;
    const [from, to] = [rounded(LEFT + start * step), rounded(LEFT + end * step)];
    if (start > 0) labels.push({ kind: 'line', from: [from, base], to: [from, base + 16], look: 'axis' });
    start = end;
    const long = textWidth(unit);
    const isInside = long <= to - from - 2;
    const left = isInside ? rounded((from + to - long) / 2) : Math.max(0, Math.min(from + 2, width - long));
    const free = Array.from({ length: LABEL_ROWS }, (_, row) => row).find((row) => (taken[row] ?? 0) <= left);
    const text = free === undefined ? fitting(unit, to - from - 2) : unit;
    if (text === '') continue;
    const row = free ?? 0;
    taken[row] = left + long + 4;
    const y = base + 16 + row * LABEL_ROW;
    const middle = rounded((from + to) / 2);
    if (isInside || free === undefined)
      labels.push({ kind: 'text', at: [middle, y], text, anchor: 'middle', look: 'soft' });
    else labels.push({ kind: 'text', at: [left, y], text, anchor: 'start', look: 'soft' });
  }
  return { labels, rows: Math.max(1, taken.length) };
}
