import type { TurnEndReason } from '../../agents/index.js';
import {
  counted,
  HoldfastError,
  InvalidInputError,
  messageOf,
  visibleExcerpt,
  visibleLine,
} from '../../foundation/index.js';
import { isOver, type ProcessState } from './lifecycle.js';
import type { PromptResponse } from './response.js';

/** The agent did not start; its session is kept as a record of that. */
export class ProcessStartError extends HoldfastError<'PROCESS_START_FAILED'> {
  readonly code = 'PROCESS_START_FAILED';
  readonly sessionId: string;

  constructor(sessionId: string, cause: unknown) {
    super(`Session ${sessionId} did not start: ${messageOf(cause)}`, {
      cause,
      hint:
        cause instanceof HoldfastError && cause.hint !== undefined
          ? cause.hint
          : `See \`holdfast processes show ${sessionId}\`.`,
    });
    this.sessionId = sessionId;
  }
}

/** Why an agent cannot work in a directory: it does not exist, or something else is in its place. */
export function unusableDirectory(path: string, isThere: boolean): InvalidInputError {
  const told = visibleLine(path);
  return new InvalidInputError(
    isThere
      ? `its working directory ${told} is not a directory`
      : `its working directory ${told} does not exist`,
    { hint: isThere ? 'Name a directory.' : 'Make the directory first, or name another one.' },
  );
}

/** What a session was asked to do in a state that does not allow it. */
export type ProcessWish = 'prompt' | 'start' | 'pause' | 'resume';

/** A prompt, start, pause or resume in a state that does not allow it; nothing was sent. */
export class ProcessNotReadyError extends HoldfastError<'PROCESS_NOT_READY'> {
  readonly code = 'PROCESS_NOT_READY';
  readonly sessionId: string;
  readonly state: ProcessState;

  constructor(sessionId: string, state: ProcessState, wish: ProcessWish = 'prompt') {
    super(`Session ${sessionId} ${REFUSED[wish]}: it is ${state}`, { hint: wayOut(state, wish) });
    this.sessionId = sessionId;
    this.state = state;
  }
}

const REFUSED: Readonly<Record<ProcessWish, string>> = {
  prompt: 'takes no prompt',
  start: 'cannot be started again',
  pause: 'cannot be paused',
  resume: 'cannot be resumed',
};

function wayOut(state: ProcessState, wish: ProcessWish): string {
  if (wish === 'start' && (state === 'ready' || state === 'executing'))
    return 'It is already running: send it a prompt.';
  if (wish === 'prompt' && state === 'creating') return 'Start it first, and wait until it has started.';
  if (wish === 'resume' && state === 'ready') return 'It is not paused: send it a prompt.';
  return WAY_OUT[state];
}

const WAY_OUT: Readonly<Record<ProcessState, string>> = {
  creating: 'Wait until it has started.',
  ready: 'The process that owned it has left it: open it again.',
  executing: 'Wait for the answer to the previous prompt, or cancel it.',
  paused: 'Resume it first.',
  ended: 'It has ended: start another one.',
  error: 'It has failed: start another one, or look at its record with `holdfast processes show`.',
  terminated: 'It was terminated: start another one.',
};

/** A prompt whose answer was not completed. `response` has what arrived until then. */
export class PromptFailedError extends HoldfastError<'PROMPT_FAILED'> {
  readonly code = 'PROMPT_FAILED';
  readonly sessionId: string;
  readonly reason: TurnEndReason;
  readonly response: PromptResponse;

  constructor(sessionId: string, state: ProcessState, response: PromptResponse) {
    const { reason } = response;
    super(`Session ${sessionId} did not answer: ${failureOf(state, response)}`, {
      hint: isOver(state) ? WAY_OUT[state] : (NEXT[reason] ?? 'The session is ready: send the prompt again.'),
    });
    this.sessionId = sessionId;
    this.reason = reason;
    this.response = response;
  }
}

const NEXT: Partial<Record<TurnEndReason, string>> = {
  'rate-limited': 'Wait until the limit is lifted, then send the prompt again.',
  'context-overflow': 'Continue in a fresh session.',
};

function failureOf(state: ProcessState, { reason, message, exitCode, signal }: PromptResponse): string {
  const words = message === null || message === '' ? '' : ` (${visibleExcerpt(message, MAX_WORDS)})`;
  if (state === 'terminated' || state === 'ended') return `it was ${state} before the answer came`;
  if (reason === 'failed' && words !== '') return visibleExcerpt(message ?? '', MAX_WORDS);
  if (reason !== 'died') return `${ENDS[reason] ?? reason}${words}`;
  const how = signal ?? (exitCode === null ? null : `exit code ${exitCode}`);
  return `the agent's process ended${how === null ? '' : `, ${how}`}${words}`;
}

