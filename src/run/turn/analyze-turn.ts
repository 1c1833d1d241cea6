import type { HopelessCause, ServiceTrouble, TurnEndReason } from '../../agents/index.js';
import { visibleExcerpt } from '../../foundation/index.js';
import {
  type IterationOutcome,
  type LimitSignal,
  type Measurement,
  NO_SELF_REPORT,
  type Phase,
  parseStatus,
  selfReportOf,
  type Used,
  wantsFailingTests,
} from '../../sessions/loop/index.js';
import type { PromptResponse } from '../../sessions/process/index.js';
import { isDocument } from '../../workspace/index.js';
import type { StoryProgress } from '../plan/plan.js';
import type { CheckResults } from './checks.js';

/** How the exchange with the agent went: an answer of whatever kind, or none because the agent did not even start. */
export type ExchangeResult =
  | { readonly kind: 'response'; readonly response: PromptResponse; readonly timeUp: TimeUp | null }
  | { readonly kind: 'failure'; readonly message: string; readonly timeUp: TimeUp | null };

/** Whose time was up, in words, if we ended an exchange for that. */
export type TimeUp = string;

/** The facts about one iteration. */
export interface IterationFacts {
  readonly phase: Phase;
  readonly result: ExchangeResult;
  /** Why the agent's service did not answer; undefined if that did not end the exchange. */
  readonly trouble: ServiceTrouble | undefined;
  /** Null when the checks were not run. */
  readonly checks: CheckResults | null;
  /** How often they ran; all runs before the last were green. */
  readonly runs?: number | undefined;
  readonly documents: Pick<Measurement['documents'], 'total' | 'decisionRecords'>;
  readonly progress: StoryProgress | undefined;
  readonly activeMs: number;
  /** What was used and has not been counted yet. */
  readonly used: Used;
}

/** What an iteration achieved, as the loop judges it. Pure. */
export function analyzeTurn(facts: IterationFacts): IterationOutcome {
  const { result, activeMs, used } = facts;
  const limit = result.timeUp === null ? limitOf(facts.trouble) : undefined;
  if (result.kind === 'failure') {
    return {
      run: result.timeUp !== null ? 'timed-out' : limit !== undefined ? 'limited' : 'crashed',
      measured: measurementOf(facts),
      claim: NO_SELF_REPORT,
      error: result.timeUp ?? result.message,
      usage: { ...used, activeMs },
      ...(limit === undefined ? {} : { limit }),
    };
  }
  const { response } = result;
  const run = result.timeUp !== null ? 'timed-out' : runOf(response, limit);
  return {
    run,
    measured: measurementOf(facts),
    // Only a finished answer claims anything.
    claim: run === 'answered' ? selfReportOf(parseStatus(response.stdout)) : NO_SELF_REPORT,
    ...errorOf(facts, response, run),
    permissionDenials: response.denials.length,
    usage: { ...used, activeMs },
    ...(limit === undefined ? {} : { limit }),
    ...(facts.progress === undefined ? {} : { nextStory: facts.progress.nextStory }),
  };
}

/** Whether the agent says in a finished answer that its phase is done. */
export function saysDone(result: ExchangeResult): boolean {
  if (result.kind === 'failure' || result.timeUp !== null) return false;
  const { reason, stdout } = result.response;
  return reason === 'completed' && selfReportOf(parseStatus(stdout)).exitSignal === true;
}

/** Whether an exchange is worth running the checks for: it was answered, or it changed something. */
export function isWorthChecking(result: ExchangeResult): boolean {
  if (result.kind === 'failure') return false;
  const { reason, changes } = result.response;
  return reason === 'completed' || changes?.hasChanges === true;
}

/** How an exchange ended, as far as the agent's service may have caused it. */
export function endOf(result: ExchangeResult): {
  reason: TurnEndReason | 'not-started';
  message: string | null;
} {
  if (result.kind === 'failure') return { reason: 'not-started', message: result.message };
  const { reason, message } = result.response;
  return { reason, message };
}

/** What trouble with the agent's service means for the loop. */
function limitOf(trouble: ServiceTrouble | undefined): LimitSignal | undefined {
  if (trouble?.kind !== 'hopeless') return trouble;
  return { kind: 'hopeless', reason: haltReason(trouble) };
}

const CAUSES: Readonly<Record<HopelessCause, string>> = {
  login: 'the agent is not logged in',
  model: "the agent's model is not available",
  credit: "the account of the agent's service has no credit",
  disabled: "the agent's service is disabled for this account",
};

function haltReason({ cause, words, wayOut }: Extract<ServiceTrouble, { kind: 'hopeless' }>): string {
  const quoted = words === '' ? '' : ` ("${visibleExcerpt(words.replace(/\.$/, ''), 200)}")`;
  return `${CAUSES[cause]}${quoted}. ${wayOut}`;
}

function runOf({ reason }: PromptResponse, limit: LimitSignal | undefined): IterationOutcome['run'] {
  if (reason === 'completed') return 'answered';
  if (limit !== undefined) return 'limited';
  return reason === 'died' ? 'crashed' : 'failed';
}

function measurementOf({
  result,
  checks,
  runs = 1,
  documents,
  progress,
}: IterationFacts): Measurement | null {
  if (checks === null) return null;
  const changes = result.kind === 'response' ? result.response.changes : null;
  return {
    exitCode: checks.exitCode,
    tests: checks.tests,
    // If nothing could be measured, nothing changed: the agent's words are no measurement.
    hasTreeChanged: changes?.hasChanges ?? false,
    files: {
      created: changes?.created.length ?? 0,
      modified: changes?.modified.length ?? 0,
      deleted: changes?.deleted.length ?? 0,
    },
    documents: { ...documents, changed: changedDocuments(changes) },
    ...(runs > 1 ? { runs } : {}),
    ...(progress === undefined ? {} : { tasks: progress.tasks }),
  };
}

function changedDocuments(changes: PromptResponse['changes']): number {
  if (changes === null) return 0;
  return [...changes.created, ...changes.modified].filter(isDocument).length;
}

function errorOf(
  facts: IterationFacts,
  response: PromptResponse,
  run: IterationOutcome['run'],
): Pick<IterationOutcome, 'error' | 'denied'> {
  if (facts.result.timeUp !== null) return { error: facts.result.timeUp };
  if (run !== 'answered') return { error: response.message ?? `the agent's turn ended: ${response.reason}` };
  const [denied] = deniedIn(response);
  if (denied !== undefined) return { error: `permission denied: ${denied}`, denied };
  // Failing tests are the purpose of the first phase.
  return { error: wantsFailingTests(facts.phase) ? null : (facts.checks?.failure ?? null) };
}

/** What the agent was denied, one entry each. */
export function deniedIn({ denials }: Pick<PromptResponse, 'denials'>): string[] {
  return denials.map(({ name, title }) => `${name}: ${title}`);
}
