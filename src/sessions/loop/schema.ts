import {
  anything,
  type Codec,
  count,
  filledText,
  flag,
  isUuidV4,
  listOf,
  mapOf,
  named,
  nullable,
  number,
  object,
  oneOf,
  optional,
  pairOf,
  record,
  text,
  textThat,
  time,
  type ValueOf,
  whole,
  withDefault,
} from '../../foundation/index.js';
import { loopLifecycle } from './lifecycle.js';
import { Missing } from './policies/missing.js';
import { Phase, PRESET_NAMES } from './policies/presets.js';

const ZERO = () => 0;
const counter = withDefault(count, ZERO);
const amount = withDefault(number(0), ZERO);
const nothing = () => null;
const maybeTime = withDefault(nullable(time), nothing);
const maybeText = withDefault(nullable(text), nothing);
const numbers = object;

function nullish<Value>(codec: Codec<Value>): Codec<Value | null | undefined> {
  return optional(nullable(codec));
}

function listIn<Value>(codec: Codec<Value>): Codec<Value[]> {
  return withDefault(listOf(codec), () => []);
}

/** Our keys in every document: the session, the format, and the commit that wrote it. */
const STAMP = { version: optional(whole()), commit: optional(count) };
const OURS = { sessionId: named('session_id', optional(text)), ...STAMP };

const ErrorEntry = record({
  timestamp: time,
  phase: text,
  iteration: count,
  error: text,
  hash: text,
  /** What was denied, if that is the error; release 0.1 put it only in the text. */
  denied: optional(text),
});
export type ErrorEntry = ValueOf<typeof ErrorEntry>;

const PhaseRun = record({
  startedAt: named('started_at', time),
  completedAt: named('completed_at', maybeTime),
  iterations: count,
  exitReason: named('exit_reason', optional(text)),
});

/** A phase that a person ended without its gates: who, when and why. */
const SkippedPhase = record({ phase: text, at: time, actor: text, reason: text });
export type SkippedPhase = ValueOf<typeof SkippedPhase>;

/** The numbers of a test run. */
const TestCounts = record({ total: count, passing: count, failing: count, skipped: counter });
export type TestCounts = ValueOf<typeof TestCounts>;

/** What the checks said before anything touched the tree: the exit code, and the numbers if there were any. */
const Baseline = record({ exitCode: named('exit_code', nullable(whole())), tests: nullable(TestCounts) });
export type Baseline = ValueOf<typeof Baseline>;

/** What a session has used up, over all restarts. */
const LoopUsage = record({
  iterations: counter,
  activeMs: named('active_ms', amount),
  /** Input, output and cache writes. */
  tokens: counter,
  costUsd: named('cost_usd', amount),
  /** Counted apart from the tokens, never among them. Release 0.1 wrote neither this nor the following keys. */
  cacheReadTokens: named('cache_read_tokens', optional(count)),
  /** How much of the cost comes from a price list. */
  pricedUsd: named('priced_usd', optional(number(0))),
  /** Tokens whose cost is unknown. */
  unpricedTokens: named('unpriced_tokens', optional(count)),
  /** Tokens that are an estimate. */
  estimatedTokens: named('estimated_tokens', optional(count)),
  /** How many usage records of the run's conversation are included here. */
  countedRecords: named('counted_records', optional(count)),
});
export type LoopUsage = ValueOf<typeof LoopUsage>;

const someAmount = optional(number(Number.MIN_VALUE, Number.POSITIVE_INFINITY, 'not a number above 0'));

/** What it may use up; absent = no limit. */
const Budget = record({
  iterations: optional(whole(1)),
  activeMs: named('active_ms', someAmount),
  tokens: optional(whole(1)),
  costUsd: named('cost_usd', someAmount),
});
export type Budget = ValueOf<typeof Budget>;

/** A file that a run changed, with line counts if they could be determined. */
const ChangedFile = record({
  path: text,
  added: withDefault(nullable(count), nothing),
  deleted: withDefault(nullable(count), nothing),
});
export type ChangedFile = ValueOf<typeof ChangedFile>;

/** Where the work began, in a repository: the commit, and the uncommitted files. */
const StartedFrom = record({ commit: maybeText, uncommitted: listIn(text) });
export type StartedFrom = ValueOf<typeof StartedFrom>;