const MAX_WORDS = 500;
const ENDS: Partial<Record<TurnEndReason, string>> = {
  cancelled: 'the prompt was cancelled',
  refused: 'the agent refused',
  'turn-limit': 'the agent reached its limit of turns',
  'context-overflow': "the agent's context is full",
  'rate-limited': "the agent's service imposed a limit",
  failed: 'the agent failed',
};

/** Which limit was exceeded: for this prompt, for any sign of life, or for the whole session. */
export type TimeoutKind = 'prompt' | 'idle' | 'total';

/** A prompt that took too long and was cancelled. `response` has what arrived until then. */
export class PromptTimedOutError extends HoldfastError<'PROMPT_TIMED_OUT'> {
  readonly code = 'PROMPT_TIMED_OUT';
  readonly sessionId: string;
  readonly kind: TimeoutKind;
  readonly response: PromptResponse;

  constructor(sessionId: string, kind: TimeoutKind, limitMs: number, response: PromptResponse) {
    const what = { prompt: 'The prompt took', idle: 'The agent was silent for', total: 'The session lasted' };
    super(`${what[kind]} longer than ${limitMs / 1_000} s and was cancelled (session ${sessionId})`, {
      hint: 'Raise the timeout, or give the agent a smaller piece of work.',
    });
    this.sessionId = sessionId;
    this.kind = kind;
    this.response = response;
  }
}

/** The maximum number of agents is already running. */
export class TooManyProcessesError extends HoldfastError<'TOO_MANY_PROCESSES'> {
  readonly code = 'TOO_MANY_PROCESSES';

  constructor(capacity: number) {
    super(`${capacity} agent processes are already running, which is the limit`, {
      hint: 'End one of them, or raise the capacity.',
    });
  }
}

/** Some of several sessions could not be terminated; the others were. */
export class TerminateFailedError extends HoldfastError<'TERMINATE_FAILED'> {
  readonly code = 'TERMINATE_FAILED';
  readonly failures: readonly { readonly sessionId: string; readonly error: unknown }[];

  constructor(failures: readonly { readonly sessionId: string; readonly error: unknown }[]) {
    const told = failures.map(({ sessionId, error }) => `${sessionId}: ${messageOf(error)}`).join('; ');
    super(`${counted(failures.length, 'session')} could not be terminated: ${visibleLine(told)}`, {
      hint: 'Their processes are ended when the next command starts.',
    });
    this.failures = failures;
  }
}

/** The id is not a process session's; no path was built from it. */
export class InvalidProcessIdError extends HoldfastError<'INVALID_PROCESS_ID'> {
  readonly code = 'INVALID_PROCESS_ID';

  constructor(id: string) {
    super(`Invalid session id: ${visibleExcerpt(id, 80)} is not \`ses_\` and a UUID v4`, {
      hint: 'Give the full id, or on the command line its first characters (`ses_3f2a`).',
    });
  }
}

/** A session with this id already exists, over or not; it is untouched. */
export class ProcessIdTakenError extends HoldfastError<'SESSION_ID_TAKEN'> {
  readonly code = 'SESSION_ID_TAKEN';
  readonly sessionId: string;

  constructor(sessionId: string) {
    super(`Session ${sessionId} already exists`, { hint: 'Resume it, or choose another id.' });
    this.sessionId = sessionId;
  }
}

/** A session that cannot be resumed. */
export class NotResumableError extends HoldfastError<'NOT_RESUMABLE'> {
  readonly code = 'NOT_RESUMABLE';

  constructor(sessionId: string, reason: string) {
    super(`Session ${sessionId} cannot be resumed: ${reason}`, { hint: 'Start another one.' });
  }
}

/** The agent would be started with other options than before. */
export class LaunchDiffersError extends HoldfastError<'LAUNCH_DIFFERS'> {
  readonly code = 'LAUNCH_DIFFERS';
  readonly differences: readonly string[];

  constructor(sessionId: string, differences: readonly string[]) {
    super(`Session ${sessionId} was started with other options: ${differences.join('; ')}`, {
      hint: 'Start it as before, or confirm the difference with `--accept-changes`.',
    });
    this.differences = differences;
  }
}
