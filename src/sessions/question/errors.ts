import { HoldfastError, visibleExcerpt, visibleLine } from '../../foundation/index.js';
import { escapeText, quoteText } from './quote-text.js';
import type { UserAnswer } from './schema.js';
import type { QuestionOutcome } from './state.js';

export { AmbiguousIdError, SessionNotFoundError } from '../../foundation/index.js';

/** The id is not a UUID v4; no path was built from it. */
export class InvalidSessionIdError extends HoldfastError<'INVALID_SESSION_ID'> {
  readonly code = 'INVALID_SESSION_ID';

  readonly why: string;

  constructor(
    sessionId: unknown,
    why = 'is not a UUID v4',
    hint = 'Give the full id, or on the command line its first 4 or more characters.',
  ) {
    const shown = typeof sessionId === 'string' ? visibleExcerpt(sessionId, 80) : `a ${typeof sessionId}`;
    super(`Invalid session id: ${shown} ${why}`, { hint });
    this.why = why;
  }
}

/** The configured maximum of sets is already pending. */
export class TooManySessionsError extends HoldfastError<'TOO_MANY_SESSIONS'> {
  readonly code = 'TOO_MANY_SESSIONS';

  constructor(maxSessions: number) {
    super(`${maxSessions} question sets are pending already, which is the limit`, {
      hint: 'Answer or cancel some (`holdfast questions list`), or raise `question.maxSessions` in the config.',
    });
  }
}

/** The answer does not fit its questions; nothing was changed. */
export class InvalidAnswerError extends HoldfastError<'INVALID_ANSWER'> {
  readonly code = 'INVALID_ANSWER';
  /** The question at fault, or null if it is the answer as a whole. */
  readonly questionIndex: number | null;

  constructor(reason: string, questionIndex: number | null = null) {
    super(reason, {
      hint: 'Nothing was changed; `holdfast questions show <id>` shows questions and options.',
    });
    this.questionIndex = questionIndex;
  }

  /** The same error, naming the session. */
  static forSession(sessionId: string, error: InvalidAnswerError): InvalidAnswerError {
    const message = `Answer validation failed for session ${sessionId}: ${error.message}`;
    return new InvalidAnswerError(message, error.questionIndex);
  }
}

/** Someone else was first: the set already has another outcome. */
export class AlreadySettledError extends HoldfastError<'ALREADY_SETTLED'> {
  readonly code = 'ALREADY_SETTLED';
  readonly outcome: QuestionOutcome;

  constructor(sessionId: string, outcome: QuestionOutcome) {
    super(`Session ${sessionId} ${describeOutcome(outcome)}; that outcome stands`, {
      hint: 'See it with `holdfast questions show <id>`.',
    });
    this.outcome = outcome;
  }
}

/** Nobody is waiting for this permission any more: an answer would do nothing. */
export class AskerGoneError extends HoldfastError<'ASKER_GONE'> {
  readonly code = 'ASKER_GONE';

  constructor(sessionId: string, why: string) {
    super(`Nobody is waiting for permission ${sessionId} any more: ${why}. Nothing was allowed`, {
      hint: 'If the agent still needs it, it will ask again when it is resumed; see `holdfast questions`.',
    });
  }
}

/** A decision about another machine's set cannot be taken back: it has arrived there, or belongs to someone else. */
export class NotTakenBackError extends HoldfastError<'NOT_TAKEN_BACK'> {
  readonly code = 'NOT_TAKEN_BACK';

  constructor(sessionId: string, reason: string) {
    super(`The decision about session ${sessionId} was not taken back: ${reason}`, {
      hint: 'Look at the question again: it shows the decision that stands.',
    });
  }
}

/** The person rejected the set. The message is the published one. */
export class SessionRejectedError extends HoldfastError<'SESSION_REJECTED'> {
  readonly code = 'SESSION_REJECTED';
  readonly reason: string | null;

  constructor(reason: string | null) {
    super('SESSION_REJECTED');
    this.reason = reason;
  }
}

/** Nobody answered in time. The set stays answerable. */
export class SessionTimedOutError extends HoldfastError<'SESSION_TIMED_OUT'> {
  readonly code = 'SESSION_TIMED_OUT';

  constructor(sessionId: string) {
    super(`Session ${sessionId} timed out waiting for user response: nobody answered in time`, {
      hint: 'A late answer is still accepted; collect it with `holdfast questions collect <id>`.',
    });
  }
}

/** The set was withdrawn or its request no longer verifies. */
export class SessionAbandonedError extends HoldfastError<'SESSION_ABANDONED'> {
  readonly code = 'SESSION_ABANDONED';

  constructor(sessionId: string, reason: string) {
    super(`Session ${sessionId} was abandoned: ${visibleLine(reason)}`);
  }
}

/** The set belongs to a different call than the one waiting. */
export class CallIdMismatchError extends HoldfastError<'CALL_ID_MISMATCH'> {
  readonly code = 'CALL_ID_MISMATCH';

  constructor(sessionId: string, expected: string, found: string | undefined) {
    const shown = found === undefined ? 'none' : visibleExcerpt(found, 80);
    super(`Session ${sessionId} belongs to call ${shown}, not to ${visibleExcerpt(expected, 80)}`);
  }
}

/** The asker used one request id for two different sets of questions. */
export class RequestIdReusedError extends HoldfastError<'REQUEST_ID_REUSED'> {
  readonly code = 'REQUEST_ID_REUSED';

  constructor(requestId: string, sessionId: string) {
    super(`Request id ${visibleExcerpt(requestId, 80)} was used for other questions (session ${sessionId})`, {
      hint: 'Use a new request id for new questions.',
    });
  }
}

function describeOutcome(outcome: QuestionOutcome): string {
  switch (outcome.status) {
    case 'completed':
      return `was answered already (${outcome.at}): ${outcome.answers.map(describeAnswer).join('; ')}`;
    case 'rejected':
      return `was rejected already (${outcome.at})${outcome.reason === null ? '' : `: ${quoteText(excerpt(outcome.reason))}`}`;
    default:
      return `is ${outcome.status}`;
  }
}

function describeAnswer(answer: UserAnswer): string {
  const labels =
    answer.selectedOptions ?? (answer.selectedOption === undefined ? [] : [answer.selectedOption]);
  const parts = labels.map((label) => visibleExcerpt(label, MAX_SHOWN));
  if (answer.customText) parts.push(`'${escapeText(excerpt(answer.customText))}'`);
  return `${answer.questionIndex + 1}. ${parts.length === 0 ? '(No selection)' : parts.join(', ')}`;
}

const MAX_SHOWN = 60;

function excerpt(text: string): string {
  return text.length <= MAX_SHOWN ? text : `${text.slice(0, MAX_SHOWN - 1)}…`;
}