/** `loop-state.json`: the session itself. */
export const LoopState = record({
  sessionId: named('session_id', filledText),
  prpFile: named('prp_file', filledText),
  startedAt: named('started_at', time),
  currentPhase: named('current_phase', filledText),
  /** Completed iterations of this phase. */
  currentIteration: named('current_iteration', counter),
  lastActivity: named('last_activity', optional(time)),
  status: oneOf(loopLifecycle.states),
  haltReason: named('halt_reason', maybeText),
  phasesCompleted: named('phases_completed', listIn(text)),
  errorHistory: named('error_history', listIn(ErrorEntry)),
  phaseHistory: named(
    'phase_history',
    withDefault(mapOf(PhaseRun), () => ({})),
  ),
  totalAgentCalls: named('total_agent_calls', counter),
  pauseReason: named('pause_reason', nullish(text)),
  pausedAt: named('paused_at', nullish(time)),
  suspendReason: named('suspend_reason', nullish(text)),
  /** The signal that suspended it, and the boot of the machine it happened in; absent if there was none. */
  suspendedBy: named(
    'suspended_by',
    nullish(record({ signal: text, bootId: named('boot_id', nullable(text)) })),
  ),
  resumedAt: named('resumed_at', nullish(time)),
  completedAt: named('completed_at', nullish(time)),
  /** SHA-256 of the plan at the start; null for a plan that is a directory. */
  prpHash: named('prp_hash', nullish(text)),
  criteriaCount: named('criteria_count', counter),
  preset: optional(record({ name: oneOf(PRESET_NAMES), phases: listOf(Phase, 1) })),
  /** The current story, if the plan has stories. */
  currentStory: named('current_story', nullish(text)),
  storiesTotal: named('stories_total', optional(count)),
  /** All stories of the plan when the session began. */
  stories: optional(listOf(record({ id: text, title: text }))),
  /** Phases that a person ended without their gates. */
  phasesSkipped: named('phases_skipped', listIn(SkippedPhase)),
  /** The iteration that has begun and is not complete. */
  inFlight: named(
    'in_flight',
    nullish(record({ phase: text, iteration: count, startedAt: named('started_at', time) })),
  ),
  /** The iteration that a crash or signal cut short, until the next one is complete. */
  interrupted: nullish(
    record({
      phase: text,
      iteration: count,
      startedAt: named('started_at', time),
      /** How many files it changed, once counted. */
      filesChanged: named('files_changed', optional(count)),
    }),
  ),
  /** The machine it came from, until an iteration is complete here. */
  movedFrom: named('moved_from', nullish(text)),
  /** What a run of the fleet cannot reach, since when, and how long it may continue without it. */
  cutOff: named(
    'cut_off',
    nullish(record({ what: oneOf(['fleet', 'git']), since: time, until: nullable(time) })),
  ),
  baseline: nullish(Baseline),
  /** Tests added by the phase whose gate is `new-tests-fail`. */
  newTests: named('new_tests', counter),
  /** Guidance from people that the agent has not received yet. */
  guidance: listIn(text),
  /** Questions the agent asked in this session and has no answer to yet. */
  openQuestions: named('open_questions', listIn(textThat(isUuidV4, 'not a UUID v4'))),
  /** The number of the last request from outside that was taken. */
  lastRequest: named(
    'last_request',
    withDefault(whole(-1), () => -1),
  ),
  usage: optional(LoopUsage),
  budget: optional(Budget),
  startedFrom: named('started_from', nullish(StartedFrom)),
  /** What it has changed, as of its last stop. */
  filesChanged: named('files_changed', optional(listOf(ChangedFile))),
  ...STAMP,
});
export type LoopState = ValueOf<typeof LoopState>;

/** What `loop-state.json` says, whether or not it verifies. The published check uses it key by key. */
export const FoundState = record(
  {
    sessionId: named('session_id', anything),
    prpFile: named('prp_file', anything),
    startedAt: named('started_at', anything),
    currentPhase: named('current_phase', anything),
    status: anything,
    haltReason: named('halt_reason', anything),
  },
  'drop',
);
export type FoundState = Readonly<Partial<ValueOf<typeof FoundState>>>;

/** The keys the published check requires, by their published names. */
export const REQUIRED_KEYS = [
  ['sessionId', 'session_id'],
  ['prpFile', 'prp_file'],
  ['startedAt', 'started_at'],
  ['currentPhase', 'current_phase'],
  ['status', 'status'],
] as const satisfies readonly (readonly [keyof FoundState, string])[];

/** What every document says about itself, whether or not the rest verifies. */
export const Stamp = record({ version: anything, commit: anything }, 'drop');

const BreakerEvent = record({
  timestamp: time,
  event: oneOf(['state_change', 'progress', 'error', 'reset']),
  fromState: named('from_state', optional(text)),
  toState: named('to_state', optional(text)),
  reason: nullish(text),
});

