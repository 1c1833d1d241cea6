import type { NoticeEvent } from './events.js';
import type { NoticeRecord } from './schema.js';
import type { ChannelSettings, QuietHours } from './settings.js';
import { UNKNOWN } from './standings.js';

/** A card that was on a focused screen this recently needs no notice. */
const SEEN_WITHIN_MS = 15_000;
/** A notice that is not about a question and is still unsent after this long is no longer news. */
const STALE_MS = 24 * 60 * 60_000;
/** How long to wait before each further try. */
const RETRY_AFTER_MS = [5_000, 15_000, 60_000, 300_000, 900_000, 3_600_000];

export interface PolicyFacts {
  readonly now: Date;
  readonly channel: ChannelSettings;
  readonly quietHours: QuietHours | null;
  readonly digestMs: number;
  /** The status of the question; null if the notice is not about one. */
  readonly question: string | null;
  /** When its card was last on a screen that a person looked at. */
  readonly seenAt: Date | null;
  /** When this channel last sent something. */
  readonly lastSentAt: Date | null;
}

/** What to do about a notice. */
export type NoticeAction =
  | { readonly do: 'send' }
  | { readonly do: 'wait'; readonly until: Date; readonly why: 'due' | 'quiet hours' | 'digest' }
  | { readonly do: 'see' }
  | { readonly do: 'settle'; readonly how: string }
  | { readonly do: 'fail'; readonly reason: string }
  | { readonly do: 'nothing' };

/** Whether an event goes to a channel. An escalation needs something that can be opened: a question. */
export function isMeantFor(event: NoticeEvent, channel: ChannelSettings): boolean {
  if (event.kind === 'test') return true;
  if (channel.events !== undefined && !channel.events.includes(event.kind)) return false;
  return (channel.afterMinutes ?? 0) === 0 || event.question !== null;
}

/**
 * Decides about a notice. Pure. If it is no longer waiting it is over, if it was seen it is not sent, and otherwise it is
 * sent in its time.
 */
export function decide(notice: NoticeRecord, facts: PolicyFacts): NoticeAction {
  const { state } = notice;
  if (state === 'failed' || state === 'answered') return { do: 'nothing' };
  // It is unknown whether it is still waiting, so it is neither sent nor taken back until that is known.
  if (facts.question === UNKNOWN) return { do: 'nothing' };
  if (facts.question !== null && facts.question !== 'pending') return { do: 'settle', how: facts.question };
  if (state === 'seen') return { do: 'nothing' };
  if (wasOpened(notice, facts)) return { do: 'see' };
  return state === 'sent' ? { do: 'nothing' } : whenToSend(notice, facts);
}

function whenToSend(notice: NoticeRecord, facts: PolicyFacts): NoticeAction {
  const { now, channel } = facts;
  const isTest = notice.kind === 'test';
  if (notice.question === null && now.getTime() - Date.parse(notice.at) > STALE_MS)
    return { do: 'fail', reason: 'it could not be sent for a day' };
  const due = new Date(notice.dueAt);
  // If the clock was set back, a notice must not wait for ever: what is due far in the future is due now.
  if (due > now && due.getTime() - now.getTime() <= MAX_WAIT_MS)
    return { do: 'wait', until: due, why: 'due' };
  if (isTest) return { do: 'send' };
  const quietUntil = channel.inQuietHours === true ? undefined : endOfQuiet(now, facts.quietHours);
  if (quietUntil !== undefined) return { do: 'wait', until: quietUntil, why: 'quiet hours' };
  const digestUntil = endOfDigest(facts);
  return digestUntil === undefined ? { do: 'send' } : { do: 'wait', until: digestUntil, why: 'digest' };
}

const MAX_WAIT_MS = 8 * 24 * 60 * 60_000;

/**
 * Whether a person has looked at it: recently for a notice about to be sent, at any time since for one that was sent or
 * escalates.
 */
function wasOpened(
  { state, sentAt, queuedAt }: NoticeRecord,
  { seenAt, now, channel }: PolicyFacts,
): boolean {
  if (seenAt === null) return false;
  if (state === 'sent') return seenAt.getTime() >= Date.parse(sentAt ?? queuedAt);
  if ((channel.afterMinutes ?? 0) > 0) return seenAt.getTime() >= Date.parse(queuedAt) - SEEN_WITHIN_MS;
  const agoMs = now.getTime() - seenAt.getTime();
  return agoMs >= 0 && agoMs <= SEEN_WITHIN_MS;
}

/** When the quiet hours end, in local time; undefined outside them. */
export function endOfQuiet(now: Date, hours: QuietHours | null): Date | undefined {
  if (hours === null) return undefined;
  const { fromMinute, toMinute } = hours;
  const minute = now.getHours() * 60 + now.getMinutes();
  const isOvernight = fromMinute > toMinute;
  const isQuiet = isOvernight
    ? minute >= fromMinute || minute < toMinute
    : minute >= fromMinute && minute < toMinute;
  if (!isQuiet) return undefined;
  const end = new Date(now);
  end.setHours(0, toMinute, 0, 0);
  if (end <= now) end.setDate(end.getDate() + 1);
  return end;
}

function endOfDigest({ now, lastSentAt, digestMs, channel }: PolicyFacts): Date | undefined {
  // A bell has no words to combine.
  if (lastSentAt === null || channel.type === 'terminal') return undefined;
  const end = lastSentAt.getTime() + digestMs;
  return lastSentAt <= now && end > now.getTime() ? new Date(end) : undefined;
}

/** The time of the next try after this many failures; undefined when it gives up. */
export function nextTry(tries: number, now: Date): Date | undefined {
  const afterMs = RETRY_AFTER_MS[tries - 1];
  return afterMs === undefined ? undefined : new Date(now.getTime() + afterMs);
}
