import { basename } from 'node:path';
import { columnsOf, visibleExcerpt } from '../../foundation/index.js';
import type { LoopReport } from '../../sessions/loop/index.js';

/** What a person can answer to the resume prompt. */
export type ResumeChoice = 'resume' | 'new' | 'abort';

/** Shown below the box, whose own words for N and A say too little. */
export const RESUME_HINT = 'A letter, then Enter. N archives it, A gives it up; Enter or Esc: no change';

const INNER_WIDTH = 60;
const VALUE_WIDTH = 42;
/** A story may have any name. */
const MAX_NAME = 20;

/** The box shown before an earlier session is resumed. Its border stays straight whatever the text. */
export function renderResumePrompt(report: LoopReport, now: Date): string {
  const fields = [
    ['Session ID:', `${report.sessionId.slice(0, 8)}-...`],
    ['PRP:', basename(report.prpFile)],
    ['Phase:', report.story ?? report.phase],
    ['Iteration:', String(report.iteration)],
    ['Last Active:', relativeTime(now.getTime() - Date.parse(report.lastActivityAt))],
    ['Status:', statusOf(report)],
  ];
  const begun = report.phases.filter((phase) => phase.progress !== 'pending');
  const nameWidth = Math.max(0, ...report.phases.map((phase) => columnsOf(phase.name))) + 2;
  return [
    rule('╔', '╗'),
    row(centred('PREVIOUS SESSION DETECTED')),
    rule('╠', '╣'),
    row(''),
    ...fields.map(([label = '', value = '']) =>
      row(`  ${label.padEnd(13)}${visibleExcerpt(value, VALUE_WIDTH)}`),
    ),
    row(''),
    row('  Progress:'),
    ...begun.map((phase, index) => {
      const branch = index === begun.length - 1 ? '└──' : '├──';
      const name = visibleExcerpt(`${phase.name}:`, MAX_NAME);
      const gap = ' '.repeat(Math.max(1, Math.min(nameWidth, MAX_NAME + 1) - columnsOf(name)));
      return row(`  ${branch} ${name}${gap}${progressOf(phase)}`);
    }),
    row(''),
    rule('╠', '╣'),
    row('  [R]esume  - Continue from where you left off'),
    row('  [N]ew     - Start fresh (discards progress)'),
    row('  [A]bort   - Cancel execution'),
    rule('╚', '╝'),
  ].join('\n');
}

/** The status with its reason. A reason that does not fit is cut at its first colon, where details begin. */
function statusOf({ status, statusReason }: LoopReport): string {
  const word = status.toUpperCase();
  if (statusReason === null) return word;
  const whole = `${word} (${statusReason})`;
  return columnsOf(whole) <= VALUE_WIDTH ? whole : `${word} (${statusReason.split(': ', 1)[0]})`;
}

/** What a key or word at the prompt means; undefined for anything else. */
export function parseResumeChoice(text: string): ResumeChoice | undefined {
  const word = text.trim().toLowerCase();
  if (word === '') return undefined;
  return (['resume', 'new', 'abort'] as const).find((choice) => choice === word || choice[0] === word);
}

function progressOf({ progress, numbers }: LoopReport['phases'][number]): string {
  const { tests_generated: generated, tests_total: total, tests_passing: passing } = numbers;
  if (progress === 'complete') {
    const count = generated ?? total;
    return `✅ Complete${count === undefined ? '' : ` (${String(count)} tests ${generated === undefined ? 'in all' : 'generated'})`}`;
  }
  if (progress === 'skipped') return '⏭ Skipped';
  return `⏳ In progress${total === undefined ? '' : ` (${String(passing)}/${String(total)} tests passing)`}`;
}

function relativeTime(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1_000));
  const say = (count: number, unit: string) => `${count} ${unit}${count === 1 ? '' : 's'} ago`;
  if (seconds < 60) return 'just now';
  if (seconds < 3_600) return say(Math.floor(seconds / 60), 'minute');
  if (seconds < 86_400) return say(Math.floor(seconds / 3_600), 'hour');
  return say(Math.floor(seconds / 86_400), 'day');
}

function centred(text: string): string {
  return `${' '.repeat(Math.floor((INNER_WIDTH - columnsOf(text)) / 2))}${text}`;
}

function rule(left: string, right: string): string {
  return `${left}${'═'.repeat(INNER_WIDTH)}${right}`;
}

/** One line of the box, cut to its width on the screen. */
function row(text: string): string {
  const fitting = cut(text, INNER_WIDTH);
  return `║${fitting}${' '.repeat(INNER_WIDTH - columnsOf(fitting))}║`;
}

function cut(text: string, width: number): string {
  if (columnsOf(text) <= width) return text;
  let kept = '';
  for (const character of text) {
    if (columnsOf(`${kept}${character}…`) > width) break;
    kept += character;
  }
  return `${kept}…`;
}
