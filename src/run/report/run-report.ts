import {
  type Codec,
  named,
  nullable,
  number,
  optional,
  RecordFault,
  record,
  text,
  withDefault,
  withoutNoise,
} from '../../foundation/index.js';
import { type ConversationView, sumUsage, type UsageTotals } from '../../sessions/conversation/index.js';
import {
  type ChangedFile,
  type CostSource,
  costSourceOf,
  type LoopView,
  type ShownUsage,
} from '../../sessions/loop/index.js';
import { outcomeInWords, type QuestionView } from '../../sessions/question/index.js';
import type { WorktreeReport } from '../worktree/worktree-report.js';

const someNumber = optional(number());
/** What an iteration measured; its file keeps the published names. */
const Numbers = record(
  {
    timestamp: optional(text),
    iteration: someNumber,
    total: named('tests_total', someNumber),
    passing: named('tests_passing', someNumber),
    failing: named('tests_failing', someNumber),
  },
  'drop',
);
const tokens = withDefault(number(), () => 0);
/** What release 0.1 kept with an answer. */
const Used = record(
  {
    inputTokens: tokens,
    outputTokens: tokens,
    cacheReadTokens: tokens,
    cacheWriteTokens: tokens,
    costUsd: withDefault(nullable(number()), () => null),
  },
  'drop',
);

/** What a loop did, from its files alone. */
export interface RunReport {
  readonly sessionId: string;
  readonly plan: string;
  readonly status: string;
  /** Why it stands as it does: why it stopped, or null. */
  readonly reason: string | null;
  readonly startedAt: string;
  readonly lastActivityAt: string;
  /** From its start to its end, or to when it was last active. */
  readonly elapsedMs: number;
  readonly usage: {
    readonly iterations: number;
    readonly activeMs: number;
  } & UsedReport;
  /** Where prices come from that were used, with their date. */
  readonly priceSources: readonly string[];
  readonly phases: readonly PhaseReport[];
  /** Phases that a person ended without their gates. */
  readonly skipped: readonly {
    readonly phase: string;
    readonly at: string;
    readonly actor: string;
    readonly reason: string;
  }[];
  readonly tests: readonly IterationTests[];
  /** Before anybody touched the tree, and what they came to last; null where nothing told numbers. */
  readonly testsBefore: TestNumbers | null;
  readonly testsAfter: TestNumbers | null;
  /** What it changed since it began; null where nobody knows. */
  readonly files: readonly ReportedFile[] | null;
  readonly questions: readonly AskedQuestion[];
  /** Permissions that were denied, with what was wanted. */
  readonly denials: readonly { readonly at: string; readonly what: string }[];
  readonly errors: readonly { readonly at: string; readonly phase: string; readonly error: string }[];
  readonly breaker: { readonly state: string; readonly openReason: string | null };
  readonly conversation: string | null;
  /** What its last run in the background said before it ended, if anything. */
  readonly lastWords: string | null;
  /** Where its lines are kept. */
  readonly log: string | null;
  /** The worktree that it works in; null for one that works in the project itself. */
  readonly worktree: WorktreeReport | null;
}

export interface TestNumbers {
  readonly passing: number;
  readonly failing: number;
  readonly total: number;
}

/** A changed file; its numbers hold the person's own changes, too, where it was not committed at the start. */
export interface ReportedFile extends ChangedFile {
  readonly wasUncommitted: boolean;
}

/** What was asked, and what became of it. */
export interface AskedQuestion {
  readonly id: string;
  readonly title: string;
  readonly prompts: readonly string[];
  readonly status: string;
  readonly askedAt: string;
  readonly askedBy: string | null;
  /** The answer as the agent reads it, or the reason why there is none; null while it waits. */
  readonly answer: string | null;
  readonly answeredAt: string | null;
  /** Who gave it, where that is known. */
  readonly answeredBy: string | null;
}

/** Tokens and money, as `costText` and `tokensText` show them. */
export type UsedReport = UsageTotals & { readonly costSource: CostSource };

