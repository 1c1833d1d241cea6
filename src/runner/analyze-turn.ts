import type { AgentEvent } from '../agents/index.js';
import {
  claimOf,
  type IterationOutcome,
  type LimitSignal,
  type Measurement,
  NO_CLAIM,
  type Phase,
  parseStatus,
  type Used,
} from '../sessions/loop/index.js';
import type { PromptResponse } from '../sessions/process/index.js';
import type { CheckResults } from './checks.js';
import type { StoryProgress } from './plan.js';

/** How the exchange with the agent went: an answer of whatever kind, or none because it did not even start. */
export type Exchange =
  | { readonly kind: 'response'; readonly response: PromptResponse; readonly timeUp: TimeUp | null }
  | { readonly kind: 'failure'; readonly message: string; readonly timeUp: TimeUp | null };

/** Whose time was up, where we ended an exchange for that: in words. */
export type TimeUp = string;

/** What was found out about one iteration. */
export interface TurnFacts {
  readonly phase: Phase;
  readonly exchange: Exchange;
  readonly limits: LimitNotes;
  /** Null when the checks were not run. */
  readonly checks: CheckResults | null;
  readonly documents: Measurement['documents'];
  readonly progress: StoryProgress | undefined;
  readonly activeMs: number;
  /** What was used and not counted yet. */
  readonly used: Used;
}

/** What an iteration achieved, as the loop judges it. Pure. */
export function analyzeTurn(facts: TurnFacts): IterationOutcome {
  const { exchange, limits, activeMs, used } = facts;
  if (exchange.kind === 'failure') {
    return {
      run: exchange.timeUp === null ? 'crashed' : 'timed-out',
      measured: measurementOf(facts),
      claim: NO_CLAIM,
      error: exchange.timeUp ?? exchange.message,
      usage: { ...used, activeMs },
    };
  }
  const { response } = exchange;
  const limit = limits.signal(response);
  const run = exchange.timeUp !== null ? 'timed-out' : runOf(response, limit);
  return {
    run,
    measured: measurementOf(facts),
    // Only an answer that was finished says anything.
    claim: run === 'answered' ? claimOf(parseStatus(response.stdout)) : NO_CLAIM,
    error: errorOf(facts, response, run),
    permissionDenials: response.denials.length,
    usage: { ...used, activeMs },
    ...(limit === undefined ? {} : { limit }),
    ...(facts.progress === undefined ? {} : { nextStory: facts.progress.nextStory }),
  };
}

/** Whether an exchange is worth running the checks for: it was answered, or it changed something. */
export function isWorthChecking(exchange: Exchange): boolean {
  if (exchange.kind === 'failure') return false;
  const { reason, changes } = exchange.response;
  return reason === 'completed' || changes?.hasChanges === true;
}

/** What the agent's service said about limits during one exchange. */
export class LimitNotes {
  #resetsAt: string | null = null;
  #status: number | null = null;
  #retryDelayMs: number | null = null;
  #words = '';

  add(event: AgentEvent): void {
    if (event.type === 'rate-limit' && event.status === 'rejected') {
      this.#resetsAt = event.resetsAt;
      this.#words += ` ${event.message}`;
    } else if (event.type === 'error' || event.type === 'retry') {
      this.#status = event.status ?? this.#status;
      this.#words += ` ${event.message}`;
      if (event.type === 'retry') this.#retryDelayMs = event.delayMs;
    }
  }

  /** Undefined where the exchange did not end because of a limit. */
  signal({ reason, message }: Pick<PromptResponse, 'reason' | 'message'>): LimitSignal | undefined {
    if (reason !== 'rate-limited' && reason !== 'failed') return undefined;
    const words = `${message ?? ''}${this.#words}`;
    if (DISABLED.test(words)) return { kind: 'disabled', message: message ?? words.trim() };
    if (this.#resetsAt !== null) return { kind: 'quota', resetsAt: new Date(this.#resetsAt) };
    if (isOverload(this.#status) || OVERLOADED.test(words))
      return { kind: 'overload', retryAfterMs: this.#retryDelayMs ?? undefined };
    return reason === 'rate-limited' ? { kind: 'quota' } : undefined;
  }
}

const DISABLED = /\bdisabled by (?:your |an? |the )?(?:admin\w*|organi[sz]ation)/i;
const OVERLOADED = /\boverloaded\b/i;

function isOverload(status: number | null): boolean {
  return status === 429 || (status !== null && status >= 500 && status <= 599);
}

function runOf({ reason }: PromptResponse, limit: LimitSignal | undefined): IterationOutcome['run'] {
  if (reason === 'completed') return 'answered';
  if (reason === 'rate-limited' || limit !== undefined) return 'limited';
  return reason === 'died' ? 'crashed' : 'failed';
}

function measurementOf({ exchange, checks, documents, progress }: TurnFacts): Measurement | null {
  if (checks === null) return null;
  const changes = exchange.kind === 'response' ? exchange.response.changes : null;
  return {
    exitCode: checks.exitCode,
    tests: checks.tests,
    // What could not be measured is no change: the words of an agent are no measurement.
    hasTreeChanged: changes?.hasChanges ?? false,
    files: {
      created: changes?.created.length ?? 0,
      modified: changes?.modified.length ?? 0,
      deleted: changes?.deleted.length ?? 0,
    },
    documents,
    ...(progress === undefined ? {} : { tasks: progress.tasks }),
  };
}

function errorOf(facts: TurnFacts, response: PromptResponse, run: IterationOutcome['run']): string | null {
  if (facts.exchange.timeUp !== null) return facts.exchange.timeUp;
  if (run !== 'answered') return response.message ?? `the agent's turn ended: ${response.reason}`;
  const [denial] = response.denials;
  if (denial !== undefined) return `permission denied: ${denial.name}: ${denial.title}`;
  // Tests that fail are what the first phase is for.
  return facts.phase.gate === 'new-tests-fail' ? null : (facts.checks?.failure ?? null);
}
