import { join } from 'node:path';
import { retain } from '../catalog/retain.js';
import type { Clock, Logger } from '../foundation/index.js';
import { OUTER_LIMITS } from '../sessions/question/check-questions.js';
import {
  AlreadySettledError,
  CallIdMismatchError,
  InvalidAnswerError,
  InvalidSessionIdError,
  SessionAbandonedError,
  SessionNotFoundError,
  SessionRejectedError,
  SessionTimedOutError,
  TooManySessionsError,
} from '../sessions/question/errors.js';
import { formatAnswers } from '../sessions/question/format-response.js';
import type { QuestionStatus } from '../sessions/question/lifecycle.js';
import type { AnswerInput, QuestionInput, UserAnswer } from '../sessions/question/schema.js';
import { QuestionSessions } from '../sessions/question/sessions.js';
import { FileQuestionStore } from '../sessions/question/store.js';
import { AtomicWriteError, type SystemOptions, systemTools } from '../storage/index.js';

export {
  AlreadySettledError,
  AtomicWriteError,
  CallIdMismatchError,
  formatAnswers,
  InvalidAnswerError,
  InvalidSessionIdError,
  SessionAbandonedError,
  SessionNotFoundError,
  SessionRejectedError,
  SessionTimedOutError,
  TooManySessionsError,
};

/** The published configuration. */
export interface SessionConfig {
  /** Where sessions are kept. */
  baseDir: string;
  /** How many sessions may be pending; default 100. */
  maxSessions?: number;
  /** Milliseconds after which a session that is no longer pending is cleaned up; default 7 days. */
  retentionPeriod?: number;
  /** Milliseconds to wait for an answer; default 0 = forever. */
  sessionTimeout?: number;
}

/** Answers in the published shape of `answers.json`. */
export interface SessionAnswers {
  answers: readonly (AnswerInput | UserAnswer)[];
  /** The call that the session belongs to; any other is refused. */
  callId?: string;
}

/** The state of a session, and what was decided. */
export interface SessionState {
  status: QuestionStatus;
  /** One entry per question, in the same order, or null while there is no answer. */
  answers: readonly UserAnswer[] | null;
  /** Null if it was not rejected, or was rejected without a reason. */
  rejectionReason: string | null;
  /** Whether the outcome came after the session had timed out or been abandoned. */
  isLate: boolean;
}

export interface ValidationResult {
  isValid: boolean;
  /** A description of each fault. */
  issues: string[];
}

const DEFAULTS = { maxSessions: 100, retentionPeriod: 7 * 24 * 60 * 60 * 1_000, sessionTimeout: 0 };

/** The question sessions under the names that their specification publishes. */
export class SessionManager {
  readonly #sessions: QuestionSessions;
  readonly #tools: { readonly clock: Clock; readonly log: Logger };
  readonly #sessionTimeout: number;

