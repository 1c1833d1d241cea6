import * as z from 'zod';
import { diskObject } from './disk-keys.js';
import { loopLifecycle } from './lifecycle.js';
import { Missing } from './policies/missing.js';
import { Phase, PRESET_NAMES } from './policies/presets.js';

/** The id of a loop session: a UUID v4. */
export const LoopSessionId = z.uuidv4('not a UUID v4');

const Time = z.iso.datetime({ offset: true, error: 'not a time' });
const Count = z.int().nonnegative();

/** Keys of ours in every document: the format, the session, and which commit wrote it. */
const OURS = { version: z.int().optional(), commit: Count.optional(), sessionId: z.string().optional() };

export const ErrorEntry = diskObject({
  timestamp: Time,
  phase: z.string(),
  iteration: Count,
  error: z.string(),
  hash: z.string(),
  /** What was denied, where that is the error; release 0.1 told it in the text alone. */
  denied: z.string().optional(),
});
export type ErrorEntry = z.infer<typeof ErrorEntry>;

const PhaseRun = diskObject({
  startedAt: Time,
  completedAt: Time.nullable().default(null),
  iterations: Count,
  exitReason: z.string().optional(),
});

/** A phase that a person ended without its gates: who, when and why. */
export const SkippedPhase = diskObject({
  phase: z.string(),
  at: Time,
  actor: z.string(),
  reason: z.string(),
});
export type SkippedPhase = z.infer<typeof SkippedPhase>;

/** Numbers of a test run. */
export const TestCounts = diskObject({
  total: Count,
  passing: Count,
  failing: Count,
  skipped: Count.default(0),
});
export type TestCounts = z.infer<typeof TestCounts>;

/** What the checks said before anybody touched the tree: the exit code, and the numbers where it told any. */
export const Baseline = diskObject({ exitCode: z.int().nullable(), tests: TestCounts.nullable() });
export type Baseline = z.infer<typeof Baseline>;

/** What a session has used up, over all restarts. */
export const Usage = diskObject({
  iterations: Count.default(0),
  activeMs: z.number().nonnegative().default(0),
  /** Input, output and cache writes. */
  tokens: Count.default(0),
  costUsd: z.number().nonnegative().default(0),
  /** Beside the tokens, never among them. This and what follows is absent in what release 0.1 wrote. */
  cacheReadTokens: Count.optional(),
  /** How much of the cost is by a list of prices. */
  pricedUsd: z.number().nonnegative().optional(),
  /** Tokens whose cost nobody knows. */
  unpricedTokens: Count.optional(),
  /** Tokens that are a guess. */
  estimatedTokens: Count.optional(),
  /** How many of the usage records of the run's conversation are in here. */
  countedRecords: Count.optional(),
});
export type Usage = z.infer<typeof Usage>;

/** What it may use up; absent = as much as it needs. */
export const Budget = diskObject({
  iterations: z.int().positive().optional(),
  activeMs: z.number().positive().optional(),
  tokens: z.int().positive().optional(),
  costUsd: z.number().positive().optional(),
});
export type Budget = z.infer<typeof Budget>;

/** A file that a run changed; lines where they could be counted. */
export const ChangedFile = diskObject({
  path: z.string(),
  added: Count.nullable().default(null),
  deleted: Count.nullable().default(null),
});
export type ChangedFile = z.infer<typeof ChangedFile>;

/** Where the work began, in a repository: the commit, and the files that were not committed. */
export const StartedFrom = diskObject({
  commit: z.string().nullable().default(null),
  uncommitted: z.array(z.string()).default([]),
});
export type StartedFrom = z.infer<typeof StartedFrom>;

/** `loop-state.json`: the session itself. */
export const LoopState = diskObject({
  ...OURS,
  sessionId: z.string().min(1),
  prpFile: z.string().min(1),
  startedAt: Time,
  currentPhase: z.string().min(1),
  /** Iterations of this phase that are complete. */
  currentIteration: Count.default(0),
  lastActivity: Time.optional(),
  status: z.enum(loopLifecycle.states),
  haltReason: z.string().nullable().default(null),
  phasesCompleted: z.array(z.string()).default([]),
  errorHistory: z.array(ErrorEntry).default([]),
  phaseHistory: z.record(z.string(), PhaseRun).default({}),
  totalAgentCalls: Count.default(0),
  pauseReason: z.string().nullish(),
  pausedAt: Time.nullish(),
  suspendReason: z.string().nullish(),
  resumedAt: Time.nullish(),
  completedAt: Time.nullish(),
  /** SHA-256 of the plan as it was; null for a plan that is a directory. */
  prpHash: z.string().nullish(),
  criteriaCount: Count.default(0),
  preset: diskObject({ name: z.enum(PRESET_NAMES), phases: z.array(Phase).min(1) }).optional(),
  /** The story that is being worked on, where the plan has stories. */
  currentStory: z.string().nullish(),
  storiesTotal: Count.optional(),
  /** All stories as the plan had them when the session began. */
  stories: z.array(z.looseObject({ id: z.string(), title: z.string() })).optional(),
  /** Phases that a person ended without their gates. */
  phasesSkipped: z.array(SkippedPhase).default([]),
  /** The iteration that was begun and is not complete. */
  inFlight: diskObject({ phase: z.string(), iteration: Count, startedAt: Time }).nullish(),
  /** The iteration that a crash or a signal cut short, until the next one is complete. */
  interrupted: diskObject({
    phase: z.string(),
    iteration: Count,
    startedAt: Time,
    /** How many files it changed, once they are counted. */
    filesChanged: Count.optional(),
  }).nullish(),
  baseline: Baseline.nullish(),
  /** Tests that the phase with the gate `new-tests-fail` added. */
  newTests: Count.default(0),
  /** What people asked the agent to be told and it was not told yet. */
  guidance: z.array(z.string()).default([]),
  /** Questions that the agent asked in this session and whose answer it was not told yet. */
  openQuestions: z.array(z.uuidv4()).default([]),
  /** The number of the last request from outside that was taken. */
  lastRequest: z.int().min(-1).default(-1),
  usage: Usage.optional(),
  budget: Budget.optional(),
  startedFrom: StartedFrom.nullish(),
  /** What it changed so far, as it stood when it last stopped. */
  filesChanged: z.array(ChangedFile).optional(),
});
export type LoopState = z.infer<typeof LoopState>;

