import { createHash } from 'node:crypto';
import type { ConversationView } from '../../sessions/conversation/index.js';
import type { LoopUsage } from '../../sessions/loop/index.js';
import { verdictOf } from '../journal/describe-run.js';
import { numbersOf } from './of-loop.js';
import type { AskedQuestion, ReportedIteration } from './report-document.js';
import type { Attempt, RunHistory } from './run-history.js';
import { usedByTurns, usedSince } from './used.js';

export function iterationsOf(
  history: RunHistory,
  conversation: ConversationView | undefined,
  questions: readonly AskedQuestion[],
): ReportedIteration[] {
  let before = numbersOf(history.baseline);
  return history.attempts.map((attempt, index) => {
    const next = history.attempts[index + 1];
    const until = next?.startedAt ?? null;
    const prompt = promptOf(conversation, attempt.startedAt, until);
    const usedAfter: LoopUsage | null = next?.usedBefore ?? history.standing?.usage ?? null;
    const after = numbersOf(attempt.result?.tests);
    const testsBefore = before;
    before = after ?? before;
    return {
      number: index + 1,
      ...whereOf(attempt),
      ...endOf(attempt),
      prompt,
      ...workOf(attempt),
      testsBefore,
      testsAfter: after,
      used:
        conversation === undefined || prompt === null
          ? usedSince(attempt.usedBefore, usedAfter)
          : usedByTurns(conversation, new Set(prompt.turns)),
      questions: questions
        .filter(({ askedAt }) => isWithin(askedAt, attempt.startedAt, attempt.endedAt ?? until))
        .map(({ id }) => id),
    };
  });
}

function whereOf({ phase, story, iteration, title, startedAt, endedAt, result }: Attempt) {
  const durationMs = endedAt === null ? null : Math.max(0, Date.parse(endedAt) - Date.parse(startedAt));
  const activeMs = result?.activeMs ?? null;
  const waitedMs = durationMs === null || activeMs === null ? null : Math.max(0, durationMs - activeMs);
  return { phase, story, iteration, title, startedAt, endedAt, durationMs, activeMs, waitedMs };
}

const CUTS: Readonly<Record<string, string>> = {
  signal: 'cut short by a signal',
  request: 'cut short by a request',
  question: 'cut short by a question',
  lost: 'cut short: another process took the run over',
  journal: 'cut short: its journal could not be written',
};

function endOf({ end, cutReason, result }: Attempt) {
  return {
    end,
    cutReason,
    verdict: verdictIn({ end, cutReason, result }),
    isGateOpen: result?.gates.first ?? false,
    saysDone: result?.gates.second ?? false,
    missing: result?.gates.missing ?? [],
    breaker: result?.breaker ?? null,
    error: result?.error ?? null,
  };
}

function verdictIn({ end, cutReason, result }: Pick<Attempt, 'end' | 'cutReason' | 'result'>): string {
  if (result !== null) return verdictOf(result);
  if (end === 'cut') return CUTS[cutReason ?? ''] ?? `cut short: ${cutReason}`;
  return end === 'lost'
    ? 'its process ended without a word; the next try continues from what it left'
    : 'not over yet';
}

function workOf({ result, checks, toolCalls, said }: Attempt) {
  return {
    files: result?.files ?? null,
    changed: result?.changed ?? null,
    filesLeft: result?.filesLeft ?? 0,
    checks,
    toolCalls,
    said: said.trim(),
    denials: result?.denials ?? [],
  };
}

const DIGEST_LENGTH = 12;

/** The prompts sent during an iteration; an agent that is restarted is sent its prompt again. */
function promptOf(
  conversation: ConversationView | undefined,
  from: string,
  until: string | null,
): ReportedIteration['prompt'] {
  const sent = conversation?.turns.filter(
    ({ role, timestamp }) => role === 'user' && isWithin(timestamp, from, until),
  );
  if (sent === undefined || sent.length === 0) return null;
  const text = sent.map(({ content }) => content).join('\n');
  const digest = createHash('sha256').update(text).digest('hex').slice(0, DIGEST_LENGTH);
  return { turns: sent.map(({ number }) => number), characters: text.length, digest };
}

function isWithin(at: string, from: string, until: string | null): boolean {
  const ms = Date.parse(at);
  return ms >= Date.parse(from) && (until === null || ms < Date.parse(until));
}
