import { costWords, dollarsText } from '../../../foundation/text/dollars.js';
import type { RunReport } from '../../../run/index.js';
import { roughNumberOf } from '../../run-view/words.js';
import { line, numberOf, spanOf } from '../words.js';
import { type Chart, tableOf } from './chart.js';
import { type Drawing, type Point, rounded, type Shape, textWidth } from './shapes.js';
import { placeOn, type TimeScale, timeAxis } from './time-axis.js';

/** What had been used up by a given moment. */
export interface SpendPoint {
  readonly atMs: number;
  readonly value: number;
}

export interface Spending {
  readonly fromMs: number;
  readonly toMs: number;
  readonly points: readonly SpendPoint[];
  readonly limit: number | null;
  /** When nothing ran. */
  readonly pauses: readonly (readonly [fromMs: number, toMs: number])[];
  readonly words: (value: number) => string;
}

/** Cost over time against the budget, or tokens if the cost is unknown. Undefined if neither is known. */
export function costChart(report: RunReport): Chart | undefined {
  const { usage, budget } = report;
  const isMoney = usage.costSource !== 'unknown' && usage.costUsd > 0;
  if (!isMoney && usage.tokens === 0) return undefined;
  const words = isMoney ? dollarsText : (value: number) => `${roughNumberOf(value)} tokens`;
  const limit = (isMoney ? budget.costUsd : budget.tokens) ?? null;
  const steps = stepsOf(report, isMoney);
  if (steps.length === 0) return undefined;
  const spending = {
    fromMs: Date.parse(report.startedAt),
    toMs: Math.max(Date.parse(report.lastActivityAt), ...steps.map(({ atMs }) => atMs)),
    points: steps,
    limit,
    pauses: pausesOf(report),
    words,
  };
  const total = isMoney ? costWords(usage) : `${numberOf(usage.tokens)} tokens`;
  const against = limit === null ? 'There was no budget.' : `The budget was ${words(limit)}.`;
  return {
    name: 'cost',
    title: isMoney ? 'Cost over time' : 'Tokens over time (nobody knows the cost)',
    summary: `It used ${total} in ${spanOf(report.elapsedMs)}. ${against}`,
    legend: `Line: used so far.${limit === null ? '' : ' Dashed: the budget.'}${spending.pauses.length === 0 ? '' : ' Grey ground: no process ran it.'}`,
    draw: (width) => drawSpending(spending, width),
    table: tableOf(
      [
        { title: 'Iteration' },
        { title: 'Cost', kind: 'number' },
        { title: 'Tokens', kind: 'number' },
        { title: 'So far', kind: 'number' },
      ],
      rowsOf(report, isMoney, words),
    ),
  };
}

function amountOf(used: NonNullable<RunReport['iterations'][number]['used']>, isMoney: boolean): number {
  return isMoney ? used.costUsd : used.tokens;
}

function stepsOf({ iterations, phases, lastActivityAt }: RunReport, isMoney: boolean): SpendPoint[] {
  let value = 0;
  if (iterations.length > 0)
    return iterations.flatMap(({ used, endedAt }) => {
      if (used === null) return [];
      value += amountOf(used, isMoney);
      return [{ atMs: Date.parse(endedAt ?? lastActivityAt), value }];
    });
  // Without a journal, only the phases are known.
  return phases.map((phase) => {
    value += amountOf(phase, isMoney);
    return { atMs: Date.parse(phase.completedAt ?? lastActivityAt), value };
  });
}

/** The periods when no process ran the run. */
export function pausesOf({ processes }: Pick<RunReport, 'processes'>): (readonly [number, number])[] {
  return processes
    .slice(1)
    .map(({ startedAt }, index) => {
      const before = processes[index]?.lastSeenAt ?? startedAt;
      return [Date.parse(before), Date.parse(startedAt)] as const;
    })
    .filter(([from, to]) => to > from);
}

function rowsOf(
  { iterations, phases }: RunReport,
  isMoney: boolean,
  words: (value: number) => string,
): string[][] {
  let sum = 0;
  const row = (name: string, used: RunReport['iterations'][number]['used']) => {
    if (used === null) return [name, 'unknown', '', words(sum)];
    sum += amountOf(used, isMoney);
    return [name, costWords(used), numberOf(used.tokens), words(sum)];
  };
  if (iterations.length > 0)
    return iterations.map(({ phase, story, iteration, used }) =>
      row(`${line(story ?? phase, 40)} ${iteration}`, used),
    );
  return phases.map((phase) => row(line(phase.name, 40), phase));
}

const LEFT = 12;
const RIGHT = 12;
const TOP = 22;
const PLOT = 110;
const BOTTOM = 24;
/** A budget this many times larger than what was used would flatten the curve to a line. */
const FAR = 4;

export function drawSpending(
  { fromMs, toMs, points, limit, pauses, words }: Spending,
  width: number,
): Drawing {
  const base = TOP + PLOT;
  const used = points.at(-1)?.value ?? 0;
  const isNear = limit !== null && limit <= used * FAR;
  const top = Math.max(used, isNear ? limit : 0) * 1.08 || 1;
  const scale: TimeScale = { fromMs, toMs, left: LEFT, right: width - RIGHT };
  const heightAt = (value: number) => rounded(base - (value / top) * PLOT);
  const curve: Point[] = [[LEFT, base]];
  for (const { atMs, value } of points) {
    const x = placeOn(scale, atMs);
    curve.push([x, curve.at(-1)?.[1] ?? base], [x, heightAt(value)]);
  }
  const end: Point = [placeOn(scale, toMs), heightAt(used)];
  curve.push(end);
  const shapes: Shape[] = pauses.map(([from, to]) => {
    const x = placeOn(scale, from);
    const span = Math.max(1, rounded(placeOn(scale, to) - x));
    return { kind: 'rect', x, y: TOP, width: span, height: PLOT, look: 'band' };
  });
  if (limit !== null && isNear) {
    const y = heightAt(limit);
    shapes.push(
      { kind: 'line', from: [LEFT, y], to: [width - RIGHT, y], look: 'limit' },
      { kind: 'text', at: [LEFT + 2, rounded(y - 5)], text: `budget ${words(limit)}` },
    );
  }
  if (limit !== null && !isNear)
    shapes.push({
      kind: 'text',
      at: [LEFT + 2, TOP - 8],
      text: `budget ${words(limit)}, far above this chart`,
      look: 'soft',
    });
  shapes.push({ kind: 'curve', points: curve, look: 'curve' });
  shapes.push({
    kind: 'text',
    ...endLabel(end, words(used), isNear ? heightAt(limit) : null),
    look: 'strong',
  });
  return { width, height: base + BOTTOM, shapes: [...shapes, ...timeAxis(scale, base)] };
}

/** Above the end of the curve, or below it if the words would overlap the budget line. */
function endLabel(
  [x, y]: Point,
  text: string,
  limitY: number | null,
): { readonly at: Point; readonly text: string; readonly anchor: 'end' | 'start' } {
  const isInTheWay = limitY !== null && limitY < y && y - limitY < 18;
  const isAtStart = x - textWidth(text) < LEFT;
  return { at: [x, rounded(isInTheWay ? y + 15 : y - 6)], text, anchor: isAtStart ? 'start' : 'end' };
}