export interface PhaseReport extends UsedReport {
  readonly name: string;
  readonly iterations: number;
  readonly startedAt: string;
  readonly completedAt: string | null;
  readonly exitReason: string | null;
  readonly filesChanged: number;
}

export interface IterationTests {
  readonly phase: string;
  readonly iteration: number;
  readonly at: string;
  readonly total: number;
  readonly passing: number;
  readonly failing: number;
}

/** Puts a report together. Pure: what is not known is 0, null or empty. */
export function reportRun({
  loop,
  conversation,
  questions,
  lastWords,
  files,
  log,
  worktree = null,
}: {
  readonly loop: LoopView;
  readonly conversation: ConversationView | undefined;
  readonly questions: readonly QuestionView[];
  readonly lastWords: string | null;
  readonly files: readonly ChangedFile[] | null;
  readonly log: string | null;
  readonly worktree?: WorktreeReport | null;
}): RunReport {
  const { state, documents } = loop;
  const { iterations = 0, activeMs = 0 } = state.usage ?? {};
  const endedAt = state.completedAt ?? state.lastActivity ?? state.startedAt;
  const tests = testsOf(loop);
  const uncommitted = new Set(state.startedFrom?.uncommitted);
  return {
    sessionId: loop.sessionId,
    plan: state.prpFile,
    status: loop.status,
    reason: loop.statusReason,
    startedAt: state.startedAt,
    lastActivityAt: state.lastActivity ?? state.startedAt,
    elapsedMs: Math.max(0, Date.parse(endedAt) - Date.parse(state.startedAt)),
    usage: { iterations, activeMs, ...usedInAll(loop, conversation) },
    priceSources: [...new Set(conversation?.usage.flatMap(({ priceSource }) => priceSource ?? []))],
    phases: phasesOf(loop, conversation),
    skipped: state.phasesSkipped.map(({ phase, at, actor, reason }) => ({ phase, at, actor, reason })),
    tests,
    testsBefore: numbersOf(state.baseline?.tests),
    testsAfter: numbersOf(tests.at(-1)),
    files: files?.map((file) => ({ ...file, wasUncommitted: uncommitted.has(file.path) })) ?? null,
    questions: questions.map(questionOf),
    denials: state.errorHistory.flatMap(({ timestamp, denied }) =>
      denied === undefined ? [] : [{ at: timestamp, what: denied }],
    ),
    errors: state.errorHistory
      .filter(({ denied }) => denied === undefined)
      .map(({ timestamp, phase, error }) => ({ at: timestamp, phase, error })),
    breaker: {
      state: documents.breaker?.state ?? 'CLOSED',
      openReason: documents.breaker?.openReason ?? null,
    },
    conversation: conversation?.metadata.id ?? null,
    lastWords,
    log,
    worktree,
  };
}

function numbersOf(tests: TestNumbers | null | undefined): TestNumbers | null {
  if (tests === null || tests === undefined) return null;
  const { passing, failing, total } = tests;
  return { passing, failing, total };
}

function questionOf(view: QuestionView): AskedQuestion {
  const { id, outcome, questions: asked, createdAt, asker } = view;
  return {
    id,
    title: asked[0]?.title ?? '',
    prompts: asked.map(({ prompt }) => prompt),
    status: outcome.status,
    askedAt: createdAt,
    askedBy: asker?.agent ?? null,
    answer: outcomeInWords(view),
    answeredAt: 'at' in outcome ? outcome.at : null,
    answeredBy: view.actor,
  };
}

function phasesOf({ state, documents }: LoopView, conversation: ConversationView | undefined): PhaseReport[] {
  return Object.entries(state.phaseHistory).map(([name, run]) => {
    const metrics = documents.metrics?.phases[name];
    const numbers = metrics?.finalMetrics ?? metrics?.currentMetrics ?? {};
    const filesChanged = numbers.files_changed;
    return {
      name,
      iterations: run.iterations,
      startedAt: run.startedAt,
      completedAt: run.completedAt,
      exitReason: run.exitReason ?? null,
      ...usedBetween(conversation, run.startedAt, run.completedAt),
      filesChanged: typeof filesChanged === 'number' ? filesChanged : 0,
    };
  });
}

