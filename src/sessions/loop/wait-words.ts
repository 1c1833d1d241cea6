import { counted, visibleExcerpt } from '../../foundation/index.js';
import { countdown, type LimitWait } from './policies/rate-limit.js';

/** What a run is waiting for, as facts. */
export type Waiting =
  | LimitWait
  /** The allowance of an account is back, and another run is trying it first. */
  | { readonly cause: 'canary'; readonly account: string; readonly until: null }
  /** The agent asked a person and cannot continue without the answer. */
  | { readonly cause: 'question'; readonly question: string; readonly until: null }
  /** Paused, for the reason in `words`. */
  | { readonly cause: 'paused'; readonly words: string; readonly until: null }
  /**
   * A run of the fleet cannot store its work where another machine could continue it. It begins nothing new and may run
   * until then.
   */
  | {
      readonly cause: 'cut-off';
      readonly what: 'fleet' | 'git';
      readonly since: string;
      readonly until: string | null;
    };

const MAX_WORDS = 160;

/** One line: how long it waits, for what, until when, and how to end the wait. */
export function describeWait(waiting: Waiting, now: Date): string {
  if (waiting.cause === 'question' || waiting.cause === 'canary')
    return `waiting for ${causeOfWait(waiting)}`;
  if (waiting.cause === 'paused') return `${causeOfWait(waiting)}; \`holdfast resume\` continues`;
  if (waiting.cause === 'cut-off') return cutOffWords(waiting, now);
  return `waiting ${countdown(waiting.until, now)}: ${causeOfWait(waiting)}, ${untilOf(waiting, now)}; ${waiting.cause === 'day-budget' ? RAISED_IN_INBOX : TRIES_NOW}`;
}

/** Since when, and how long it may continue without. */
function cutOffWords(waiting: Extract<Waiting, { cause: 'cut-off' }>, now: Date): string {
  const ends = waiting.until === null ? '' : `, ends at ${momentOf(waiting.until, now)}`;
  return `${causeOfWait(waiting)} since ${momentOf(waiting.since, now)}${ends}`;
}

const RAISED_IN_INBOX = 'raise it in `holdfast inbox`';

/** How to end a wait early. */
export const TRIES_NOW = '`holdfast resume` tries now';

export function untilOf({ until }: LimitWait, now: Date): string {
  return `until ${momentOf(until, now)}`;
}

/** What it is waiting for, in words; the service's own words are quoted. */
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
      return `the daily budget is used up (${visibleExcerpt(waiting.words, MAX_WORDS)})`;
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

/** The time of day, plus the date unless it is today. */
export function momentOf(time: string, now: Date): string {
  const date = new Date(time);
  if (Number.isNaN(date.getTime())) return 'an unknown time';
  const two = (number: number) => `${number}`.padStart(2, '0');
  const clock = `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
  if (date.toDateString() === now.toDateString()) return clock;
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())} ${clock}`;
}
