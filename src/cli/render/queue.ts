import { formatAge, shellWord, visibleExcerpt, visibleLabel, visibleLine } from '../../foundation/index.js';
import type { EntryView, QueueView, ShownEntry } from '../../queue/index.js';
import type { Style } from '../terminal.js';
import { renderTable } from './table.js';

const HEADER = ['ID', 'STATE', 'PLAN', 'AGENT', 'PROJECT', 'RUN', 'WHY'];
const WHY_COLUMNS = 120;

/** The queue as a table, in the order in which entries will run. */
export function renderQueue(view: QueueView, now: Date, style: Style): string {
  const { entries, pausedAt, fleetPausedAt = null, damaged } = view;
  const lines = [
    ...(pausedAt === null ? [] : ['The queue is paused: `holdfast queue resume` resumes it.']),
    ...(fleetPausedAt === null
      ? []
      : ['The queue of the fleet is paused: `holdfast queue resume` resumes it.']),
    ...damaged.map(({ path, reason }) => `cannot be read: ${visibleLine(path)}: ${visibleLine(reason)}`),
  ];
  if (entries.length === 0) return [...lines, 'Nothing is queued.'].join('\n');
  const moment = remembered((iso) => momentWords(iso, now));
  const isShared = entries.some(({ fleet }) => fleet !== undefined);
  const rows = entries.map((entry) => [
    entry.id.slice(0, 8),
    stateOf(entry),
    visibleExcerpt(entry.plan.task ?? entry.plan.name, 60),
    visibleLine(entry.options.agent ?? '-'),
    visibleLine(entry.project.slice(entry.project.lastIndexOf('/') + 1)),
    entry.runId?.slice(0, 8) ?? '-',
    visibleExcerpt(whyOf(entry, moment), WHY_COLUMNS),
  ]);
  const header = [...HEADER];
  if (isShared) {
    header.splice(1, 0, 'MACHINE');
    for (const [at, entry] of entries.entries()) rows[at]?.splice(1, 0, machineOf(entry));
  }
  return [...lines, renderTable(header, rows, style)].join('\n');
}

/** Where it is: on a machine of the fleet, nowhere yet, or here alone. */
function machineOf({ fleet, status }: EntryView): string {
  if (fleet === undefined) return 'here';
  return status === 'queued' || status === 'paused' || fleet.machine === null
    ? '-'
    : visibleLabel(fleet.machine);
}

/** An entry whose worker is gone is not being watched, whatever its record says. */
function stateOf({ standing }: EntryView): string {
  return standing.is === 'running' && standing.isAbandoned ? 'left' : standing.is;
}

type MomentWords = (iso: string) => string;

/** Caches the words: most entries of a long list are waiting for the same few moments. */
function remembered(words: MomentWords): MomentWords {
  const known = new Map<string, string>();
  return (iso) => {
    const said = known.get(iso) ?? words(iso);
    known.set(iso, said);
    return said;
  };
}

/** The reason for an entry's state, in one line. */
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
  changed: 'has changed since; the queued version runs (queue edit --update takes the new one)',
  gone: 'is gone; the queued version runs',
} as const;

/** Silence is shown after two missed renewals: a lease is renewed every 20 seconds, a short one 15 times in its length. */
const QUIET_SECONDS = 40;
const QUIET_PART = 2 / 15;

/** Which machine has an entry of the fleet, and how certain that is. */
function leaseWords({ fleet }: EntryView): string | undefined {
  if (fleet === undefined) return undefined;
  const machine = visibleLabel(fleet.machine ?? '?');
  if (fleet.lease === null || fleet.lease.endsInSeconds <= 0)
    return `${machine} gave it back or is gone; the next worker that fits continues it`;
  const { quietSeconds, endsInSeconds } = fleet.lease;
  const isQuiet = quietSeconds >= Math.min(QUIET_SECONDS, QUIET_PART * (quietSeconds + endsInSeconds));
  if (!isQuiet) return `on ${machine}`;
  return `on ${machine}: no sign for ${minutes(quietSeconds)}, will be taken over in ${minutes(endsInSeconds)}`;
}

/** `4:20`. */
function minutes(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  return `${Math.floor(whole / 60)}:${twoDigits(whole % 60)}`;
}

function standingWords(entry: EntryView, moment: MomentWords): string {
  const { standing, worker, runWait } = entry;
  switch (standing.is) {
    case 'waits':
      return standing.until === null
        ? standing.reason
        : `waiting until ${moment(standing.until)}: ${standing.reason}`;
    case 'blocked':
    case 'paused':
    case 'failed':
      return standing.reason;
    case 'running':
      if (entry.fleet !== undefined) return waitWords(runWait, moment) ?? leaseWords(entry) ?? '';
      return standing.isAbandoned
        ? 'its worker is gone; the next worker continues it'
        : (waitWords(runWait, moment) ?? `process ${worker?.pid ?? '?'} watches it`);
    default:
      return '';
  }
}

function waitWords(wait: EntryView['runWait'], moment: MomentWords): string | undefined {
  if (wait === undefined) return undefined;
  const { question, until, reason } = wait;
  if (question !== null) return `waiting for an answer: holdfast answer ${question.slice(0, 8)}`;
  return until === null ? `waiting: ${reason}` : `waiting until ${moment(until)}: ${reason}`;
}

/** A moment in local time: just the time if it is today, otherwise with the date. */
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

/** One entry with everything that is kept about it. */
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
    ...fleetRows(entry),
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
    ['result', resultOf(entry)],
    ['kept plan', visibleLine(planFiles[0] ?? '')],
    ['again', entry.status === 'failed' ? `holdfast queue retry ${entry.id.slice(0, 8)}` : null],
    ['report', report === null ? null : `holdfast report ${entry.runId?.slice(0, 8) ?? ''}`],
  ];
  return rows
    .filter((row): row is [string, string] => row[1] !== null && row[1] !== '')
    .map(([name, value]) => `${name.padEnd(11)} ${value}`)
    .join('\n');
}

/** The command that gets the result of a fleet run into one's own clone. */
function resultOf({ fleet, runId, status }: EntryView): string | null {
  if (fleet === undefined || runId === null || (status !== 'done' && status !== 'failed')) return null;
  const from = `${visibleLine(shellWord(fleet.repository))} refs/holdfast/${runId}/${fleet.epoch}`;
  return `git fetch ${from} && git merge FETCH_HEAD`;
}

function fleetRows({ fleet }: EntryView): [string, string | null][] {
  if (fleet === undefined) return [];
  const { by, from, repository, labels, machine } = fleet;
  return [
    ['queued by', `${visibleLabel(by)} on ${visibleLabel(from)}`],
    ['repository', visibleLine(repository)],
    ['labels', labels.map((label) => visibleLabel(label)).join(', ')],
    ['machine', machine === null ? null : visibleLabel(machine)],
  ];
}