export const BreakerEvent = diskObject({
  timestamp: Time,
  event: z.enum(['state_change', 'progress', 'error', 'reset']),
  fromState: z.string().optional(),
  toState: z.string().optional(),
  reason: z.string().nullish(),
});

/** `circuit-breaker.json`. */
export const Breaker = diskObject({
  state: z.enum(['CLOSED', 'HALF_OPEN', 'OPEN']),
  noProgressCount: Count.default(0),
  sameErrorCount: Count.default(0),
  permissionDenialCount: Count.default(0),
  failedRunCount: Count.default(0),
  /** By phase: the best numbers so far; progress is to be better than them. */
  lastProgressMetric: z.record(z.string(), z.record(z.string(), z.unknown())).default({}),
  lastErrorHash: z.string().nullable().default(null),
  openedAt: Time.nullable().default(null),
  openReason: z.string().nullable().default(null),
  history: z.array(BreakerEvent).default([]),
  ...OURS,
});
export type Breaker = z.infer<typeof Breaker>;

const Numbers = z.record(z.string(), z.unknown());

export const PhaseMetrics = diskObject({
  startedAt: Time,
  completedAt: Time.nullable().default(null),
  iterations: Count,
  currentMetrics: Numbers.optional(),
  finalMetrics: Numbers.optional(),
  history: z.array(Numbers).optional(),
});
export type PhaseMetrics = z.infer<typeof PhaseMetrics>;

/** `metrics.json`. */
export const Metrics = diskObject({
  ...OURS,
  sessionId: z.string().min(1),
  prpFile: z.string().optional(),
  startedAt: Time.optional(),
  currentPhase: z.string(),
  phases: z.record(z.string(), PhaseMetrics.nullable()).default({}),
});
export type Metrics = z.infer<typeof Metrics>;

/** `rate-limit.json`. `anthropic_5h` is the published name for the limit of whatever agent it is. */
export const RateLimit = diskObject({
  hourly: diskObject({
    callsMade: Count.default(0),
    limit: z.int().positive().default(100),
    windowStart: Time.nullable().default(null),
    nextReset: Time.nullable().default(null),
    /** Calls by the minute they were made in, oldest first: the window rolls. */
    minutes: z.array(z.tuple([Time, Count])).default([]),
  }),
  anthropic_5h: diskObject({
    detected: z.boolean().default(false),
    detectedAt: Time.nullable().default(null),
    resumeAt: Time.nullable().default(null),
    waiting: z.boolean().default(false),
    kind: z.string().nullish(),
    /** What the service said. */
    words: z.string().nullish(),
  }).default({ detected: false, detectedAt: null, resumeAt: null, waiting: false }),
  /** `count`: limits in a row of which nobody said when they end. */
  overload: diskObject({
    count: Count.default(0),
    retryAt: Time.nullable().default(null),
    cause: z.enum(['overload', 'network']).nullish(),
    status: z.int().nullish(),
    words: z.string().nullish(),
  }).default({ count: 0, retryAt: null }),
  paused: z.boolean().default(false),
  pauseReason: z.string().nullable().default(null),
  pausedAt: Time.nullable().default(null),
  ...OURS,
});
export type RateLimit = z.infer<typeof RateLimit>;

/** `dual-gate.json`: how the gates stood at the last iteration. */
export const DualGate = diskObject({
  phase: z.string(),
  iteration: Count,
  gate_1: diskObject({
    satisfied: z.boolean(),
    condition: z.string(),
    values: Numbers.default({}),
    /** What is not met, in numbers; absent where an older release wrote it. */
    missing: z.array(Missing).optional(),
  }),
  gate_2: diskObject({ satisfied: z.boolean(), source: z.string() }),
  canExit: z.boolean(),
  timestamp: Time,
  ...OURS,
});
export type DualGate = z.infer<typeof DualGate>;

/** All documents of a session at one commit. */
export interface LoopDocuments {
  readonly state: LoopState;
  readonly breaker: Breaker;
  readonly metrics: Metrics;
  readonly rateLimit: RateLimit;
  readonly dualGate: DualGate;
}

export type DocumentName = keyof LoopDocuments;

/** The documents, their files and their schemas. */
export const DOCUMENTS = {
  state: { file: 'loop-state.json', schema: LoopState },
  breaker: { file: 'circuit-breaker.json', schema: Breaker },
  metrics: { file: 'metrics.json', schema: Metrics },
  rateLimit: { file: 'rate-limit.json', schema: RateLimit },
  dualGate: { file: 'dual-gate.json', schema: DualGate },
} as const satisfies Record<DocumentName, { file: string; schema: z.ZodType }>;

export const STATUS_LOG = 'phase-status.log';
