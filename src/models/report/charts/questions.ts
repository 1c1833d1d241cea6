import { counted } from '../../../foundation/text/counted.js';
import type { RunReport } from '../../../run/index.js';
import { line, momentOf, placeOf, shortPlaceOf, spanOf } from '../words.js';
import { type Chart, tableOf, WIDE } from './chart.js';
import { type Drawing, fitting, rounded, type Shape, type Sign, textWidth } from './shapes.js';

/** A question, and how long its answer took. */
export interface Waited {
  readonly name: string;
  readonly sign: Sign;
  /** Null while there is no answer. */
  readonly waitedMs: number | null;
  readonly by: string;
}

/** Who answered what, and after how long; undefined if nothing was asked. */
export function questionsChart(report: RunReport): Chart | undefined {
  const waited = report.questions.map(waitedOf);
  if (waited.length === 0) return undefined;
  const answerers = [...new Set(report.questions.flatMap(({ answeredBy }) => answeredBy ?? []))];
  const by = answerers.length === 0 ? '' : ` ${answerers.map((one) => placeOf(one)).join(', ')}`;
  const answered = waited.filter(({ waitedMs }) => waitedMs !== null).length;
  return {
    name: 'questions',
    title: 'Questions and who answered',
    summary: `${counted(waited.length, 'question')}, ${answered} settled${by}.`,
    legend:
      'Circle: asked by the agent. Square: a permission. Diamond: asked by the run itself. Bar: how long the answer took.',
    draw: (width) => drawQuestions(waited, width),
    table: tableOf(
      [
        { title: 'Asked' },
        { title: 'Question' },
        { title: 'Outcome' },
        { title: 'Where' },
        { title: 'After', kind: 'number' },
      ],
      report.questions.map((one, index) => [
        momentOf(one.askedAt),
        line(one.title, 80),
        one.status,
        waited[index]?.by ?? '',
        waited[index]?.waitedMs == null ? '' : spanOf(waited[index].waitedMs),
      ]),
    ),
  };
}

function waitedOf({
  title,
  isPermission,
  from,
  askedAt,
  answeredAt,
  answeredBy,
  status,
}: RunReport['questions'][number]): Waited {
  const ms = answeredAt === null ? null : Math.max(0, Date.parse(answeredAt) - Date.parse(askedAt));
  return {
    name: line(title, 60),
    sign: isPermission ? 'square' : from === 'run' ? 'diamond' : 'circle',
    waitedMs: Number.isFinite(ms) ? ms : null,
    by: answeredBy === null ? (status === 'completed' ? 'unknown' : status) : shortPlaceOf(answeredBy),
  };
}

const MAX_ROWS = 24;
const TOP = 4;
const ROW = 24;
const BAR = 11;

export function drawQuestions(all: readonly Waited[], width: number): Drawing {
  const shown = all.slice(0, MAX_ROWS);
  const left = width >= WIDE ? 180 : 104;
  const words = shown.map(({ waitedMs, by }) => (waitedMs === null ? by : `${spanOf(waitedMs)}, ${by}`));
  const room = Math.max(...words.map(textWidth), 0) + 10;
  const right = Math.max(left + 40, width - Math.min(room, width * 0.4));
  const longest = Math.max(1, ...shown.map(({ waitedMs }) => waitedMs ?? 0));
  const shapes: Shape[] = [];
  for (const [index, { name, sign, waitedMs }] of shown.entries()) {
    const y = TOP + index * ROW;
    const middle = y + ROW / 2;
    shapes.push(
      { kind: 'text', at: [0, middle + 4], text: fitting(name, left - 24) },
      { kind: 'sign', sign, at: [left - 10, middle] },
    );
    const end =
      waitedMs === null ? right : rounded(left + Math.max(2, (waitedMs / longest) * (right - left)));
    if (waitedMs === null)
      shapes.push(
        { kind: 'line', from: [left, middle], to: [end - 6, middle], look: 'limit' },
        { kind: 'sign', sign: 'arrow', at: [end - 8, middle] },
      );
    else
      shapes.push({
        kind: 'rect',
        x: left,
        y: middle - BAR / 2,
        width: rounded(end - left),
        height: BAR,
        look: 'waiting',
      });
    shapes.push({
      kind: 'text',
      at: [rounded(end + 6), middle + 4],
      text: fitting(words[index] ?? '', width - end - 6),
    });
  }
  const leftOut = all.length - shown.length;
  if (leftOut > 0)
    shapes.push({
      kind: 'text',
      at: [0, TOP + shown.length * ROW + 14],
      text: `and ${leftOut} more, in the table`,
      look: 'soft',
    });
  return { width, height: TOP + shown.length * ROW + (leftOut > 0 ? 24 : 4), shapes };
}
