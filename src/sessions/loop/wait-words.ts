import { counted, visibleExcerpt } from '../../foundation/index.js';
import { countdown, type LimitWait } from './policies/rate-limit.js';

/** What a run waits for, as facts. */
export type Waiting =
  | LimitWait
  /** The allowance of an account is back, and another run tries it first. */
  | { readonly cause: 'canary'; readonly account: string; readonly until: null }
  /** The agent asked a person and cannot go on without the answer. */
  | { readonly cause: 'question'; readonly question: string; readonly until: null }
  /** Somebody paused it, with these words. */
  | { readonly cause: 'paused'; readonly words: string; readonly until: null }
  /** A run of the fleet cannot store where another machine could go on: it begins nothing new, and may live until then. */
  | {
      readonly cause: 'cut-off';
      readonly what: 'fleet' | 'git';
      readonly since: string;
      readonly until: string | null;
    };

const MAX_WORDS = 160;

/** One line: how long it waits, for what, until when, and how the wait is ended. */
export function describeWait(waiting: Waiting, now: Date): string {
  if (waiting.cause === 'question' || waiting.cause === 'canary') return `waits for ${causeOfWait(waiting)}`;
  if (waiting.cause === 'paused') return `${causeOfWait(waiting)}; \`holdfast resume\` continues`;
  if (waiting.cause === 'cut-off') return cutOffWords(waiting, now);
  return `waits ${countdown(waiting.until, now)}: ${causeOfWait(waiting)}, ${untilOf(waiting, now)}; ${waiting.cause === 'day-budget' ? RAISED_IN_INBOX : TRIES_NOW}`;
}

/** Since when, and until when it may go on without. */
function cutOffWords(waiting: Extract<Waiting, { cause: 'cut-off' }>, now: Date): string {
  const ends = waiting.until === null ? '' : `, ends at ${momentOf(waiting.until, now)}`;
  return `${causeOfWait(waiting)} since ${momentOf(waiting.since, now)}${ends}`;
}

const RAISED_IN_INBOX = '`holdfast inbox` raises it';

/** How a wait is ended before its time. */
export const TRIES_NOW = '`holdfast resume` tries now';

export function untilOf({ until }: LimitWait, now: Date): string {
  return `until ${momentOf(until, now)}`;
}

/** What it waits for, in words; what the service said is quoted. */
export function causeOfWait(waiting: Waiting): string {
  switch (waiting.cause) {
    case 'quota': {
      const scope = waiting.scope === null ? '' : `${visibleExcerpt(waiting.scope, 40)} `;
      const words = waiting.words === null ? '' : ` ("${visibleExcerpt(waiting.words, MAX_WORDS)}")`;
      return `the agent's ${scope}limit is used up${words}`;
    }
    case 'overload': {
      const said =
        waiting.status ?? (waiting.words === null ? null : visibleExcerpt(waiting.words, MAX_WORDS));
      return `the agent's service is overloaded${said === null ? '' : ` (${said})`}`;
    }
    case 'network': {
      const words = waiting.words === null ? '' : ` ("${visibleExcerpt(waiting.words, MAX_WORDS)}")`;
      return `the agent's service cannot be reached${words}`;
    }
    case 'calls-per-hour':
      return `${counted(waiting.calls, 'call')} within an hour`;
    case 'day-budget':
      return `the budget of the day is reached (${visibleExcerpt(waiting.words, MAX_WORDS)})`;
    case 'canary':
      return `another run, which tries the account ${visibleExcerpt(waiting.account, 80)} first after its reset`;
    case 'question':
      return `the answer to question ${waiting.question.slice(0, 8)}`;
    case 'paused':
      return `paused: ${visibleExcerpt(waiting.words, MAX_WORDS)}`;
    case 'cut-off':
      return waiting.what === 'git' ? 'the git server cannot be reached' : 'cut off from the fleet';
  }
}

/** The time of day, and the date unless that is today. */
export function momentOf(time: string, now: Date): string {
  const date = new Date(time);
  if (Number.isNaN(date.getTime())) return 'an unknown time';
  const two = (number: number) => `${number}`.padStart(2, '0');
  const clock = `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
  if (date.toDateString() === now.toDateString()) return clock;
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())} ${clock}`;
}
