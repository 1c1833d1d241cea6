import { isUuidV4 } from '../foundation/index.js';
import { LoopNotFoundError, LoopNotResumableError } from '../sessions/loop/errors.js';
import type { LoopStatus } from '../sessions/loop/lifecycle.js';
import { LoopState, Metrics } from '../sessions/loop/schema.js';
import { type Detection, LoopSessions } from '../sessions/loop/sessions.js';
import { type SystemOptions, systemTools } from '../storage/index.js';

export { LoopNotFoundError, LoopNotResumableError };

/** The published configuration: just where the session is kept. */
export interface SessionConfig {
  /** The `.prp-session` directory. */
  sessionDir: string;
}

/** An entry of `error_history`. */
export interface SessionError {
  timestamp: string;
  phase: string;
  iteration: number;
  error: string;
  hash: string;
}

/** The published schema of the state, plus any keys that we do not know and those of our own. */
export interface SessionState {
  session_id: string;
  prp_file: string;
  started_at: string;
  current_phase: string;
  current_iteration: number;
  last_activity?: string;
  status: LoopStatus;
  halt_reason: string | null;
  phases_completed: string[];
  error_history: SessionError[];
  completed_at?: string | null;
  [key: string]: unknown;
}

/** The numbers for one phase in `metrics.json`. */
export interface SessionPhaseMetrics {
  started_at: string;
  completed_at: string | null;
  iterations: number;
  [key: string]: unknown;
}

/** `metrics.json`. */
export interface SessionMetrics {
  session_id: string;
  current_phase: string;
  phases: Record<string, SessionPhaseMetrics | null>;
  [key: string]: unknown;
}

/** What the published detection returns. */
export interface DetectionResult {
  found: boolean;
  /** The names of release 0.1, such as `sessionId`, still give the same values. */
  session: SessionState | null;
  action: Detection['action'];
  reason: string | null;
}

/** What the published expiry check returns. */
export type ExpirationResult =
  | { expired: false }
  | { expired: true; reason: string; action: 'reset_or_abort' | 'no_resume' | 'create_new' | 'reset' };

/** What the published resume returns. */
export interface ResumeResult {
  phase: string;
  iteration: number;
  metrics: SessionMetrics;
}

/** What the published update may change; each update also sets `last_activity`. */
export interface SessionUpdate {
  /** A later phase completes the current one; an earlier phase is repeated. */
  current_phase?: string;
  current_iteration?: number;
  status?: LoopStatus;
  /** Why the session is halted, paused or suspended. */
  halt_reason?: string;
  /** An error to record, with its phase, iteration and hash. */
  error?: string;
}

/** The loop session under the operations that its specification publishes. Each operation holds the lock only while it runs. */
export class SessionManager {
  readonly #sessions: LoopSessions;

  constructor(config: SessionConfig, options: SystemOptions = {}) {
    const tools = systemTools('holdfast/loop', options);
    this.#sessions = new LoopSessions({ ...tools, directory: config.sessionDir });
  }

  /** `{found, session, action, reason}` for a plan. */
  detectSession(prpFile: string): DetectionResult {
    const { found, session, action, reason } = this.#sessions.detect(prpFile);
    return { found, session: session === null ? null : publishedState(session), action, reason };
  }

  /** Whether a state can be resumed for a plan, with the published message if it cannot. */
  validateSession(
    state: Readonly<Record<string, unknown>>,
    prpFile: string,
  ): [isValid: boolean, error: string];
  /** @deprecated The form of release 0.1, for the existing session. Throws LOOP_NOT_FOUND. */
  validateSession(prpFile: string): { isValid: boolean; error: string };
  validateSession(
    state: Readonly<Record<string, unknown>> | string,
    prpFile = '',
  ): [boolean, string] | { isValid: boolean; error: string } {
    if (typeof state !== 'string') {
      const { error } = this.#sessions.judge(state, prpFile);
      return [error === undefined, error ?? ''];
    }
    const error = this.#sessions.validate(state);
    return { isValid: error === undefined, error: error ?? '' };
  }

  /** Whether a state has expired, judged by the breaker beside it, by the state itself and by this plan. Never by time. */
  checkSessionExpiration(state: Readonly<Record<string, unknown>>, prpFile: string): ExpirationResult;
  /** @deprecated The form of release 0.1, for the existing session. Throws LOOP_NOT_FOUND. */
  checkSessionExpiration(prpFile: string): ExpirationResult;
  checkSessionExpiration(state: Readonly<Record<string, unknown>> | string, prpFile = ''): ExpirationResult {
    const { expiry } =
      typeof state === 'string' ? this.#detected(state) : this.#sessions.judge(state, prpFile);
    return expiry.isExpired
      ? { expired: true, reason: expiry.detail, action: expiry.action }
      : { expired: false };
  }

  /** Creates a session and returns its id; an existing one is archived. Throws LOCKED. */
  async createSession(prpFile: string): Promise<string> {
    using loop = await this.#sessions.create(prpFile);
    return loop.state.sessionId;
  }

  /**
   * Resumes the session with this id, which detection returned. (Release 0.1 took the plan; that is deprecated.) Throws
   * LOCKED, SESSION_NOT_FOUND, LOOP_NOT_FOUND, LOOP_NOT_RESUMABLE.
   */
  async resumeSession(sessionId: string): Promise<ResumeResult> {
    const isId = isUuidV4(sessionId);
    const { state } = this.#sessions.get() ?? {};
    const plan = isId ? (state?.prpFile ?? '') : sessionId;
    using loop = await this.#sessions.resume(plan, isId ? { sessionId } : {});
    const { state: resumed, metrics } = loop.documents;
    return {
      phase: resumed.currentPhase,
      iteration: resumed.currentIteration,
      metrics: published(Metrics.toDisk(metrics)) as SessionMetrics,
    };
  }

  /**
   * Updates the session: a phase transition, a completed iteration, a change of status, an error. The update is durable
   * on return. Throws LOCKED, LOOP_NOT_FOUND, INVALID_INPUT, ILLEGAL_TRANSITION.
   */
  async updateSession(changes: SessionUpdate): Promise<void> {
    using loop = await this.#sessions.hold();
    loop.update({
      phase: changes.current_phase,
      iteration: changes.current_iteration,
      status: changes.status,
      reason: changes.halt_reason,
      error: changes.error,
    });
  }

  /** Ends the session. Throws LOCKED, LOOP_NOT_FOUND, ILLEGAL_TRANSITION. */
  async endSession(
    type: 'completed' | 'halted' | 'aborted',
    options: { reason?: string; remove?: boolean } = {},
  ): Promise<void> {
    using loop = await this.#sessions.hold();
    if (type === 'completed') loop.complete();
    else if (type === 'halted') loop.halt(options.reason ?? 'halted');
    else loop.abort({ remove: options.remove ?? false });
  }

  #detected(prpFile: string): Detection {
    const detection = this.#sessions.detect(prpFile);
    if (!detection.found) throw new LoopNotFoundError(this.#sessions.directory);
    return detection;
  }
}

function publishedState(state: LoopState): SessionState {
  return published(LoopState.toDisk(state)) as SessionState;
}

/** A document with the key names of its specification. Those of release 0.1 work too, but are not enumerable. */
function published(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(published);
  if (typeof value !== 'object' || value === null) return value;
  const made = Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, published(inner)]));
  for (const key of Object.keys(made)) {
    const name = key.replaceAll(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
    if (!Object.hasOwn(made, name)) Object.defineProperty(made, name, { get: () => made[key] });
  }
  return made;
}
