import { HoldfastError, visibleExcerpt } from '../../foundation/index.js';
import type { LockState } from './lock-record.js';

/** Another process holds the lock. */
export class LockedError extends HoldfastError<'LOCKED'> {
  readonly code = 'LOCKED';
  readonly path: string;
  readonly state: LockState;

  /** `sessionId`: the session the lock belongs to, if the caller knows it. */
  constructor(path: string, state: LockState, sessionId?: string) {
    const session = sessionId === undefined ? undefined : visibleExcerpt(sessionId, 80);
    super(`${session === undefined ? path : `Session ${session}`} is locked ${describeOwner(state)}`, {
      hint: `Wait for it, or end that process; \`holdfast unlock ${session ?? '<session>'} --force\` takes the lock away.`,
    });
    this.path = path;
    this.state = state;
  }
}

/** The lock was forcibly taken away from us; nothing more may be written under it. */
export class LockLostError extends HoldfastError<'LOCK_LOST'> {
  readonly code = 'LOCK_LOST';

  /** `isGone`: its record no longer exists, and neither does a higher one. */
  constructor(path: string, epoch: number, isGone = false) {
    super(
      `The lock ${path} (epoch ${epoch}) ${isGone ? 'is gone: its files were removed' : 'was taken away'}; nothing was written`,
      {
        hint: isGone
          ? 'Something, perhaps the agent itself, removed or replaced the directory or the record of the lock. Check what is left there before you run the command again.'
          : 'A higher record exists beside it. `holdfast unlock --force` leaves one, and so may any program that can write there, such as the agent. Run the command again.',
      },
    );
  }
}

/** The owner of a lock in words: pid, host, command, since when, and how sure we are. */
export function describeOwner(state: LockState): string {
  const { owner } = state;
  if (owner === undefined) return `(${state.reason})`;
  const command = visibleExcerpt(owner.command, 80);
  const since = visibleExcerpt(owner.since, 40);
  return `by process ${owner.pid} on ${visibleExcerpt(owner.host, 64)} (${command}) since ${since}; ${state.reason}`;
}
