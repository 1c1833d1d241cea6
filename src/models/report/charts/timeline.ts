import type { RunReport } from '../../../run/index.js';
import { line, momentOf, spanOf, timeOf } from '../words.js';
import { type Chart, tableOf, WIDE } from './chart.js';
import { pausesOf } from './cost.js';
import { type Drawing, fitting, rounded, type Shape, type Sign, textWidth } from './shapes.js';
import { placeOn, type TimeScale, timeAxis } from './time-axis.js';

/** A stretch of a lane. */
export interface Bar {
  readonly fromMs: number;
  readonly toMs: number;
  readonly look: 'solid' | 'hollow' | 'waiting';
  readonly label: string;
  readonly title: string;
}

export interface Lane {
  readonly name: string;
  readonly bars: readonly Bar[];
}

export interface Moment {
  readonly atMs: number;
  readonly sign: Sign;
  readonly title: string;
}

export interface Timeline {
  readonly fromMs: number;
  readonly toMs: number;
  readonly lanes: readonly Lane[];
  readonly moments: readonly Moment[];
  readonly pauses: readonly (readonly [fromMs: number, toMs: number])[];
}

/** Phases over time, with what the run waited for; undefined if no times are known. */
export function timelineChart(report: RunReport): Chart | undefined {
  const timeline = timelineOf(report);
  if (timeline.lanes.length === 0 || !(timeline.toMs > timeline.fromMs)) return undefined;
  const { usage, waitedMs, notRunningMs, elapsedMs } = report;
  return {
    name: 'timeline',
    title: 'Phases and waiting',
    summary: `${spanOf(elapsedMs)} in all: ${spanOf(usage.activeMs)} of work, ${spanOf(waitedMs)} of waiting${notRunningMs > 0 ? `, ${spanOf(notRunningMs)} without a process` : ''}.`,
    legend:
      'Filled: an iteration. Outlined: one that was cut short. Dashed: waiting. Circle: question. Square: permission. Diamond: the breaker opened. Cross: the process ended without a word. Triangle: resumed.',
    draw: (width) => drawTimeline(timeline, width),
    table: tableOf(
      [{ title: 'What' }, { title: 'From' }, { title: 'For', kind: 'number' }, { title: 'Note' }],
      tableRows(timeline),
    ),
  };
}

const MAX_LANES = 14;

function timelineOf(report: RunReport): Timeline {
  const { iterations, phases, lastActivityAt, startedAt, waits } = report;
  const lanes =
    iterations.length > 0 ? lanesOf(report) : phases.map((phase) => laneOfPhase(phase, lastActivityAt));
  const waiting = waitBars(report);
  const all = [
    ...lanes.slice(0, MAX_LANES),
    ...(waiting.length === 0 ? [] : [{ name: 'waiting', bars: waiting }]),
  ];
  const ends = [
    ...all.flatMap(({ bars }) => bars.map(({ toMs }) => toMs)),
    ...waits.map(({ to }) => Date.parse(to)),
  ];
  return {
    fromMs: Date.parse(startedAt),
    toMs: Math.max(Date.parse(lastActivityAt), ...ends),
    lanes: all,
    moments: momentsOf(report),
    pauses: pausesOf(report),
  };
}

function lanesOf({ iterations, lastActivityAt }: RunReport): Lane[] {
  const units = [...new Set(iterations.map(({ phase, story }) => story ?? phase))];
  return units.map((unit) => ({
    name: line(unit, 40),
    bars: iterations
      .filter(({ phase, story }) => (story ?? phase) === unit)
      .map(({ startedAt, endedAt, end, iteration, verdict, durationMs }) => ({
        fromMs: Date.parse(startedAt),
        toMs: Date.parse(endedAt ?? lastActivityAt),
        look: end === 'complete' || end === 'open' ? ('solid' as const) : ('hollow' as const),
        label: `${iteration}`,
        title: `${line(unit, 40)} ${iteration}, ${spanOf(durationMs)}: ${line(verdict, 120)}`,
      })),
  }));
}

function laneOfPhase(phase: RunReport['phases'][number], lastActivityAt: string): Lane {
  const { name, startedAt, completedAt, iterations } = phase;
  const bar = {
    fromMs: Date.parse(startedAt),
    toMs: Date.parse(completedAt ?? lastActivityAt),
    look: 'solid' as const,
    label: `${iterations}`,
    title: `${line(name, 40)}: ${iterations}`,
  };
  return { name: line(name, 40), bars: [bar] };
}

function waitBars({ waits, questions }: RunReport): Bar[] {
  const limits = waits
    .filter(({ cause }) => cause !== 'question')
    .map(({ from, to, reason }) => ({ from, to, label: '', title: `waited: ${line(reason, 120)}` }));
  const answers = questions
    .filter(({ answeredAt }) => answeredAt !== null)
    .map(({ askedAt, answeredAt, title, answeredBy }) => ({
      from: askedAt,
      to: answeredAt ?? askedAt,
      label: '',
      title: `waited for an answer: ${line(title, 60)}${answeredBy === null ? '' : `, given by ${line(answeredBy, 40)}`}`,
    }));
  return [...limits, ...answers].map(({ from, to, ...words }) => ({
    ...words,
    fromMs: Date.parse(from),
    toMs: Date.parse(to),
    look: 'waiting' as const,
  }));
}