/** `circuit-breaker.json`. */
export const Breaker = record({
  state: oneOf(['CLOSED', 'HALF_OPEN', 'OPEN']),
  noProgressCount: named('no_progress_count', counter),
  sameErrorCount: named('same_error_count', counter),
  permissionDenialCount: named('permission_denial_count', counter),
  failedRunCount: named('failed_run_count', counter),
  /** By phase: the best numbers so far. Progress means beating them. */
  lastProgressMetric: named(
    'last_progress_metric',
    withDefault(mapOf(numbers), () => ({})),
  ),
  lastErrorHash: named('last_error_hash', maybeText),
  openedAt: named('opened_at', maybeTime),
  openReason: named('open_reason', maybeText),
  history: listIn(BreakerEvent),
  ...OURS,
});
export type Breaker = ValueOf<typeof Breaker>;

const PhaseMetrics = record({
  startedAt: named('started_at', time),
  completedAt: named('completed_at', maybeTime),
  iterations: count,
  currentMetrics: named('current_metrics', optional(numbers)),
  finalMetrics: named('final_metrics', optional(numbers)),
  history: optional(listOf(numbers)),
});
export type PhaseMetrics = ValueOf<typeof PhaseMetrics>;

/** `metrics.json`. */
export const Metrics = record({
  sessionId: named('session_id', filledText),
  prpFile: named('prp_file', optional(text)),
  startedAt: named('started_at', optional(time)),
  currentPhase: named('current_phase', text),
  phases: withDefault(mapOf(nullable(PhaseMetrics)), () => ({})),
  ...STAMP,
});
export type Metrics = ValueOf<typeof Metrics>;

const no = withDefault(flag, () => false);

const Quota = record({
  detected: no,
  detectedAt: named('detected_at', maybeTime),
  resumeAt: named('resume_at', maybeTime),
  waiting: no,
  kind: nullish(text),
  /** The service's own words. */
  words: nullish(text),
});

const Overload = record({
  count: counter,
  retryAt: named('retry_at', maybeTime),
  cause: nullish(oneOf(['overload', 'network'])),
  status: nullish(whole()),
  words: nullish(text),
});

/** `rate-limit.json`. */
export const RateLimit = record({
  hourly: record({
    callsMade: named('calls_made', counter),
    limit: withDefault(whole(1), () => 100),
    windowStart: named('window_start', maybeTime),
    nextReset: named('next_reset', maybeTime),
    /** Calls by the minute they were made in, oldest first: the window rolls. */
    minutes: listIn(pairOf(time, count)),
  }),
  /** The published name comes from one agent, but it holds the limit of any agent. */
  quota: named(
    'anthropic_5h',
    withDefault(Quota, () => Quota.fromDisk({})),
  ),
  /** `count`: consecutive limits without a known end. */
  overload: withDefault(Overload, () => Overload.fromDisk({})),
  /** The daily budget that all runs share is used up. */
  day: nullish(record({ until: time, words: text })),
  paused: no,
  pauseReason: named('pause_reason', maybeText),
  pausedAt: named('paused_at', maybeTime),
  ...OURS,
});
export type RateLimit = ValueOf<typeof RateLimit>;

/** `dual-gate.json`: the state of the gates at the last iteration. */
export const DualGate = record({
  phase: text,
  iteration: count,
  first: named(
    'gate_1',
    record({
      satisfied: flag,
      condition: text,
      values: withDefault(numbers, () => ({})),
      /** What is not met, in numbers; absent in files of older releases. */
      missing: optional(listOf(Missing)),
    }),
  ),
  second: named('gate_2', record({ satisfied: flag, source: text })),
  canExit: named('can_exit', flag),
  timestamp: time,
  ...OURS,
});
export type DualGate = ValueOf<typeof DualGate>;

/** All documents of a session as of one commit. */
export interface LoopDocuments {
  readonly state: LoopState;
  readonly breaker: Breaker;
  readonly metrics: Metrics;
  readonly rateLimit: RateLimit;
  readonly dualGate: DualGate;
}

export type DocumentName = keyof LoopDocuments;

/** The documents, their files and their codecs. */
export const DOCUMENTS = {
  state: { file: 'loop-state.json', codec: LoopState },
  breaker: { file: 'circuit-breaker.json', codec: Breaker },
  metrics: { file: 'metrics.json', codec: Metrics },
  rateLimit: { file: 'rate-limit.json', codec: RateLimit },
  dualGate: { file: 'dual-gate.json', codec: DualGate },
} as const satisfies Record<DocumentName, { file: string; codec: unknown }>;

export const STATUS_LOG = 'phase-status.log';
