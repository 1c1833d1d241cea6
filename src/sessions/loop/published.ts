import type { Clock, Logger } from '../../foundation/index.js';
import { systemTools } from '../../storage/index.js';
import { LoopNotFoundError } from './errors.js';
import type { Metrics } from './schema.js';
import { type Detection, LoopSessions } from './sessions.js';

/** The published configuration: only where the session is kept. */
export interface SessionConfig {
  /** The `.prp-session` directory. */
  sessionDir: string;
}

/** What the published expiry check returns. */
export type ExpirationResult =
  | { expired: false }
  | { expired: true; reason: string; action: 'reset_or_abort' | 'no_resume' | 'create_new' | 'reset' };

/** The loop session under the operations that its specification publishes. Each takes the lock for its own moment. */
export class SessionManager {
  readonly #sessions: LoopSessions;

  constructor(config: SessionConfig, options: { log?: Logger; clock?: Clock } = {}) {
    const tools = systemTools('holdfast/loop', options);
    this.#sessions = new LoopSessions({ ...tools, directory: config.sessionDir });
  }

  /** `{found, session, action, reason}` for a plan. */
  detectSession(prpFile: string): Pick<Detection, 'found' | 'session' | 'action' | 'reason'> {
    const { found, session, action, reason } = this.#sessions.detect(prpFile);
    return { found, session, action, reason };
  }

  /** Whether the session can be resumed for a plan, and why not. Throws LOOP_NOT_FOUND. */
  validateSession(prpFile: string): { isValid: boolean; error: string } {
    const error = this.#sessions.validate(prpFile);
    return { isValid: error === undefined, error: error ?? '' };
  }

  /** Whether the session has expired by its state. Throws LOOP_NOT_FOUND. */
  checkSessionExpiration(prpFile: string): ExpirationResult {
    const { found, expiry } = this.#sessions.detect(prpFile);
    if (!found) throw new LoopNotFoundError(this.#sessions.directory);
    return expiry.isExpired
      ? { expired: true, reason: expiry.detail, action: expiry.action }
      : { expired: false };
  }

  /** Creates a session and returns its id; one that was there is archived. Throws LOCKED. */
  async createSession(prpFile: string): Promise<string> {
    using loop = await this.#sessions.create(prpFile);
    return loop.state.sessionId;
  }

  /** Goes on with the session. Throws LOCKED, LOOP_NOT_FOUND, LOOP_NOT_RESUMABLE. */
  async resumeSession(prpFile: string): Promise<{ phase: string; iteration: number; metrics: Metrics }> {
    using loop = await this.#sessions.resume(prpFile);
    const { state, metrics } = loop.documents;
    return { phase: state.currentPhase, iteration: state.currentIteration, metrics };
  }

  /** Ends the session. Throws LOCKED, LOOP_NOT_FOUND, ILLEGAL_TRANSITION. */
  async endSession(
    type: 'completed' | 'halted' | 'aborted',
    options: { reason?: string; remove?: boolean } = {},
  ): Promise<void> {
    using loop = await this.#sessions.open();
    if (type === 'completed') loop.complete();
    else if (type === 'halted') loop.halt(options.reason ?? 'halted');
    else loop.abort({ remove: options.remove ?? false });
  }
}
