import * as z from 'zod';
import { describeOwner } from '../../storage/index.js';
import { NO_USAGE } from './budget.js';
import { loopLifecycle } from './lifecycle.js';
import { countdown, mayCall } from './rate-limit.js';
import type { Usage } from './schema.js';
import type { Detection } from './sessions.js';
import { costSourceOf } from './usage-text.js';
import type { LoopView } from './view.js';

const Times = z.object({ until: z.string(), in: z.string(), reason: z.string() });

/** A loop as the command line tells it (`--json`). */
export const LoopReport = z.object({
  sessionId: z.string(),
  kind: z.literal('loop'),
  directory: z.string(),
  prpFile: z.string(),
  status: z.enum(loopLifecycle.states),
  statusReason: z.string().nullable(),
  startedAt: z.string(),
  lastActivityAt: z.string(),
  preset: z.string(),
  phase: z.string(),
  story: z.string().nullable(),
  iteration: z.int(),
  percent: z.number(),
  phases: z.array(
    z.object({
      name: z.string(),
      progress: z.enum(['complete', 'in_progress', 'pending']),
      percent: z.number(),
      iterations: z.int(),
      numbers: z.record(z.string(), z.unknown()),
    }),
  ),
  breaker: z.object({
    state: z.string(),
    openReason: z.string().nullable(),
    noProgressCount: z.int(),
    sameErrorCount: z.int(),
    permissionDenialCount: z.int(),
    failedRunCount: z.int(),
  }),
  gates: z.object({ first: z.boolean(), second: z.boolean(), condition: z.string() }),
  calls: z.object({ made: z.int(), limit: z.int(), wait: Times.nullable() }),
  usage: z.object({
    iterations: z.int(),
    activeMs: z.number(),
    tokens: z.int(),
    cacheReadTokens: z.int(),
    estimatedTokens: z.int(),
    costUsd: z.number(),
    costSource: z.enum(['reported', 'priced', 'unknown']),
    pricedUsd: z.number(),
    unpricedTokens: z.int(),
  }),
  budget: z.record(z.string(), z.unknown()),
  lastError: z
    .object({ at: z.string(), phase: z.string(), iteration: z.int(), error: z.string() })
    .nullable(),
  owner: z.string().nullable(),
  guidanceWaiting: z.int(),
  faults: z.array(z.string()),
});
export type LoopReport = z.infer<typeof LoopReport>;

/** Turns a view into its report. */
export function reportOf(view: LoopView, now: Date): LoopReport {
  const { state, documents, owner } = view;
  const { breaker, dualGate, rateLimit } = documents;
  const permission = rateLimit === undefined ? undefined : mayCall(rateLimit, now);
  const lastError = state.errorHistory.at(-1);
  return {
    sessionId: view.sessionId,
    kind: 'loop',
    directory: view.directory,
    prpFile: state.prpFile,
    status: view.status,
    statusReason: view.statusReason,
    startedAt: state.startedAt,
    lastActivityAt: state.lastActivity ?? state.startedAt,
    preset: state.preset?.name ?? 'tdd',
    phase: state.currentPhase,
    story: state.currentStory ?? null,
    iteration: state.currentIteration,
    percent: view.percent,
    phases: view.phases.map((phase) => ({ ...phase, numbers: { ...phase.numbers } })),
    breaker: {
      state: breaker?.state ?? 'CLOSED',
      openReason: breaker?.openReason ?? null,
      noProgressCount: breaker?.noProgressCount ?? 0,
      sameErrorCount: breaker?.sameErrorCount ?? 0,
      permissionDenialCount: breaker?.permissionDenialCount ?? 0,
      failedRunCount: breaker?.failedRunCount ?? 0,
    },
    gates: {
      first: dualGate?.gate_1.satisfied ?? false,
      second: dualGate?.gate_2.satisfied ?? false,
      condition: dualGate?.gate_1.condition ?? 'nothing was measured',
    },
    calls: {
      made: rateLimit?.hourly.callsMade ?? 0,
      limit: rateLimit?.hourly.limit ?? 0,
      wait:
        permission === undefined || permission.isAllowed
          ? null
          : { until: permission.until, in: countdown(permission.until, now), reason: permission.reason },
    },
    usage: usageOf(state.usage ?? NO_USAGE),
    budget: { ...state.budget },
    lastError:
      lastError === undefined
        ? null
        : {
            at: lastError.timestamp,
            phase: lastError.phase,
            iteration: lastError.iteration,
            error: lastError.error,
          },
    owner: owner.hold === 'free' ? null : describeOwner(owner),
    guidanceWaiting: state.guidance.length,
    faults: [...view.faults],
  };
}

/** What was used, every number there. */
function usageOf(usage: Usage): LoopReport['usage'] {
  const costSource = costSourceOf(usage);
  return {
    iterations: usage.iterations,
    activeMs: usage.activeMs,
    tokens: usage.tokens,
    cacheReadTokens: usage.cacheReadTokens ?? 0,
    estimatedTokens: usage.estimatedTokens ?? 0,
    costUsd: usage.costUsd,
    costSource,
    pricedUsd: usage.pricedUsd ?? 0,
    unpricedTokens: usage.unpricedTokens ?? (costSource === 'unknown' ? usage.tokens : 0),
  };
}

/** What is offered for a session that was found: the resume prompt as data. */
export const ResumeOffer = z.object({
  found: z.boolean(),
  sessionId: z.string().nullable(),
  action: z.enum(['create_new', 'offer_resume', 'offer_reset']),
  /** What the machine should do about a session that cannot simply go on. */
  expiryAction: z.enum(['reset_or_abort', 'no_resume', 'create_new', 'reset']).nullable(),
  reason: z.string().nullable(),
  choices: z.array(z.enum(['resume', 'new', 'reset', 'abort'])),
  warnings: z.array(z.string()),
});
export type ResumeOffer = z.infer<typeof ResumeOffer>;

/** Turns what was detected into an offer. */
export function offerOf(detection: Detection): ResumeOffer {
  const { found, session, action, reason, expiry, warnings } = detection;
  const expiryAction = expiry.isExpired ? expiry.action : null;
  return {
    found,
    sessionId: session?.sessionId ?? null,
    action,
    expiryAction,
    reason,
    choices: choicesOf(detection),
    warnings: [...warnings],
  };
}

/** Whether the session that is there belongs to another plan than the one that is asked for. */
export function isOfOtherPlan({ expiry }: Detection): boolean {
  return expiry.isExpired && expiry.action === 'create_new';
}

/** Whether nobody would go on with the session that is there. */
export function isOver({ session }: Detection): boolean {
  return session?.status === 'completed' || session?.status === 'aborted';
}

function choicesOf({ action, expiry, session }: Detection): ResumeOffer['choices'] {
  if (action === 'offer_resume') return ['resume', 'new', 'abort'];
  // What was given up is over.
  const mayReset = expiry.isExpired && expiry.action === 'reset_or_abort' && session?.status !== 'aborted';
  return mayReset ? ['reset', 'new', 'abort'] : ['new'];
}
