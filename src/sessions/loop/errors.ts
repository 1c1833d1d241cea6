import { dirname } from 'node:path';
import { HoldfastError, type HoldfastErrorOptions, visibleLine } from '../../foundation/index.js';

/** There is no loop in this directory. */
export class LoopNotFoundError extends HoldfastError<'LOOP_NOT_FOUND'> {
  readonly code = 'LOOP_NOT_FOUND';

  /** `above`: a loop further up, where this version does not look from here. */
  constructor(directory: string, above?: string) {
    super(`There is no run in ${directory}`, {
      hint:
        above === undefined
          ? 'Start one with `holdfast run <plan>`. `holdfast top --once` lists the runs of other projects; name one by 4 or more characters of its id.'
          : `There is one in ${above}: run the command in ${dirname(above)}. Without git, a loop is visible only from its own directory.`,
    });
  }
}

/** The session cannot be resumed in its current state; `action` says what can be done instead. */
export class LoopNotResumableError extends HoldfastError<'LOOP_NOT_RESUMABLE'> {
  readonly code = 'LOOP_NOT_RESUMABLE';
  readonly action: string;
  /** Whether it is halted: resetting or skipping a phase lets it continue. */
  readonly isHalted: boolean;

  constructor(reason: string, action: string, { isAborted = false } = {}) {
    super(`The run cannot be resumed: ${visibleLine(reason)}`, {
      hint: isAborted ? ABORTED : (HINTS[action] ?? HINTS.reset ?? ''),
    });
    this.action = action;
    this.isHalted = action === 'reset_or_abort' && !isAborted;
  }
}

const ABORTED = 'It was given up. Start a new session: `holdfast run <plan> --new`. The old files are kept.';
const HINTS: Readonly<Record<string, string>> = {
  reset_or_abort:
    'Try again with --reset (`holdfast guide "<text>"` first, to tell the agent something), end this phase without its ' +
    'gate with --skip, start over with --new, or give it up with --abort. Nothing was changed.',
  no_resume: 'It is complete: start a new session to do more. The old files are kept.',
  create_new: 'Start a new session for this plan; the files of the old one are moved to the archive.',
  reset: 'Start afresh: the old files are set aside in the archive, nothing is deleted.',
};

/** Only a phase in which the breaker halted the session can be skipped. */
export class PhaseNotSkippableError extends HoldfastError<'PHASE_NOT_SKIPPABLE'> {
  readonly code = 'PHASE_NOT_SKIPPABLE';

  constructor(status: string) {
    super(`No phase can be skipped: the run is ${status}, not halted`, {
      hint: 'Resume it with --resume; if the breaker halts it, --skip ends its phase.',
    });
  }
}

/** A request to a session that has ended. */
export class LoopEndedError extends HoldfastError<'LOOP_ENDED'> {
  readonly code = 'LOOP_ENDED';

  constructor(status: string, request: string) {
    super(`The run is ${status} and no longer accepts requests (${request})`);
  }
}

/** An earlier commit failed after it had begun. The next process to open the session decides what the disk holds. */
export class LoopPoisonedError extends HoldfastError<'LOOP_POISONED'> {
  readonly code = 'LOOP_POISONED';

  constructor(directory: string, options: HoldfastErrorOptions) {
    super(`This process no longer writes to ${directory}: an earlier commit failed halfway`, {
      ...options,
      hint: 'Repair the disk and open the session again; that completes the commit. Nothing acknowledged is lost.',
    });
  }
}
