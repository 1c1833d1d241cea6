import * as z from 'zod';
import type { LockState } from '../../storage/index.js';
import { NO_USAGE } from './budget.js';
import { loopLifecycle } from './lifecycle.js';
import { countdown, mayCall } from './rate-limit.js';
import type { DualGate, LoopState } from './schema.js';
import type { Detection } from './sessions.js';
import type { LoopView } from './view.js';

const Times = z.object({
  since: z.string().nullable(),
  until: z.string(),
  in: z.string(),
  reason: z.string(),
});

/** The process that runs a loop, or ran it last without letting go. */
export const LoopOwner = z.object({
  /** Null where its record cannot be read. */
  pid: z.int().nullable(),
  host: z.string().nullable(),
  command: z.string().nullable(),
  since: z.string().nullable(),
  /** False only where it is proven dead. */
  isAlive: z.boolean(),
  /** How sure we are. */
  reason: z.string(),
});
export type LoopOwner = z.infer<typeof LoopOwner>;

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
  pausedAt: z.string().nullable(),
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
  /** How the gates of this phase stood after its last iteration; shut, with iteration 0, before the first. */
  gates: z.object({
    phase: z.string(),
    iteration: z.int(),
    first: z.boolean(),
    second: z.boolean(),
    condition: z.string(),
    values: z.record(z.string(), z.unknown()),
  }),
  /** The newest numbers, and which phase they are of; null where nothing told any. */
  tests: z.object({ passing: z.int(), failing: z.int(), total: z.int(), from: z.string() }).nullable(),
  calls: z.object({ made: z.int(), limit: z.int(), wait: Times.nullable() }),
  usage: z.object({ iterations: z.int(), activeMs: z.number(), tokens: z.int(), costUsd: z.number() }),
  budget: z.record(z.string(), z.unknown()),
  lastError: z
    .object({ at: z.string(), phase: z.string(), iteration: z.int(), error: z.string() })
    .nullable(),
  owner: LoopOwner.nullable(),
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
  const { iterations, activeMs, tokens, costUsd } = state.usage ?? NO_USAGE;
  return {
    sessionId: view.sessionId,
    kind: 'loop',
    directory: view.directory,
    prpFile: state.prpFile,
    status: view.status,
    statusReason: view.statusReason,
    startedAt: state.startedAt,
    lastActivityAt: state.lastActivity ?? state.startedAt,
    pausedAt: state.pausedAt ?? null,
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
    gates: gatesOf(state, dualGate),
    tests: newestTests(view),
    calls: {
      made: rateLimit?.hourly.callsMade ?? 0,
      limit: rateLimit?.hourly.limit ?? 0,
      wait:
        permission === undefined || permission.isAllowed
          ? null
          : {
              since: rateLimit?.anthropic_5h.detectedAt ?? null,
              until: permission.until,
              in: countdown(permission.until, now),
              reason: permission.reason,
            },
    },
    usage: { iterations, activeMs, tokens, costUsd },
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
    guidanceWaiting: state.guidance.length,
    faults: [...view.faults],
  };
}

/** The verdict on another phase, or on a story before this one, says nothing about this one. */
function gatesOf(
  { currentPhase, currentIteration }: LoopState,
  gate: DualGate | undefined,
): LoopReport['gates'] {
  const isOfThis =
    gate?.phase === currentPhase && gate.iteration === currentIteration && currentIteration > 0;
  if (gate === undefined || !isOfThis)
    return {
      phase: currentPhase,
      iteration: 0,
      first: false,
      second: false,
      condition: 'nothing was measured yet',
      values: {},
    };
  const { phase, iteration, gate_1, gate_2 } = gate;
  const { satisfied: first, condition, values } = gate_1;
  return { phase, iteration, first, second: gate_2.satisfied, condition, values: { ...values } };
}

/** What the tests came to last: in the newest phase that has numbers, else before anybody touched the tree. */
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
export function isOver({ session }: Pick<Detection, 'session'>): boolean {
  return session?.status === 'completed' || session?.status === 'aborted';
}

function choicesOf({ action, expiry, session }: Detection): ResumeOffer['choices'] {
  if (action === 'offer_resume') return ['resume', 'new', 'abort'];
  // What was given up is over.
  const mayReset = expiry.isExpired && expiry.action === 'reset_or_abort' && session?.status !== 'aborted';
  return mayReset ? ['reset', 'new', 'abort'] : ['new'];
}
