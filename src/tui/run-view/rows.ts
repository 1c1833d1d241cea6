import { visibleExcerpt } from '../../foundation/index.js';
import { durationOf, isPaused, type RunViewState } from '../../models/run-view/index.js';
import { causeOfWait, countdown, describeMissing, describeWait, untilOf } from '../../sessions/loop/index.js';
import { firstWords } from '../first-words.js';
import { fittingKeys } from '../fitting-keys.js';
import { layOutEditor } from '../text-editor.js';
import type { Size } from '../use-size.js';
import { truncate, wrapSpans } from '../wrap.js';
import { gauge } from './bars.js';
import { type Cell, editorCells, fitted, LABEL_COLUMNS, labelled, type Row, widthOfRow } from './cells.js';
import { gridRows } from './grid.js';
import { lastLines } from './last-lines.js';
import type { TerminalRun } from './terminal-state.js';

const MAX_SAID_ROWS = 4;
const MAX_EDITOR_ROWS = 3;
const MAX_QUESTION_ROWS = 2;
const MIN_LIVE_ROWS = 11;

/** How many rows the live part may take: never the whole screen, and only a small part of a tall one. */
export function maxLiveRows(rows: number): number {
  return Math.max(1, Math.min(rows - 1, Math.max(MIN_LIVE_ROWS, Math.floor((rows * 2) / 3))));
}

/** The live part as rows, none wider than the screen. If there is no room for all, what matters least is left out. */
export function liveRows(state: TerminalRun, size: Size): Row[] {
  const { columns } = size;
  const room = maxLiveRows(size.rows);
  const above = [headRow(state, columns), phaseRow(state), ...gateRows(state)];
  const below = [
    ...nowRows(state),
    ...waitRows(state),
    ...questionRows(state, columns),
    ...keyRows(state, columns),
  ];
  const grid = gridRows(state, columns);
  const help = state.isHelpShown ? helpRows(columns, state.isAttached) : [];
  const must = above.length + below.length + help.length;
  const shownGrid = grid.slice(0, Math.max(0, room - must));
  const saidRoom = Math.min(MAX_SAID_ROWS, room - must - shownGrid.length);
  const middle = help.length > 0 ? help : saidRows(state, columns, saidRoom);
  const [now = [], ...rest] = below;
  const all = [...above, ...shownGrid, now, ...middle, ...rest];
  // The keys are always shown, whatever else has no room.
  const fitting = all.length <= room ? all : [...all.slice(0, room - 1), all.at(-1) ?? []];
  return fitting.map((row) => fitted(row, columns));
}

function headRow(state: RunViewState, columns: number): Row {
  const { plan, agent, nowMs, startedMs, endedMs, isLeft } = state;
  const title = ` ${plan === '' ? 'holdfast run' : visibleExcerpt(plan, columns)} `;
  const who = agent === '' ? '' : `with ${visibleExcerpt(agent, 40)} `;
  const badge: Cell[] = state.isStopping
    ? [{ text: ' stops ', color: 'yellow', look: 'bold' }]
    : isPaused(state)
      ? [{ text: ' paused ', color: 'yellow', look: 'bold' }]
      : [];
  const clock = isLeft ? ' left ' : ` ${durationOf((endedMs ?? nowMs) - startedMs)} `;
  const end: Row = [...badge, { text: clock }, { text: '──', look: 'dim' }];
  const start = fitted(
    [{ text: '──', look: 'dim' }, { text: title, color: 'cyan', look: 'bold' }, { text: who }],
    columns - widthOfRow(end),
  );
  const line = '─'.repeat(Math.max(0, columns - widthOfRow(start) - widthOfRow(end)));
  return [...start, { text: line, look: 'dim' }, ...end];
}

function phaseRow(state: RunViewState): Row {
  return state.stories === null ? phaseBar(state) : storyBar(state, state.stories);
}

/** What the phase still lacked after its last iteration, in numbers. */
function gateRows({ standing, end }: RunViewState): Row[] {
  const gate = standing?.gate ?? null;
  if (gate === null || end !== null) return [];
  const lacks = describeMissing(gate.missing);
  if (lacks === '' && gate.isSignalled) return [];
  if (lacks === '')
    return [labelled('gate', { text: 'nothing is missing; the agent has not said done yet' })];
  const words = gate.isSignalled ? `agent says done, checks do not: ${lacks}` : `not met: ${lacks}`;
  return [labelled('gate', { text: words, color: 'yellow' })];
}

function phaseBar({ phases, standing, end }: RunViewState): Row {
  const isCompleted = end?.outcome === 'completed';
  const cells = phases.flatMap((name, index): Cell[] => {
    const between: Cell[] = index === 0 ? [] : [{ text: ' · ', look: 'dim' }];
    const shown = visibleExcerpt(name, 32);
    if (standing?.skipped.includes(name) === true)
      return [...between, { text: `${shown} skipped`, color: 'yellow' }];
    if (isCompleted || standing?.completed.includes(name) === true)
      return [...between, { text: `${shown} ✓`, color: 'green' }];
    if (standing?.phase === name) return [...between, { text: `${shown} ●`, color: 'cyan', look: 'bold' }];
    return [...between, { text: shown, look: 'dim' }];
  });
  return labelled('phase', ...cells);
}

function storyBar({ standing, title, place, end }: RunViewState, total: number): Row {
  const done = end?.outcome === 'completed' ? total : (standing?.completed.length ?? 0);
  const now = standing?.story ?? '';
  return labelled(
    'stories',
    { text: `${gauge(done, total, 8)} `, color: 'cyan' },
    { text: `${done} of ${total} done` },
    {
      text:
        now === ''
          ? ''
          : ` · ${place === null ? visibleExcerpt(now, 20) : `story ${place.number} of ${place.total}`} ● `,
      color: 'cyan',
      look: 'bold',
    },
    { text: visibleExcerpt(place?.title ?? title, 120) },
  );
}

