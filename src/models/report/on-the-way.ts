import { counted } from '../../foundation/text/counted.js';
import type { RunReport } from '../../run/index.js';
import { line } from './words.js';

type Encoded = (text: string, maxLength: number) => string;

/** What went wrong along the way, in one sentence for readers who stop here; null if nothing did. */
export function onTheWay(report: RunReport, encoded: Encoded = line): string | null {
  const all = [
    ...report.openings.slice(0, MAX_OPENINGS).map((one) => openingWords(one, encoded)),
    ...(report.openings.length > MAX_OPENINGS
      ? [`it opened ${counted(report.openings.length - MAX_OPENINGS, 'more time')}`]
      : []),
    ...report.skipped.map(({ phase }) => `${encoded(phase, 40)} was skipped`),
    deathWords(report),
    answerWords(report),
  ].filter((words) => words !== null);
  return all.length === 0 ? null : `On the way: ${all.join('; ')}.`;
}

const MAX_OPENINGS = 2;

function openingWords({ phase, reason, closedAt }: RunReport['openings'][number], encoded: Encoded): string {
  const why = reason === null ? '' : ` (${encoded(reason, 120)})`;
  const after = closedAt === null ? '' : ', and the run was allowed to try again';
  return `the breaker opened in ${encoded(phase, 40)}${why}${after}`;
}

function deathWords({ processes, isRunning }: RunReport): string | null {
  const lost = processes.filter(
    ({ end }, index) => end === null && !(isRunning && index === processes.length - 1),
  ).length;
  const resumed = processes.filter(({ isResumed }) => isResumed).length;
  const died = lost === 0 ? [] : [`its process ended without a word ${timesOf(lost)}`];
  const again = resumed === 0 ? [] : [`it was resumed ${timesOf(resumed)}`];
  const words = [...died, ...again];
  return words.length === 0 ? null : words.join(' and ');
}

function timesOf(count: number): string {
  return count === 1 ? 'once' : `${count} times`;
}

function answerWords({ questions }: RunReport): string | null {
  const answered = questions.filter(({ status }) => status === 'completed').length;
  const open = questions.filter(({ status }) => status === 'pending').length;
  const words = [
    ...(answered === 0 ? [] : [`${counted(answered, 'question')} answered`]),
    ...(open === 0 ? [] : [`${open} still open`]),
  ];
  return words.length === 0 ? null : words.join(', ');
}
