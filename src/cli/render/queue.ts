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
  const rows = entries.map((entry) => [
    entry.id.slice(0, 8),
    entry.standing.is,
    visibleExcerpt(entry.plan.task ?? entry.plan.name, 60),
    visibleLine(entry.options.agent ?? '-'),
    visibleLine(entry.project.split('/').at(-1) ?? ''),
    entry.runId?.slice(0, 8) ?? '-',
    visibleExcerpt(whyOf(entry, now), WHY_COLUMNS),
  ]);
  return [...lines, renderTable(HEADER, rows, style)].join('\n');
}

/** Why an entry stands as it does, in one line. */
export function whyOf(entry: EntryView, now: Date): string {
  const { planNote, status, reason, question } = entry;
  const note = planNote === null ? '' : `the plan ${PLAN_NOTES[planNote]}`;
  const parts = [
    standingWords(entry, now),
    status === 'queued' && reason !== null ? `put back: ${reason}` : '',
    status === 'failed' && question !== null ? `holdfast answer ${question.slice(0, 8)}` : '',
    note,
  ];
  return parts.filter((part) => part !== '').join('; ');
}

const PLAN_NOTES = {
  changed: 'was changed since; what was queued runs (queue edit --update takes the new one)',
  gone: 'is gone since; what was queued runs',
} as const;

function standingWords({ standing, worker, runWait }: EntryView, now: Date): string {
  switch (standing.is) {
    case 'waits':
      return standing.until === null
        ? standing.reason
        : `waits until ${momentWords(standing.until, now)}: ${standing.reason}`;
    case 'blocked':
    case 'paused':
    case 'failed':
      return standing.reason;
    case 'running':
      return standing.isAbandoned
        ? 'its worker is gone; the next one goes on with it'
        : (waitWords(runWait, now) ?? `process ${worker?.pid ?? '?'} watches it`);
    default:
      return '';
  }
}

function waitWords(wait: EntryView['runWait'], now: Date): string | undefined {
  if (wait === undefined) return undefined;
  const { question, until, reason } = wait;
  if (question !== null) return `waits for an answer: holdfast answer ${question.slice(0, 8)}`;
  return until === null ? `waits: ${reason}` : `waits until ${momentWords(until, now)}: ${reason}`;
}

/** A moment in local time: the hour alone today, with its day on any other. */
export function momentWords(iso: string, now: Date): string {
  const at = new Date(iso);
  const hours = `${String(at.getHours()).padStart(2, '0')}:${String(at.getMinutes()).padStart(2, '0')}`;
  const isToday = at.toDateString() === now.toDateString();
  const day = `${at.getFullYear()}-${String(at.getMonth() + 1).padStart(2, '0')}-${String(at.getDate()).padStart(2, '0')}`;
  return isToday ? hours : `${day} ${hours}`;
}

/** One entry, with everything that is kept of it. */
export function renderEntry({ entry, owner, planFiles, report }: ShownEntry, now: Date): string {
  const why = whyOf(entry, now);
  const options = Object.entries(entry.options).filter(
    ([, value]) => value !== false && !(Array.isArray(value) && value.length === 0),
  );
  const rows: [string, string | null][] = [
    ['id', entry.id],
    ['plan', `${visibleLine(entry.plan.name)} (${entry.plan.hash.slice(0, 12)})`],
    ['state', why === '' ? entry.standing.is : `${entry.standing.is}: ${visibleLine(why)}`],
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
    ['report', report === null ? null : `holdfast report ${entry.runId?.slice(0, 8) ?? ''}`],
  ];
  return rows
    .filter((row): row is [string, string] => row[1] !== null && row[1] !== '')
    .map(([name, value]) => `${name.padEnd(11)} ${value}`)
    .join('\n');
}