/** What the loop has counted, and what a process that was killed did not live to count. */
function usedInAll({ state }: LoopView, conversation: ConversationView | undefined): UsedReport {
  const usage: typeof NO_USE = state.usage ?? NO_USE;
  const left = sumUsage(conversation?.usage.slice(usage.countedRecords ?? 0) ?? []);
  const sum = { ...usage, ...plus(totalsOf(usage), left) };
  return { ...totalsOf(sum), costSource: costSourceOf(sum) };
}

const NO_USE: ShownUsage & { readonly countedRecords?: number | undefined } = { tokens: 0, costUsd: 0 };

function totalsOf(usage: ShownUsage): UsageTotals {
  return {
    tokens: usage.tokens,
    cacheReadTokens: usage.cacheReadTokens ?? 0,
    costUsd: usage.costUsd,
    pricedUsd: usage.pricedUsd ?? 0,
    unpricedTokens: usage.unpricedTokens ?? (costSourceOf(usage) === 'unknown' ? usage.tokens : 0),
    estimatedTokens: usage.estimatedTokens ?? 0,
  };
}

function plus(a: UsageTotals, b: UsageTotals): UsageTotals {
  return {
    tokens: a.tokens + b.tokens,
    cacheReadTokens: a.cacheReadTokens + b.cacheReadTokens,
    costUsd: withoutNoise(a.costUsd + b.costUsd),
    pricedUsd: withoutNoise(a.pricedUsd + b.pricedUsd),
    unpricedTokens: a.unpricedTokens + b.unpricedTokens,
    estimatedTokens: a.estimatedTokens + b.estimatedTokens,
  };
}

/** What the replies within a phase used. Release 0.1 kept it with the answers. */
function usedBetween(
  conversation: ConversationView | undefined,
  from: string,
  to: string | null,
): UsedReport {
  const [fromMs, toMs] = [Date.parse(from), to === null ? Number.POSITIVE_INFINITY : Date.parse(to)];
  const isWithin = (time: string | null) => {
    const ms = Date.parse(time ?? '');
    return ms >= fromMs && ms <= toMs;
  };
  const records = conversation?.usage ?? [];
  const recorded = new Set(records.map(({ turn }) => turn));
  let used = sumUsage(records.filter(({ timestamp }) => isWithin(timestamp)));
  for (const turn of conversation?.turns ?? []) {
    if (turn.role !== 'assistant' || recorded.has(turn.number - 1) || !isWithin(turn.timestamp)) continue;
    const data = readable(Used, turn.usage);
    if (data === undefined) continue;
    const sum = data.inputTokens + data.outputTokens + data.cacheWriteTokens;
    const isKnown = data.costUsd !== null;
    used = plus(used, {
      ...totalsOf({ tokens: sum, costUsd: data.costUsd ?? 0, cacheReadTokens: data.cacheReadTokens }),
      unpricedTokens: isKnown ? 0 : sum,
    });
  }
  return { ...used, costSource: costSourceOf(used) };
}

function testsOf({ documents }: LoopView): IterationTests[] {
  const points: IterationTests[] = [];
  for (const [phase, metrics] of Object.entries(documents.metrics?.phases ?? {})) {
    for (const entry of metrics?.history ?? []) {
      const numbers = readable(Numbers, entry);
      if (numbers?.total === undefined) continue;
      points.push({
        phase,
        iteration: numbers.iteration ?? 0,
        at: numbers.timestamp ?? '',
        total: numbers.total,
        passing: numbers.passing ?? 0,
        failing: numbers.failing ?? 0,
      });
    }
  }
  return points.sort((a, b) => Date.parse(a.at) - Date.parse(b.at));
}

/** Undefined where it does not verify: a report leaves out what it cannot read. */
function readable<Value>(codec: Codec<Value>, value: unknown): Value | undefined {
  try {
    return codec.fromDisk(value);
  } catch (error) {
    if (!(error instanceof RecordFault)) throw error;
    return undefined;
  }
}
