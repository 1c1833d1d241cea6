import { counted, HoldfastError, messageOf, visibleExcerpt, visibleLine } from '../../foundation/index.js';
import type { ProcessState } from './lifecycle.js';
import type { PromptResponse } from './response.js';

/** An agent that did not start; its session is kept as a record of that. */
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

/** A prompt, pause or resume in a state that does not allow it; nothing was sent. */
export class ProcessNotReadyError extends HoldfastError<'PROCESS_NOT_READY'> {
  readonly code = 'PROCESS_NOT_READY';
  readonly sessionId: string;
  readonly state: ProcessState;

  constructor(sessionId: string, state: ProcessState) {
    super(`Session ${sessionId} takes no prompt: it is ${state}`, { hint: WAY_OUT[state] });
    this.sessionId = sessionId;
    this.state = state;
  }
}

const WAY_OUT: Readonly<Record<ProcessState, string>> = {
  creating: 'Wait until it has started.',
  ready: 'It was left by the process that had it: open it again.',
  executing: 'Wait for the answer to the prompt before, or cancel it.',
  paused: 'Resume it first.',
  ended: 'It has ended for good: start another one.',
  error: 'It has failed for good: start another one, or look at its record with `holdfast processes show`.',
  terminated: 'It was terminated: start another one.',
};

/** Which patience ran out: for this prompt, for any sign of life, or for the whole session. */
export type TimeoutKind = 'prompt' | 'idle' | 'total';

/** A prompt that took too long. It was cancelled; what came until then is in `response`. */
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

/** As many agents run as may. */
export class TooManyProcessesError extends HoldfastError<'TOO_MANY_PROCESSES'> {
  readonly code = 'TOO_MANY_PROCESSES';

  constructor(capacity: number) {
    super(`${capacity} agent processes run already, which is the limit`, {
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

/** The id is not that of a process session; no path was built from it. */
export class InvalidProcessIdError extends HoldfastError<'INVALID_PROCESS_ID'> {
  readonly code = 'INVALID_PROCESS_ID';

  constructor(id: string) {
    super(`Invalid session id: ${visibleExcerpt(id, 80)} is not \`ses_\` and a UUID v4`, {
      hint: 'Give the full id, or on the command line its first characters (`ses_3f2a`).',
    });
  }
}

/** A session that cannot be gone on with. */
export class NotResumableError extends HoldfastError<'NOT_RESUMABLE'> {
  readonly code = 'NOT_RESUMABLE';

  constructor(sessionId: string, reason: string) {
    super(`Session ${sessionId} cannot be gone on with: ${reason}`, { hint: 'Start another one.' });
  }
}

/** The agent would be started otherwise than it was. */
export class LaunchDiffersError extends HoldfastError<'LAUNCH_DIFFERS'> {
  readonly code = 'LAUNCH_DIFFERS';
  readonly differences: readonly string[];

  constructor(sessionId: string, differences: readonly string[]) {
    super(`Session ${sessionId} was started otherwise: ${differences.join('; ')}`, {
      hint: 'Start as before, or say that the difference is meant (`--accept-changes`).',
    });
    this.differences = differences;
  }
}