function nowRows(state: RunViewState): Row[] {
  const { action, isStopping, isLeft, end, endedMs, nowMs } = state;
  if (isLeft) return [labelled('now', { text: 'no process runs it; p resumes it', color: 'yellow' })];
  if (isStopping && end === null)
    return [labelled('now', { text: "stopping: ending the agent's processes", color: 'yellow' })];
  if (action === null) return [labelled('now', { text: 'resting', look: 'dim' })];
  const time = durationOf((endedMs ?? nowMs) - action.sinceMs);
  return [
    labelled(
      'now',
      { text: `${visibleExcerpt(action.words, 300)}`, color: action.isTrouble ? 'yellow' : undefined },
      ...(time === '0s' ? [] : [{ text: ` ${time}`, look: 'dim' } as const]),
    ),
  ];
}

function saidRows({ said }: RunViewState, columns: number, room: number): Row[] {
  const lines = lastLines(said, columns - LABEL_COLUMNS, room);
  return Array.from({ length: Math.max(0, room) }, (_, index) =>
    labelled(index === 0 ? 'says' : '', { text: lines[index] ?? '' }),
  );
}

/** Every wait says for what and until when. */
function waitRows(state: RunViewState): Row[] {
  const { waiting, questions, standing, nowMs } = state;
  if (isPaused(state) && waiting?.until === null && questions.length === 0) {
    const reason = visibleExcerpt(standing?.reason ?? 'requested', 200);
    return [labelled('paused', { text: `${reason}; p continues`, color: 'yellow' })];
  }
  if (waiting === null)
    return questions.length === 0 ? [] : [labelled('waits', { text: 'for your answer', color: 'yellow' })];
  const reason = causeOfWait(waiting);
  if (waiting.cause === 'cut-off')
    return [labelled('waits', { text: describeWait(waiting, new Date(nowMs)), color: 'yellow' })];
  if (waiting.until === null) return [labelled('waits', { text: `for ${reason}`, color: 'yellow' })];
  const now = new Date(nowMs);
  const left = countdown(waiting.until, now);
  // The reason can be long; the end of the wait must be visible even on a narrow screen.
  return [labelled('waits', { text: `${left}, ${untilOf(waiting, now)}: ${reason}`, color: 'yellow' })];
}

function questionRows({ questions }: RunViewState, columns: number): Row[] {
  const rows = questions.slice(0, MAX_QUESTION_ROWS).map(({ id, prompt }, index) => {
    const way = index === 0 ? '   (press a)' : '   (then this one)';
    const room = Math.max(10, columns - LABEL_COLUMNS - way.length);
    const words = prompt === null ? '' : firstWords(prompt, room);
    return labelled(
      index === 0 ? 'question' : '',
      { text: truncate(words === '' ? id.slice(0, 8) : words, room), look: 'bold', color: 'yellow' },
      { text: way },
    );
  });
  const more = questions.length - rows.length;
  return more > 0 ? [...rows, labelled('', { text: `and ${more} more`, look: 'dim' })] : rows;
}

/** For a run in another process; only the last line differs. */
const HELP_ATTACHED = 's stops so that it can be resumed; q and Ctrl+C leave it running';

const HELP = [
  'a answers the open question, right here',
  'p pauses: the agent is cut short; p again continues',
  'g tells the agent something in its next prompt',
  's stops so that it can be resumed; Ctrl+C does so without asking',
];

function helpRows(columns: number, isAttached: boolean): Row[] {
  const help = isAttached ? [...HELP.slice(0, -1), HELP_ATTACHED] : HELP;
  const lines = help.flatMap((text) => wrapSpans([{ text }], Math.max(10, columns - LABEL_COLUMNS)));
  return lines.map((line, index) =>
    labelled(index === 0 ? 'keys' : '', { text: line.map(({ text }) => text).join('') }),
  );
}

function pauseKey(state: TerminalRun): string {
  if (state.isLeft) return 'p resume';
  return state.asked === 'pause' || (state.asked === null && isPaused(state)) ? 'p continue' : 'p pause';
}

function keyRows(state: TerminalRun, columns: number): Row[] {
  const { mode, editor, notice, questions, isAttached } = state;
  const leave = isAttached ? ['q leave'] : [];
  if (isAttached && state.end !== null) return [[{ text: 'It has ended. q leaves', look: 'dim' }]];
  if (editor !== null) {
    const rows = layOutEditor(editor, Math.max(10, columns - LABEL_COLUMNS - 1));
    const at = Math.max(
      0,
      rows.findIndex(({ cursorAt }) => cursorAt !== null),
    );
    const from = Math.max(0, at - MAX_EDITOR_ROWS + 1);
    const shown = rows.slice(from, from + MAX_EDITOR_ROWS);
    return [
      ...shown.map((row, index) => labelled(index === 0 ? 'guidance' : '', ...editorCells(row))),
      [{ text: fittingKeys(['Enter sends it', 'Esc does not'], columns), look: 'dim' }],
    ];
  }
  if (mode.name === 'stop')
    return [
      [{ text: 'Stop the run? It can be resumed. y stops it, any other key does not', color: 'yellow' }],
    ];
  const keys = [
    ...leave,
    ...(questions.length > 0 ? ['a answer'] : []),
    pauseKey(state),
    'g guide',
    's stop',
    state.isHelpShown ? '? hide' : '? keys',
  ];
  const bar: Row = [{ text: fittingKeys(keys, columns), look: 'dim' }];
  return [notice === null ? bar : [{ text: visibleExcerpt(notice.words, 300), color: 'yellow' }]];
}
