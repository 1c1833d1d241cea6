import { HoldfastError, visibleExcerpt } from '../foundation/index.js';
import { momentOf } from '../sessions/loop/index.js';
import type { LockState } from '../storage/index.js';

/** Without a check nothing can be measured, so the plan would never be done. */
export class NoChecksError extends HoldfastError<'NO_CHECKS'> {
  readonly code = 'NO_CHECKS';

  constructor(reason = 'No checks are known for this project, so a run could never end well') {
    super(reason, {
      hint: 'Give one or more: --verify "npm test" --verify "npm run lint".',
    });
  }
}

/** A check that cannot run measures nothing, so no agent is paid for it. */
export class CheckNotRunnableError extends HoldfastError<'CHECK_NOT_RUNNABLE'> {
  readonly code = 'CHECK_NOT_RUNNABLE';

  constructor({ label, exitCode, words }: { label: string; exitCode: number; words: string }) {
    super(
      `The check \`${visibleExcerpt(label, 200)}\` cannot run (exit code ${exitCode}): ${visibleExcerpt(words, 200)}`,
      {
        hint:
          'No agent was started. Install what the check needs, or name another one with --verify "<command>", and run the same ' +
          'command with --resume.',
      },
    );
  }
}

/** What is known of the run that is in the way. */
interface BusyRun {
  readonly plan?: string | undefined;
  /** If its process waits for a person, why. */
  readonly status?: 'halted' | 'paused' | undefined;
  readonly sessionId?: string | undefined;
}

const STANDS = { halted: 'there, halted, and asks how to continue', paused: 'there, and paused' } as const;
const WAY_ON = {
  halted:
    'Answer it: `holdfast inbox`, or try again: `holdfast resume<run> --reset`. To continue in another way (--skip, --phases), stop it first. ',
  paused: 'Continue it: `holdfast resume<run>`. ',
} as const;

/** Another process is working on the loop of this project. */
export class RunBusyError extends HoldfastError<'LOCKED'> {
  readonly code = 'LOCKED';
  readonly state: LockState;

  /** `plan` is the plan being worked on, if it is not the one that was asked for. */
  constructor(state: LockState, now: Date, { plan, status, sessionId = '' }: BusyRun = {}) {
    const what =
      plan === undefined
        ? `This run is already ${status === undefined ? 'working' : STANDS[status]}`
        : `Another plan is being worked on here: ${visibleExcerpt(plan, 200)}`;
    const id = sessionId === '' ? '' : ` ${sessionId.slice(0, 8)}`;
    const beside = plan === undefined ? '' : ' Run yours beside it: add `--worktree`.';
    super(`${what} (${ownerWords(state, now)})`, {
      hint: `${status === undefined ? '' : WAY_ON[status].replace('<run>', id)}Watch: \`holdfast status${id} --watch\`. Stop: \`holdfast stop${id}\`.${beside}`,
    });
    this.state = state;
  }
}

function ownerWords({ owner, reason }: LockState, now: Date): string {
  if (owner === undefined) return reason;
  return `process ${owner.pid}, since ${momentOf(owner.since, now)}`;
}
