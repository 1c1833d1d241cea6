import * as z from 'zod';
import type { LockState } from '../../storage/index.js';
import { phaseOf, presetOf } from './iteration.js';
import { loopLifecycle } from './lifecycle.js';
import { NO_USAGE } from './policies/budget.js';
import { LACKS } from './policies/missing.js';
import { conditionOf } from './policies/phase-gate.js';
import { countdown, type LimitWait, limitWait } from './policies/rate-limit.js';
import type { DualGate, LoopState, LoopUsage, RateLimit } from './schema.js';
import type { Detection } from './sessions.js';
import { costSourceOf } from './usage-text.js';
import type { LoopView } from './view.js';
import { causeOfWait, describeWait } from './wait-words.js';

/** `in` and `reason` are words; the rest are facts. */
const Wait = z.object({
  cause: z.enum(['quota', 'overload', 'network', 'calls-per-hour', 'day-budget']),
  since: z.string().nullable(),
  until: z.string(),
  in: z.string(),
  reason: z.string(),
  scope: z.string().nullable(),
  words: z.string().nullable(),
});

/** The process that runs a loop, or the last one to run it if it never released the lock. */
const LoopOwner = z.object({
  /** Null if its record cannot be read. */
  pid: z.int().nullable(),
  host: z.string().nullable(),
  command: z.string().nullable(),
  since: z.string().nullable(),
  /** False only if it is proven dead. */
  isAlive: z.boolean(),
  /** How sure we are. */
  reason: z.string(),
});
export type LoopOwner = z.infer<typeof LoopOwner>;

