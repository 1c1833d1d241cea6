import type { QuotaGate } from '../../accounts/index.js';
import type { AgentEvent, ServiceTrouble, WindowUse } from '../../agents/index.js';
import { redact } from '../../foundation/index.js';
import { sumUsage, type UsageRecord } from '../../sessions/conversation/index.js';
import { believed, type LimitWait, likelyCost } from '../../sessions/loop/index.js';
import type { Attention } from '../attention.js';
import type { RunMemory, RunParts } from '../run-parts.js';
import type { ExchangeResult } from '../turn/analyze-turn.js';
import { waitForDay } from './wait-for-day.js';
import { waitForReset } from './wait-for-reset.js';

/**
 * Whether the limits shared with other runs allow the next prompt. If not, what to wait for is in the loop afterwards. After
 * a reset one run tries first; this function waits for it.
 */
export async function isAdmitted(parts: RunParts, memory: RunMemory, attention: Attention): Promise<boolean> {
  const { shared, loop, journal } = parts;
  const { triesNow } = memory;
  memory.triesNow = false;
  if (shared === undefined) return true;
  const day = shared.days?.standing();
  if (day !== undefined) {
    if (triesNow && day.isFinal) shared.days?.reopen(day.day);
    loop.waitForDay({ until: day.until, words: day.reached.words });
    return false;
  }
  for (let isTold = false; ; isTold = true) {
    const entry = await shared.quota.enter({ triesNow });
    if (entry.may) return true;
    if (entry.closed !== null) {
      const { until, scope, words } = entry.closed;
      loop.waitForQuota({ kind: 'quota', resetsAt: new Date(until), scope, words: words ?? undefined });
      return false;
    }
    const { name } = shared.quota.account;
    if (!isTold) journal.record({ type: 'waiting', cause: 'canary', account: name, until: null });
    await waitForHint(parts, shared.quota, attention);
    if (attention.reason !== undefined) {
      await shared.quota.leave();
      return false;
    }
  }
}

/** A process that dies gives no sign, so the others look again this often. */
const LOOK_AGAIN_MS = 2_000;

async function waitForHint({ clock }: RunParts, quota: QuotaGate, attention: Attention): Promise<void> {
  let tell = () => {};
  const hint = new Promise<void>((resolve) => {
    tell = resolve;
  });
  using _watch = quota.watch(() => tell());
  await attention.wait(clock.now().getTime() + LOOK_AGAIN_MS, hint);
}

/** Waits for what the loop must wait for, or until another run finds that it is over sooner. */
export async function waitOut(parts: RunParts, wait: LimitWait, attention: Attention): Promise<void> {
  if (wait.cause === 'day-budget') return waitForDay(parts, wait, attention);
  if (wait.cause === 'quota' && parts.shared !== undefined)
    return waitForReset(parts, parts.shared.quota, wait, attention);
  await attention.wait(Date.parse(wait.until));
}

/** Shares what a prompt showed about the account: it is used up, nearly used up, or usable again. */
export async function tellShared(
  { shared, clock }: RunParts,
  heard: {
    readonly trouble: ServiceTrouble | undefined;
    readonly result: ExchangeResult;
    readonly use: WindowUse | undefined;
  },
): Promise<void> {
  if (shared === undefined) return;
  const { quota, stopAtPercent = Number.POSITIVE_INFINITY } = shared;
  const { trouble, result, use } = heard;
  const now = clock.now();
  if (trouble?.kind === 'quota') {
    const resetsAt = believed(trouble.resetsAt, now);
    const words = redact(trouble.words).slice(0, MAX_WORDS);
    if (resetsAt !== null) await quota.limit({ until: resetsAt.toISOString(), scope: trouble.scope, words });
    return;
  }
  if (trouble === undefined && isAnswered(result)) await quota.answer();
  if (use === undefined || use.usedPercent < stopAtPercent) return;
  const resetsAt = believed(use.resetsAt, now);
  const words = `${Math.floor(use.usedPercent)} % is used, and the account ${quota.account.name} stops at ${stopAtPercent} %`;
  if (resetsAt !== null) await quota.limit({ until: resetsAt.toISOString(), scope: use.scope, words });
}

const MAX_WORDS = 500;

function isAnswered(result: ExchangeResult): boolean {
  return result.kind === 'response' && !['cancelled', 'failed', 'died'].includes(result.response.reason);
}

/** A turn may take hours: other runs continue as soon as the service has replied to the run that tried first. */
export function noteReply({ shared }: RunParts, event: AgentEvent): void {
  if (shared?.quota.isCanary !== true || !isReply(event)) return;
  void shared.quota.answer();
}

/** Text does not count: it may be a refusal, and some agents report usage even for that. */
function isReply(event: AgentEvent): boolean {
  return event.type === 'tool-call' || event.type === 'thinking';
}

/** The prompt is over, or was not sent. If this run tried first and got no reply, the next one may try. Records what was used. */
export async function leaveShared(parts: RunParts): Promise<undefined> {
  recordDay(parts);
  if (parts.shared?.quota.isCanary === true) await parts.shared.quota.leave();
}

/** Records what this run used today. */
export function recordDay({ shared, loop, conversation }: RunParts): void {
  const days = shared?.days;
  if (days === undefined) return;
  const today = days.today();
  const records = turnsEndedOn(conversation.usage, (time) => days.dayOf(time) === today);
  const sum = sumUsage(records);
  days.record(loop.state.sessionId, { costUsd: likelyCost(sum), tokens: sum.tokens });
}

/** A turn counts for the day on which it ended: its cost is reported at the end and covers the whole turn. */
function turnsEndedOn(records: readonly UsageRecord[], isToday: (time: Date) => boolean): UsageRecord[] {
  const ends = new Map(records.map(({ turn, timestamp }) => [turn, timestamp]));
  const isOfToday = (end: string | null) => end !== null && isToday(new Date(end));
  const today = new Set([...ends].filter(([, end]) => isOfToday(end)).map(([turn]) => turn));
  return records.filter(({ turn }) => today.has(turn));
}
