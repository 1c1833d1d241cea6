import { sparkline, visibleExcerpt } from '../../foundation/index.js';
import {
  dollarsOf,
  type RunViewState,
  roughDurationOf,
  roughNumberOf,
  workedMs,
} from '../../models/run-view/index.js';
import type { Standing, TestPoint } from '../../run/index.js';
import { costSourceOf } from '../../sessions/loop/index.js';
import { widthOf } from '../wrap.js';
import { gauge } from './bars.js';
import { type Cell, fitted, LABEL_COLUMNS, labelled, padded, type Row } from './cells.js';

const MAX_BAR = 12;
const MAX_CURVE = 24;
/** A bar shorter than this says nothing. */
const MIN_BAR = 3;
/** The share used up from which a limit is worth a colour. */
const NEAR = 0.8;
const GAP = 2;

type Field = (room: number) => Row;

/** The numbers of the run, in as many columns side by side as fit. */
export function gridRows(state: RunViewState, columns: number): Row[] {
  const across = columns >= 150 ? 4 : columns >= 110 ? 3 : 2;
  const width = Math.floor((columns + GAP) / across) - GAP;
  const fields = fieldsOf(state).map(([label, field]) =>
    fitted(labelled(label, ...field(width - LABEL_COLUMNS)), width),
  );
  const rows: Row[] = [];
  for (let at = 0; at < fields.length; at += across) {
    const cells = fields.slice(at, at + across);
    rows.push(
      cells.flatMap((cell, index) => (index === cells.length - 1 ? cell : padded(cell, width + GAP))),
    );
  }
  return rows;
}

function fieldsOf(state: RunViewState): [string, Field][] {
  const { standing, contextPercent } = state;
  const fields: [string, Field][] = [
    ['tests', testsField(state)],
    ['iteration', (room) => [{ text: iterationWords(state, room) }]],
    ['breaker', breakerField(standing)],
    ['context', (room) => contextCells(contextPercent, room)],
  ];
  if (standing === null) return fields;
  const { calls, usage, budget } = standing;
  fields.push([
    'calls',
    (room) => share(calls.made, calls.limit, `${calls.made} of ${calls.limit} an hour`, room),
  ]);
  const used = { ...usage, activeMs: usage.activeMs + workedMs(state) };
  for (const [label, key, words] of BUDGETS) {
    const limit = budget[key];
    if (limit === undefined) continue;
    const text = `${key === 'costUsd' ? costWords(used) : words(used[key])} of ${words(limit)}`;
    fields.push([label, (room) => share(used[key], limit, text, room)]);
  }
  return fields;
}

const BUDGETS = [
  ['iterations', 'iterations', (value: number) => `${value}`],
  ['time', 'activeMs', roughDurationOf],
  ['tokens', 'tokens', roughNumberOf],
  ['cost', 'costUsd', dollarsOf],
] as const;

/** The cost in words, marked unless the agent itself reported it. */
function costWords(usage: Standing['usage']): string {
  const source = costSourceOf(usage);
  if (source === 'unknown') return 'unknown';
  return `${source === 'priced' ? '≈ ' : ''}${dollarsOf(usage.costUsd)}`;
}

/** A bar and its words; yellow when it is nearly used up, red when it is. */
function share(used: number, limit: number, words: string, room: number): Row {
  const part = limit > 0 ? used / limit : 0;
  const color = part >= 1 ? 'red' : part >= NEAR ? 'yellow' : undefined;
  return [...bar(used, limit, room - widthOf(words) - 1, color ?? 'cyan'), { text: words, color }];
}

function bar(used: number, limit: number, room: number, color: Cell['color']): Row {
  const width = Math.min(MAX_BAR, room);
  return width < MIN_BAR ? [] : [{ text: `${gauge(used, limit, width)} `, color }];
}

function contextCells(percent: number | null, room: number): Row {
  if (percent === null) return [{ text: 'not known yet', look: 'dim' }];
  return share(percent, 100, `${percent} %`, room);
}

function testsField({ tests, verdict }: RunViewState): Field {
  if (verdict !== null) return () => [{ text: verdict, color: 'yellow' }];
  const last = tests.at(-1);
  if (last === undefined) return () => [{ text: 'not measured yet', look: 'dim' }];
  const words = last.total === 0 ? 'none' : `${last.passing} of ${last.total}`;
  const color =
    last.total > 0 && last.passing === last.total ? 'green' : last.total > 0 ? 'yellow' : undefined;
  return (room) => {
    const curve = sparkline(...curveOf(tests), Math.min(MAX_CURVE, room - words.length - 1));
    return curve.length < 2
      ? [{ text: words, color }]
      : [
          { text: `${curve} `, color },
          { text: words, color },
        ];
  };
}

function curveOf(tests: readonly TestPoint[]): [number[], number] {
  return [tests.map(({ passing }) => passing), Math.max(0, ...tests.map(({ total }) => total))];
}

function iterationWords({ iteration, standing, isIterating }: RunViewState, room: number): string {
  if (standing === null) return 'none yet';
  const now = isIterating ? iteration : standing.iteration;
  const name = visibleExcerpt(standing.story === null ? standing.phase : `story ${standing.story}`, 20);
  const { iterations } = standing.usage;
  if (now === 0 && iterations === 0) return 'none yet';
  const here = isIterating ? `${now} of ${name}` : `${now} done in ${name}`;
  const whole = `${here}, ${iterations + (isIterating ? 1 : 0)} in all`;
  return widthOf(whole) <= room ? whole : here;
}

function breakerField(standing: Standing | null): Field {
  if (standing === null) return () => [{ text: 'closed', look: 'dim' }];
  const { state, reason, noProgress, sameError } = standing.breaker;
  const counts = [
    ...(noProgress.count > 0 ? [{ what: 'no progress', ...noProgress }] : []),
    ...(sameError.count > 1 ? [{ what: 'same error', ...sameError }] : []),
  ];
  if (state === 'OPEN')
    return () => [
      {
        text: `open${reason === null ? '' : `: ${visibleExcerpt(reason, 200)}`}`,
        color: 'red',
        look: 'bold',
      },
    ];
  const color = state === 'HALF_OPEN' || counts.length > 0 ? 'yellow' : 'green';
  return (room) => [
    { text: breakerWords(state === 'HALF_OPEN' ? 'half open' : 'closed', counts, room), color },
  ];
}

interface BreakerCount {
  readonly what: string;
  readonly count: number;
  readonly limit: number;
}

/** As much as fits: in words, in figures, or at least the count nearest to its limit. */
function breakerWords(state: string, counts: readonly BreakerCount[], room: number): string {
  const inWords = counts.map(({ what, count, limit }) => `${what} ${count} of ${limit}`);
  const inFigures = counts.map(({ what, count, limit }) => `${what} ${count}/${limit}`);
  const left = ({ count, limit }: BreakerCount) => limit - count;
  const nearest = [...counts].sort((a, b) => left(a) - left(b)).slice(0, 1);
  const alone = nearest.map(({ what, count, limit }) => `${what} ${count}/${limit}`);
  const ways = [inWords, inFigures, alone].map((words) => [state, ...words].join(', '));
  return ways.find((words) => widthOf(words) <= room) ?? alone[0] ?? state;
}
