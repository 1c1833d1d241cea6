import { formatAge, visibleExcerpt, visibleLine } from '../../foundation/index.js';
import type { EntryView, QueueView, ShownEntry } from '../../queue/index.js';
import type { Style } from '../terminal.js';
import { renderTable } from './table.js';

const HEADER = ['ID', 'STATE', 'PLAN', 'AGENT', 'PROJECT', 'RUN', 'WHY'];
const WHY_COLUMNS = 120;

/** The queue as a table, in the order in which entries come. */
export function renderQueue({ entries, pausedAt, damaged }: QueueView, now: Date, style: Style): string {
  const lines = [
    ...(pausedAt === null ? [] : ['The queue is paused: `holdfast queue resume` lets it go on.']),
    ...damaged.map(({ path, reason }) => `cannot be read: ${visibleLine(path)}: ${visibleLine(reason)}`),
  ];
  if (entries.length === 0) return [...lines, 'Nothing is queued.'].join('\n');
  const moment = remembered((iso) => momentWords(iso, now));
  const rows = entries.map((entry) => [
    entry.id.slice(0, 8),
    stateOf(entry),
    visibleExcerpt(entry.plan.task ?? entry.plan.name, 60),
    visibleLine(entry.options.agent ?? '-'),
    visibleLine(entry.project.slice(entry.project.lastIndexOf('/') + 1)),
    entry.runId?.slice(0, 8) ?? '-',
    visibleExcerpt(whyOf(entry, moment), WHY_COLUMNS),
  ]);
  return [...lines, renderTable(HEADER, rows, style)].join('\n');
}

/** Nobody watches over one whose worker is gone, whatever its record says. */
function stateOf({ standing }: EntryView): string {
  return standing.is === 'running' && standing.isAbandoned ? 'left' : standing.is;
}

type MomentWords = (iso: string) => string;

/** Most of a long list waits for the same few moments. */
function remembered(words: MomentWords): MomentWords {
  const known = new Map<string, string>();
  return (iso) => {
    const said = known.get(iso) ?? words(iso);
    known.set(iso, said);
    return said;
  };
}

/** Why an entry stands as it does, in one line. */
export function whyOf(entry: EntryView, moment: MomentWords): string {
  const { planNote, status, reason, question } = entry;
  let words = standingWords(entry, moment);
  const add = (part: string) => {
    words = words === '' ? part : `${words}; ${part}`;
  };
  if (status === 'queued' && reason !== null) add(`put back: ${reason}`);
  if (status === 'failed' && question !== null) add(`holdfast answer ${question.slice(0, 8)}`);
  if (planNote !== null) add(`the plan ${PLAN_NOTES[planNote]}`);
  return words;
}

const PLAN_NOTES = {
  changed: 'was changed since; what was queued runs (queue edit --update takes the new one)',
  gone: 'is gone since; what was queued runs',
} as const;

function standingWords({ standing, worker, runWait }: EntryView, moment: MomentWords): string {
  switch (standing.is) {
    case 'waits':
      return standing.until === null
        ? standing.reason
        : `waits until ${moment(standing.until)}: ${standing.reason}`;
    case 'blocked':
    case 'paused':
    case 'failed':
      return standing.reason;
    case 'running':
      return standing.isAbandoned
        ? 'its worker is gone; the next worker goes on with it'
        : (waitWords(runWait, moment) ?? `process ${worker?.pid ?? '?'} watches it`);
    default:
      return '';
  }
}

function waitWords(wait: EntryView['runWait'], moment: MomentWords): string | undefined {
  if (wait === undefined) return undefined;
  const { question, until, reason } = wait;
  if (question !== null) return `waits for an answer: holdfast answer ${question.slice(0, 8)}`;
  return until === null ? `waits: ${reason}` : `waits until ${moment(until)}: ${reason}`;
}

/** A moment in local time: the hour alone today, with its day on any other. */
export function momentWords(iso: string, now: Date): string {
  const at = new Date(iso);
  const hours = `${twoDigits(at.getHours())}:${twoDigits(at.getMinutes())}`;
  return dayOf(at) === dayOf(now) ? hours : `${dayOf(at)} ${hours}`;
}

function dayOf(at: Date): string {
  return `${at.getFullYear()}-${twoDigits(at.getMonth() + 1)}-${twoDigits(at.getDate())}`;
}

function twoDigits(value: number): string {
  return value < 10 ? `0${value}` : `${value}`;
}

/** One entry, with everything that is kept of it. */
export function renderEntry({ entry, owner, planFiles, report }: ShownEntry, now: Date): string {
  const why = whyOf(entry, (iso) => momentWords(iso, now));
  const options = Object.entries(entry.options).filter(
    ([, value]) => value !== false && !(Array.isArray(value) && value.length === 0),
  );
  const rows: [string, string | null][] = [
    ['id', entry.id],
    ['plan', `${visibleLine(entry.plan.name)} (${entry.plan.hash.slice(0, 12)})`],
    ['state', why === '' ? stateOf(entry) : `${stateOf(entry)}: ${visibleLine(why)}`],
    ['project', visibleLine(entry.project)],
    ['base', entry.base],
    ['continues', entry.continues],
    ['after', entry.after.join(', ')],
    ['not before', entry.notBefore],
    ['options', options.map(([name, value]) => `${name} ${visibleLine(JSON.stringify(value))}`).join(', ')],
    ['on failure', entry.onFailure],
    ['queued', `${formatAge(now.getTime() - Date.parse(entry.addedAt))} ago`],
    ['run', entry.runId],
    ['watched by', owner],
    ['worktree', entry.worktree === null ? null : visibleLine(entry.worktree)],
    ['kept plan', visibleLine(planFiles[0] ?? '')],
    ['again', entry.status === 'failed' ? `holdfast queue retry ${entry.id.slice(0, 8)}` : null],
    ['report', report === null ? null : `holdfast report ${entry.runId?.slice(0, 8) ?? ''}`],
  ];
  return rows
    .filter((row): row is [string, string] => row[1] !== null && row[1] !== '')
    .map(([name, value]) => `${name.padEnd(11)} ${value}`)
    .join('\n');
}
