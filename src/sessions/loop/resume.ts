import { type FoundState, type LoopState, REQUIRED_KEYS } from './schema.js';

/** What detection and expiry decide by. Everything has been read already; nothing is looked up here. */
export interface SessionFacts {
  /** What `loop-state.json` says; undefined when it cannot be read. */
  readonly found: FoundState | undefined;
  /** The same, checked; undefined when it does not verify. */
  readonly state: LoopState | undefined;
  /** What does not verify, the session state first: `loop-state.json: it is not JSON`. */
  readonly faults: readonly string[];
  readonly breaker: { readonly state?: unknown; readonly openReason?: unknown } | undefined;
  /** The requested plan, and whether it is the session's plan (real paths are compared). */
  readonly prpFile: string;
  readonly isSamePrp: boolean;
  /** The phases that the session may be in. */
  readonly phases: readonly string[];
  readonly now: Date;
}

export type ExpiryAction = 'reset_or_abort' | 'no_resume' | 'create_new' | 'reset';

/** Why a session cannot simply be resumed. Time alone is never a reason. */
export type Expiry =
  | { readonly isExpired: false }
  | {
      readonly isExpired: true;
      /** The words of the published table. */
      readonly reason: string;
      /** What exactly is wrong. */
      readonly detail: string;
      readonly action: ExpiryAction;
      readonly actionWords: string;
    };

export type DetectAction = 'create_new' | 'offer_resume' | 'offer_reset';

const RESUMABLE: readonly unknown[] = ['running', 'paused', 'suspended'];
/** The clocks of two machines may differ by this much without anything being wrong. */
const MAX_SKEW_MS = 5 * 60_000;

/** The published check of a state: undefined if it can be resumed, otherwise the published message. */
export function validateState(
  found: FoundState,
  facts: Pick<SessionFacts, 'prpFile' | 'isSamePrp' | 'phases'>,
): string | undefined {
  const missing = REQUIRED_KEYS.find(([key]) => found[key] === undefined);
  if (missing !== undefined) return `Missing required field: ${missing[1]}`;
  if (!facts.isSamePrp) return `PRP mismatch: session=${String(found.prpFile)}, requested=${facts.prpFile}`;
  if (!facts.phases.includes(String(found.currentPhase)))
    return `Invalid phase: ${String(found.currentPhase)}`;
  if (RESUMABLE.includes(found.status)) return undefined;
  if (found.status === 'completed') return 'Session already completed';
  if (found.status === 'halted') return 'Session halted by Circuit Breaker';
  return `Invalid status: ${String(found.status)}`;
}

/** Whether the state of a session makes it expired. Checked in this order; each condition has its own reason and action. */
export function checkExpiry(facts: SessionFacts): Expiry {
  const { found, breaker } = facts;
  if (found === undefined) return corrupted(facts.faults[0] ?? 'loop-state.json cannot be read');
  if (!facts.isSamePrp && found.prpFile !== undefined) {
    const detail = `PRP mismatch: session=${String(found.prpFile)}, requested=${facts.prpFile}`;
    return expired('Different PRP requested', detail, 'create_new', 'Start new session for new PRP');
  }
  if (found.status === 'completed') {
    const words = 'No resume needed';
    return expired('PRP execution already completed', 'Session completed successfully', 'no_resume', words);
  }
  if (breaker?.state === 'OPEN') {
    const detail = `Circuit Breaker OPEN: ${String(breaker.openReason ?? 'no reason was recorded')}`;
    return expired('Circuit Breaker halted execution', detail, 'reset_or_abort', RESET_OR_ABORT);
  }
  if (found.status === 'halted') {
    const why =
      typeof found.haltReason === 'string' ? `Session halted: ${found.haltReason}` : 'Session halted';
    return expired('Session halted', why, 'reset_or_abort', RESET_OR_ABORT);
  }
  if (found.status === 'aborted')
    return expired('Session aborted', 'Session aborted', 'reset_or_abort', RESET_OR_ABORT);
  const error = validateState(found, facts) ?? facts.faults[0] ?? futureTime(facts);
  return error === undefined ? { isExpired: false } : corrupted(error);
}

/** What to offer, whether or not a session was found. */
export function detectAction(isFound: boolean, expiry: Expiry): DetectAction {
  if (!isFound) return 'create_new';
  return expiry.isExpired ? 'offer_reset' : 'offer_resume';
}

const RESET_OR_ABORT = 'Offer reset or abort';

function corrupted(error: string): Expiry {
  return expired(
    'Session state corrupted',
    `State corrupted: ${error}`,
    'reset',
    'Offer reset with fresh state',
  );
}

function expired(reason: string, detail: string, action: ExpiryAction, actionWords: string): Expiry {
  return { isExpired: true, reason, detail, action, actionWords };
}

function futureTime({ state, now }: SessionFacts): string | undefined {
  if (state === undefined) return undefined;
  const times = [
    ['started_at', state.startedAt],
    ['last_activity', state.lastActivity],
  ] as const;
  for (const [key, time] of times) {
    if (time !== undefined && Date.parse(time) > now.getTime() + MAX_SKEW_MS)
      return `Future timestamp: ${key} is ${time}`;
  }
  return undefined;
}
