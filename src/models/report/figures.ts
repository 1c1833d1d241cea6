import { counted } from '../../foundation/text/counted.js';
import { costWords, dollarsText } from '../../foundation/text/dollars.js';
import type { RunReport } from '../../run/index.js';
import { roughNumberOf } from '../run-view/words.js';
import { numberOf, spanOf } from './words.js';

/** A key number, with the note beside it. */
export interface Figure {
  readonly name: string;
  readonly value: string;
  readonly note: string | null;
}

export function figuresOf(report: RunReport): Figure[] {
  return [
    tests(report),
    files(report),
    cost(report),
    tokens(report),
    time(report),
    iterations(report),
    asked(report),
    breaker(report),
  ].filter((figure) => figure !== null);
}

function tests({ testsAfter, testsBefore }: RunReport): Figure | null {
  if (testsAfter === null && testsBefore === null) return null;
  const told = (counts: RunReport['testsAfter']) =>
    counts === null ? 'unknown' : `${counts.passing} of ${counts.total}`;
  return { name: 'Passing tests', value: told(testsAfter), note: `${told(testsBefore)} before the run` };
}

function files({ files: changed }: RunReport): Figure {
  if (changed === null) return { name: 'Files changed', value: 'unknown', note: null };
  return { name: 'Files changed', value: `${changed.length}`, note: diffstatOf(changed) };
}

/** The changed lines of all files, or null if they were not counted. */
export function diffstatOf(files: NonNullable<RunReport['files']>): string | null {
  if (!files.some(({ added }) => added !== null)) return null;
  const sum = (key: 'added' | 'deleted') => files.reduce((total, file) => total + (file[key] ?? 0), 0);
  return `+${numberOf(sum('added'))} −${numberOf(sum('deleted'))} lines`;
}

function cost({ usage, budget }: RunReport): Figure {
  const limit = budget.costUsd === undefined ? 'no budget' : `of ${dollarsText(budget.costUsd)}`;
  const unpriced =
    usage.costSource === 'unknown' || usage.unpricedTokens === 0
      ? []
      : [`${roughNumberOf(usage.unpricedTokens)} tokens without a price`];
  const known = costWords({ ...usage, unpricedTokens: 0 });
  const value = unpriced.length === 0 ? known : `at least ${known}`;
  return { name: 'Cost', value, note: [limit, ...unpriced].join(', ') };
}

function tokens({ usage, budget }: RunReport): Figure {
  const limit = budget.tokens === undefined ? [] : [`of ${roughNumberOf(budget.tokens)}`];
  const guessed = usage.estimatedTokens === 0 ? [] : [`${roughNumberOf(usage.estimatedTokens)} estimated`];
  const cached =
    usage.cacheReadTokens === 0 ? [] : [`${roughNumberOf(usage.cacheReadTokens)} read from cache`];
  const note = [...limit, ...guessed, ...cached].join(', ');
  return { name: 'Tokens', value: roughNumberOf(usage.tokens), note: note === '' ? null : note };
}

function time({ elapsedMs, usage, waitedMs, notRunningMs }: RunReport): Figure {
  const rest = [
    `${spanOf(usage.activeMs)} worked`,
    ...(waitedMs >= 1_000 ? [`${spanOf(waitedMs)} waited`] : []),
    ...(notRunningMs >= 1_000 ? [`${spanOf(notRunningMs)} not running`] : []),
  ];
  return { name: 'Time', value: spanOf(elapsedMs), note: rest.join(', ') };
}

function iterations({ usage, iterations: all, processes }: RunReport): Figure {
  const cut = all.filter(({ end }) => end === 'cut' || end === 'lost').length;
  const notes = [
    ...(cut === 0 ? [] : [`${cut} more cut short`]),
    ...(processes.length > 1
      ? [`resumed ${processes.length === 2 ? 'once' : `${processes.length - 1} times`}`]
      : []),
  ];
  return {
    name: 'Iterations',
    value: `${usage.iterations}`,
    note: notes.length === 0 ? null : notes.join(', '),
  };
}

function asked({ questions, permissions }: RunReport): Figure | null {
  const denied = permissions.filter(({ decision }) => decision === 'denied').length;
  if (questions.length === 0 && denied === 0) return null;
  const open = questions.filter(({ status }) => status === 'pending').length;
  const cards = questions.filter(({ isPermission }) => isPermission).length;
  const notes = [
    ...(cards === 0 ? [] : [`${cards} of them for a permission`]),
    ...(open === 0 ? [] : [`${open} not answered`]),
    ...(denied === 0 ? [] : [`${counted(denied, 'permission')} denied`]),
  ];
  return {
    name: 'Questions',
    value: `${questions.length}`,
    note: notes.length === 0 ? null : notes.join(', '),
  };
}

function breaker({ openings, breaker: { state } }: RunReport): Figure | null {
  if (openings.length === 0) return null;
  return {
    name: 'Breaker openings',
    value: `${openings.length}`,
    note: state === 'OPEN' ? 'open now' : 'closed again',
  };
}