function momentsOf({ questions, openings, processes, isRunning }: RunReport): Moment[] {
  const lost = processes.filter(
    ({ end }, index) => end === null && !(isRunning && index === processes.length - 1),
  );
  return [
    ...questions.map(({ askedAt, title, isPermission }): Moment => {
      const sign = isPermission ? 'square' : 'circle';
      return { atMs: Date.parse(askedAt), sign, title: `asked: ${line(title, 80)}` };
    }),
    ...openings.map(({ at, reason }): Moment => {
      return {
        atMs: Date.parse(at),
        sign: 'diamond',
        title: `the breaker opened: ${line(reason ?? '', 120)}`,
      };
    }),
    ...lost.map(({ lastSeenAt }): Moment => {
      return { atMs: Date.parse(lastSeenAt), sign: 'cross', title: 'its process ended without a word' };
    }),
    ...processes.slice(1).map(({ startedAt, actor }): Moment => {
      return {
        atMs: Date.parse(startedAt),
        sign: 'play',
        title: `resumed${actor === null ? '' : ` by ${line(actor, 40)}`}`,
      };
    }),
  ].sort((a, b) => a.atMs - b.atMs);
}

const TOP = 6;
const LANE = 24;
const BAR = 15;
const BOTTOM = 24;

export function drawTimeline({ fromMs, toMs, lanes, moments, pauses }: Timeline, width: number): Drawing {
  const left = roomForNames(lanes, width);
  const scale: TimeScale = { fromMs, toMs, left, right: width - 12 };
  const rows = lanes.length + (moments.length > 0 ? 1 : 0);
  const base = TOP + rows * LANE + 4;
  const shapes: Shape[] = pauses.map(([from, to]) => {
    const x = placeOn(scale, from);
    const span = Math.max(1, rounded(placeOn(scale, to) - x));
    return {
      kind: 'rect',
      x,
      y: TOP,
      width: span,
      height: base - TOP,
      look: 'band',
      title: `no process ran it for ${spanOf(to - from)}`,
    };
  });
  for (const [index, { name, bars }] of lanes.entries()) {
    const y = TOP + index * LANE;
    shapes.push({ kind: 'text', at: [left - 8, y + 15], text: fitting(name, left - 8), anchor: 'end' });
    for (const bar of bars) shapes.push(...barShapes(scale, bar, y + (LANE - BAR) / 2));
  }
  if (moments.length > 0) {
    const y = TOP + lanes.length * LANE + LANE / 2;
    shapes.push({ kind: 'text', at: [left - 8, y + 4], text: 'events', anchor: 'end', look: 'soft' });
    for (const { atMs, sign, title } of moments)
      shapes.push({ kind: 'sign', sign, at: [placeOn(scale, atMs), y], title });
  }
  return { width, height: base + BOTTOM, shapes: [...shapes, ...timeAxis(scale, base)] };
}

/** The width of the longest name, limited so that the bars keep enough room. */
function roomForNames(lanes: readonly Lane[], width: number): number {
  const longest = Math.max(...lanes.map(({ name }) => textWidth(name)));
  const [least, most] = width >= WIDE ? [104, 180] : [80, 120];
  return Math.round(Math.min(most, Math.max(least, longest + 12)));
}

function barShapes(scale: TimeScale, { fromMs, toMs, look, label, title }: Bar, y: number): Shape[] {
  const x = placeOn(scale, fromMs);
  const width = Math.max(2, rounded(placeOn(scale, toMs) - x - 1));
  const shapes: Shape[] = [{ kind: 'rect', x, y, width, height: BAR, look, title }];
  if (label !== '' && width >= textWidth(label) + 4)
    shapes.push({
      kind: 'text',
      at: [rounded(x + width / 2), y + 11.5],
      text: label,
      anchor: 'middle',
      ...(look === 'solid' ? { look: 'inside' as const } : {}),
    });
  return shapes;
}

function tableRows({ lanes, moments }: Timeline): string[][] {
  const rows = [
    ...lanes.flatMap(({ name, bars }) =>
      bars.map(({ fromMs, toMs, label, title }) => ({
        atMs: fromMs,
        cells: [label === '' ? name : `${name} ${label}`, at(fromMs), spanOf(toMs - fromMs), title],
      })),
    ),
    ...moments.map(({ atMs, title }) => ({ atMs, cells: ['event', at(atMs), '', title] })),
  ];
  return rows.sort((a, b) => a.atMs - b.atMs).map(({ cells }) => cells);
}

function at(ms: number): string {
  return Number.isFinite(ms) ? timeOf(new Date(ms).toISOString()) : momentOf(null);
}