  constructor(config: SessionConfig, options: SystemOptions = {}) {
    const settings = { ...DEFAULTS, ...config };
    const tools = systemTools('holdfast/question', options);
    const trash = join(settings.baseDir, '.holdfast', 'trash');
    this.#sessionTimeout = settings.sessionTimeout;
    this.#tools = tools;
    this.#sessions = new QuestionSessions({
      ...tools,
      store: new FileQuestionStore(tools, { directory: settings.baseDir, trash }),
      limits: OUTER_LIMITS,
      maxSessions: settings.maxSessions,
      retentionMs: settings.retentionPeriod,
      timeoutMs: settings.sessionTimeout,
    });
  }

  /** Creates a session and returns its id. Throws INVALID_INPUT, TOO_MANY_SESSIONS. */
  async createSession(
    questions: readonly QuestionInput[],
    callId?: string,
    workingDirectory?: string,
  ): Promise<string> {
    const view = await this.#sessions.create(questions, { callId, workingDirectory, isWaiting: true });
    return view.id;
  }

  /**
   * Saves the answers and completes the session. Throws SESSION_NOT_FOUND, INVALID_ANSWER, CALL_ID_MISMATCH,
   * ALREADY_SETTLED.
   */
  async saveSessionAnswers(sessionId: string, answers: SessionAnswers): Promise<void> {
    const { answers: given, callId } = answers;
    // Not every caller is type-checked: the sessions refuse a wrong shape with their own messages.
    const bare = Array.isArray(given) ? given.map(bareAnswer) : given;
    await this.#sessions.answer(sessionId, bare, callId === undefined ? {} : { callId });
  }

  /** Rejects the session, with a reason or without. Throws SESSION_NOT_FOUND, ALREADY_SETTLED. */
  async rejectSession(sessionId: string, reason?: string | null): Promise<void> {
    await this.#sessions.reject(sessionId, reason ?? null);
  }

  /**
   * Waits for the answers and returns the session's id once they are there; `getSession` reads them. From then on they
   * count as delivered, and so does a rejection that was thrown.
   *
   * Throws SESSION_REJECTED, SESSION_TIMED_OUT, SESSION_ABANDONED, CALL_ID_MISMATCH, SESSION_NOT_FOUND, ABORTED.
   */
  async waitForAnswers(
    sessionId: string,
    timeout: number = this.#sessionTimeout,
    expectedCallId?: string,
    signal?: AbortSignal,
  ): Promise<string> {
    const waited = await this.#sessions.wait(sessionId, { patienceMs: timeout, expectedCallId, signal });
    const seen = waited.status === 'pending' ? await this.#sessions.expire(sessionId) : waited;
    // Collected even if it was already seen, so that the outcome is safely on disk.
    using delivery = await this.#sessions.collect(sessionId);
    delivery.confirm();
    const outcome = delivery.outcome.status === 'pending' ? seen : delivery.outcome;
    if (outcome.status === 'completed') return sessionId;
    if (outcome.status === 'rejected') throw new SessionRejectedError(outcome.reason);
    if (outcome.status === 'abandoned') throw new SessionAbandonedError(sessionId, outcome.reason);
    throw new SessionTimedOutError(sessionId);
  }

  /** The state of a session, with its answers. Throws SESSION_NOT_FOUND, INVALID_SESSION_ID. */
  async getSession(sessionId: string): Promise<SessionState> {
    const { outcome } = await this.#sessions.get(sessionId);
    return {
      status: outcome.status,
      answers: outcome.status === 'completed' ? outcome.answers : null,
      rejectionReason: outcome.status === 'rejected' ? outcome.reason : null,
      isLate: 'late' in outcome && outcome.late,
    };
  }

  /**
   * Moves old sessions that are no longer pending to the trash and returns how many. An answer or a rejection that nobody
   * has collected stays unless `uncollected` is set.
   */
  async cleanupExpiredSessions(options: { uncollected?: boolean } = {}): Promise<number> {
    const { uncollected: takesUncollected = false } = options;
    const { retentionMs: olderThanMs } = this.#sessions;
    const report = await retain(this.#sessions, this.#tools, { olderThanMs, takesUncollected });
    return report.retired.length;
  }

  /** Checks the directory, files, ids and counts of a session. Throws INVALID_SESSION_ID. */
  async validateSession(sessionId: string): Promise<ValidationResult> {
    try {
      const issues = await this.#sessions.verify(sessionId);
      return { isValid: issues.length === 0, issues };
    } catch (error) {
      if (!(error instanceof SessionNotFoundError)) throw error;
      return { isValid: false, issues: [error.message] };
    }
  }
}

function bareAnswer(answer: AnswerInput | UserAnswer): AnswerInput {
  if (typeof answer !== 'object' || answer === null) return answer;
  const { questionIndex, selectedOption, selectedOptions, customText } = answer;
  return {
    questionIndex,
    ...(selectedOption === undefined ? {} : { selectedOption }),
    ...(selectedOptions === undefined ? {} : { selectedOptions }),
    ...(customText === undefined ? {} : { customText }),
  };
}