/** A loop as the command line reports it (`--json`). */
export const LoopReport = z.object({
  sessionId: z.string(),
  kind: z.literal('loop'),
  directory: z.string(),
  prpFile: z.string(),
  status: z.enum(loopLifecycle.states),
  statusReason: z.string().nullable(),
  /** Who paused or stopped it; null if nobody did, or it was not recorded. */
  statusActor: z.string().nullable(),
  startedAt: z.string(),
  lastActivityAt: z.string(),
  pausedAt: z.string().nullable(),
  preset: z.string(),
  phase: z.string(),
  story: z.string().nullable(),
  iteration: z.int(),
  percent: z.number(),
  phases: z.array(
    z.object({
      name: z.string(),
      title: z.string().nullable(),
      progress: z.enum(['complete', 'in_progress', 'pending', 'skipped']),
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
  /** For the current phase; not measured yet if it has just begun. */
  gates: z.object({
    phase: z.string(),
    iteration: z.int(),
    isMeasured: z.boolean(),
    first: z.boolean(),
    second: z.boolean(),
    condition: z.string(),
    missing: z.array(z.object({ what: z.enum(LACKS), have: z.number(), want: z.number() })),
    values: z.record(z.string(), z.unknown()),
  }),
  storiesTotal: z.int().nullable(),
  skipped: z.array(z.object({ phase: z.string(), at: z.string(), actor: z.string(), reason: z.string() })),
  /** The newest numbers and the phase they come from; null if nothing reported any. */
  tests: z.object({ passing: z.int(), failing: z.int(), total: z.int(), from: z.string() }).nullable(),
  calls: z.object({ made: z.int(), limit: z.int(), wait: Wait.nullable() }),
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
  owner: LoopOwner.nullable(),
  /** What a killed run left running. */
  leftBehind: z.object({ pid: z.int(), command: z.string() }).nullable(),
  /** What a run of the fleet cannot reach; absent if it can reach everything. */
  cutOff: z
    .object({
      what: z.enum(['fleet', 'git']),
      since: z.string(),
      until: z.string().nullable(),
      words: z.string(),
    })
    .optional(),
  guidanceWaiting: z.int(),
  faults: z.array(z.string()),
});
export type LoopReport = z.infer<typeof LoopReport>;

/** Turns a view into its report. */
export function reportOf(view: LoopView, now: Date): LoopReport {
  const { state, documents, owner } = view;
  const { breaker, dualGate, rateLimit } = documents;
  const wait = rateLimit === undefined ? null : limitWait(rateLimit, now);
  const lastError = state.errorHistory.at(-1);
  return {
    sessionId: view.sessionId,
    kind: 'loop',
    directory: view.directory,
    prpFile: state.prpFile,
    status: view.status,
    statusReason: view.statusReason,
    statusActor: view.statusActor,
    startedAt: state.startedAt,
    lastActivityAt: state.lastActivity ?? state.startedAt,
    pausedAt: state.pausedAt ?? null,
    preset: presetOf(state).name,
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
    gates: gatesOf(state, dualGate),
    storiesTotal: state.storiesTotal ?? null,
    skipped: state.phasesSkipped.map(({ phase, at, actor, reason }) => ({ phase, at, actor, reason })),
    tests: newestTests(view),
    calls: {
      made: rateLimit?.hourly.callsMade ?? 0,
      limit: rateLimit?.hourly.limit ?? 0,
      wait: wait === null ? null : waitReport(wait, now, sinceOf(rateLimit, wait)),
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
    owner: owner.hold === 'free' ? null : ownerOf(owner),
    leftBehind: view.leftBehind,
    ...(state.cutOff == null
      ? {}
      : { cutOff: { ...state.cutOff, words: describeWait({ cause: 'cut-off', ...state.cutOff }, now) } }),
    // Guidance in the prompt the agent is answering is not waiting. It counts as delivered only if the run lives to its end.
    guidanceWaiting: view.status === 'running' && state.inFlight != null ? 0 : state.guidance.length,
    faults: [...view.faults],
  };
}

/** When the service reported the limit, if that is stored; for an overload only its end is. */
function sinceOf(rateLimit: RateLimit | undefined, { cause }: LimitWait): string | null {
  return cause === 'quota' ? (rateLimit?.quota.detectedAt ?? null) : null;
}

function waitReport(wait: LimitWait, now: Date, since: string | null): z.infer<typeof Wait> {
  return {
    cause: wait.cause,
    since,
    until: wait.until,
    in: countdown(wait.until, now),
    reason: causeOfWait(wait),
    scope: 'scope' in wait ? wait.scope : null,
    words: 'words' in wait ? wait.words : null,
  };
}

/** The state of the current phase's gates. The previous phase's result says nothing about this one. */
export function gatesOf(state: LoopState, dualGate: DualGate | undefined): LoopReport['gates'] {
  if (dualGate === undefined || dualGate.phase !== state.currentPhase || state.currentIteration === 0) {
    const condition = conditionOf(phaseOf(state), state.criteriaCount);
    const shut = { isMeasured: false, first: false, second: false, missing: [], values: {} };
    return { phase: state.currentPhase, iteration: 0, condition, ...shut };
  }
  const { first, second } = dualGate;
  return {
    phase: dualGate.phase,
    iteration: dualGate.iteration,
    isMeasured: true,
    first: first.satisfied,
    second: second.satisfied,
    condition: first.condition,
    missing: [...(first.missing ?? [])],
    values: { ...first.values },
  };
}

/** The last test numbers: from the newest phase that has any, otherwise from before anything touched the tree. */
function newestTests({ phases, state }: LoopView): LoopReport['tests'] {
  const newest = phases.findLast(({ numbers }) => typeof numbers.tests_total === 'number');
  if (newest !== undefined) {
    const { tests_passing: passing, tests_failing: failing, tests_total: total } = newest.numbers;
    return { passing: Number(passing), failing: Number(failing), total: Number(total), from: newest.name };
  }
  const tests = state.baseline?.tests ?? null;
  if (tests === null) return null;
  const { passing, failing, total } = tests;
  return { passing, failing, total, from: 'baseline' };
}

function ownerOf({ hold, owner, reason }: LockState): LoopOwner {
  const { pid = null, host = null, command = null, since = null } = owner ?? {};
  return { pid, host, command, since, isAlive: hold === 'held', reason };
}

/** What was used, with every number present. */
function usageOf(usage: LoopUsage): LoopReport['usage'] {
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
  /** What the machine should do about a session that cannot simply be resumed. */
  expiryAction: z.enum(['reset_or_abort', 'no_resume', 'create_new', 'reset']).nullable(),
  reason: z.string().nullable(),
  choices: z.array(z.enum(['resume', 'new', 'reset', 'skip', 'abort'])),
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

/** Whether the existing session belongs to a plan other than the requested one. */
export function isOfOtherPlan({ expiry }: Detection): boolean {
  return expiry.isExpired && expiry.action === 'create_new';
}

/** Whether the existing session has ended, so there is nothing to resume. */
export function isOver({ session }: Pick<Detection, 'session'>): boolean {
  return session?.status === 'completed' || session?.status === 'aborted';
}

function choicesOf({ action, expiry, session }: Detection): ResumeOffer['choices'] {
  if (action === 'offer_resume') return ['resume', 'new', 'abort'];
  // An aborted session is over.
  const mayReset = expiry.isExpired && expiry.action === 'reset_or_abort' && session?.status !== 'aborted';
  if (!mayReset) return ['new'];
  // A story cannot be skipped: the plan itself says which ones are done.
  return session?.storiesTotal === undefined ? ['reset', 'skip', 'new', 'abort'] : ['reset', 'new', 'abort'];
}
