import { join } from 'node:path';
import type { Clock, Logger } from '../../foundation/index.js';
import { systemTools } from '../../storage/index.js';
import { OUTER_LIMITS } from './check-questions.js';
import {
  SessionAbandonedError,
  SessionNotFoundError,
  SessionRejectedError,
  SessionTimedOutError,
} from './errors.js';
import type { AnswerInput, QuestionInput, UserAnswer } from './schema.js';
import { QuestionSessions } from './sessions.js';
import { FileQuestionStore } from './store.js';

/** The published configuration. */
export interface SessionConfig {
  /** Where sessions are kept. */
  baseDir: string;
  /** How many sessions may be pending; default 100. */
  maxSessions?: number;
  /** Milliseconds after which a session that is not pending is cleaned; default 7 days. */
  retentionPeriod?: number;
  /** Milliseconds to wait for an answer; default 0 = for ever. */
  sessionTimeout?: number;
}

/** Answers in the published shape of `answers.json`; only `answers` is read. */
export interface SessionAnswers {
  answers: readonly (AnswerInput | UserAnswer)[];
  callId?: string;
}

export interface ValidationResult {
  isValid: boolean;
  /** Every fault, named. */
  issues: string[];
}

const DEFAULTS = { maxSessions: 100, retentionPeriod: 7 * 24 * 60 * 60 * 1_000, sessionTimeout: 0 };

/** The question sessions under the names their specification publishes. */
export class SessionManager {
  readonly #sessions: QuestionSessions;
  readonly #sessionTimeout: number;

  constructor(config: SessionConfig, options: { log?: Logger; clock?: Clock } = {}) {
    const settings = { ...DEFAULTS, ...config };
    const tools = systemTools('holdfast/question', options);
    const trash = join(settings.baseDir, '.holdfast', 'trash');
    this.#sessionTimeout = settings.sessionTimeout;
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

  /** Saves the answers and completes the session. Throws SESSION_NOT_FOUND, INVALID_ANSWER, ALREADY_SETTLED. */
  async saveSessionAnswers(sessionId: string, answers: SessionAnswers): Promise<void> {
    const { answers: given, callId } = answers;
    // Not every caller is compiled: what has no such shape is refused by the sessions, in their words.
    const bare = Array.isArray(given) ? given.map(bareAnswer) : given;
    await this.#sessions.answer(sessionId, bare, callId === undefined ? {} : { callId });
  }

  /** Rejects the session, with a reason or without. Throws SESSION_NOT_FOUND, ALREADY_SETTLED. */
  async rejectSession(sessionId: string, reason?: string | null): Promise<void> {
    await this.#sessions.reject(sessionId, reason ?? null);
  }

  /**
   * Waits for the answers and returns the session's id once they are there.
   * Throws SESSION_REJECTED, SESSION_TIMED_OUT, SESSION_ABANDONED, CALL_ID_MISMATCH, SESSION_NOT_FOUND, ABORTED.
   */
  async waitForAnswers(
    sessionId: string,
    timeout: number = this.#sessionTimeout,
    expectedCallId?: string,
    signal?: AbortSignal,
  ): Promise<string> {
    const waited = await this.#sessions.wait(sessionId, { patienceMs: timeout, expectedCallId, signal });
    const outcome = waited.status === 'pending' ? await this.#sessions.expire(sessionId) : waited;
    if (outcome.status === 'completed') {
      // Taken for delivery, so that it is on disk for good; whether it counts as delivered is for others to say.
      using _delivery = await this.#sessions.collect(sessionId);
      return sessionId;
    }
    if (outcome.status === 'rejected') throw new SessionRejectedError(outcome.reason);
    if (outcome.status === 'abandoned') throw new SessionAbandonedError(sessionId, outcome.reason);
    throw new SessionTimedOutError(sessionId);
  }

  /** Moves old sessions that are not pending to the trash and returns how many. */
  async cleanupExpiredSessions(): Promise<number> {
    const report = await this.#sessions.clean();
    return report.retired.length;
  }

  /** Checks directory, files, ids and counts of a session. Throws INVALID_SESSION_ID. */
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
