import { HoldfastError, type HoldfastErrorOptions, visibleExcerpt } from '../foundation/index.js';
import { FleetRuleError, FleetUnreachableError, type OutRow } from '../hub/index.js';
import { momentOf } from '../sessions/loop/index.js';

/** This machine belongs to no fleet. */
export class FleetNotJoinedError extends HoldfastError<'FLEET_NOT_JOINED'> {
  readonly code = 'FLEET_NOT_JOINED';

  constructor() {
    super('This machine is in no fleet', {
      hint: 'Join one: holdfast fleet join postgres://you@db.lan/holdfast; or make one: holdfast fleet init <url>.',
    });
  }
}

/** Somebody else's decision is on its way to the machine that asks. */
export class DecidedElsewhereError extends HoldfastError<'DECIDED_ELSEWHERE'> {
  readonly code = 'DECIDED_ELSEWHERE';

  constructor(sessionId: string, by: string, decision: string) {
    super(
      `Session ${sessionId} was decided by ${visibleExcerpt(by, 80)}, and that is on its way: ${visibleExcerpt(decision, 200)}`,
      { hint: 'If it is refused there, or taken back, the question waits again.' },
    );
  }
}

/** A decision for another machine could not be stored, because no server could be reached. */
export class NotStoredError extends HoldfastError<'NOT_STORED'> {
  readonly code = 'NOT_STORED';

  constructor(cause: Error) {
    super(`Not stored: ${cause instanceof FleetUnreachableError ? awayWords(cause) : cause.message}`, {
      cause,
      hint: 'Nothing was sent. Send it again when the database is back.',
    });
  }
}

function awayWords({ reason }: FleetUnreachableError): string {
  return `the fleet's database cannot be reached (${reason})`;
}

/** The machine that asks said no, for a reason of its own. */
export class RemoteRefusedError extends HoldfastError<'REMOTE_REFUSED'> {
  readonly code = 'REMOTE_REFUSED';

  constructor(machine: string, reason: string) {
    super(`${visibleExcerpt(machine, 63)} refused: ${visibleExcerpt(reason, 400)}`, {
      hint: 'Nothing was changed there.',
    });
  }
}

/** The lease of a run ended here: another machine may be running it now, with its questions. */
export class RunMayHaveMovedError extends HoldfastError<'RUN_MAY_HAVE_MOVED'> {
  readonly code = 'RUN_MAY_HAVE_MOVED';

  constructor(run: string, endedAt: string) {
    super(`The run that asks this may be running on another machine: its lease here ended at ${endedAt}`, {
      hint: `\`holdfast queue list\` shows where run ${run.slice(0, 8)} is; what it asks there is in every inbox of the fleet.`,
    });
  }
}

/** This person has no request with such an id on its way. */
export class RequestNotFoundError extends HoldfastError<'REQUEST_NOT_FOUND'> {
  readonly code = 'REQUEST_NOT_FOUND';

  constructor(id: string) {
    super(`Nothing that you sent has the id ${visibleExcerpt(id, 80)}`, {
      hint: '`holdfast fleet status` lists what is on its way.',
    });
  }
}

/** This machine was in the fleet and no longer is. */
export function machineOut(name: string, { at, by, is_own: isOwn }: OutRow, now: Date): FleetRuleError {
  const who = by === null ? '' : ` by ${visibleExcerpt(by, 63)}`;
  const what = isOwn === true ? 'left the fleet' : `was removed from the fleet${who}`;
  return new FleetRuleError(
    'removed',
    `This machine, ${visibleExcerpt(name, 63)}, ${what} (${momentOf(at, now)})`,
    'Nothing on it is lost. Join again, as the same machine: `holdfast fleet join`.',
  );
}

/** Two homes share one identity: one is a copy of the other. */
export function sharedIdentity(name: string): FleetRuleError {
  return new FleetRuleError(
    'shared-identity',
    `Another machine is in the fleet as this one, ${visibleExcerpt(name, 63)}, with the same id`,
    'This home was copied, or that one was. Let one of them join as a machine of its own: `holdfast fleet join --as-new --name <name>`.',
  );
}

/** An entry of the fleet is no longer ours: its lease ended or was taken away. */
export class EntryLostError extends HoldfastError<'LOCK_LOST'> {
  readonly code = 'LOCK_LOST';

  constructor(entry: string, epoch: number, options: Pick<HoldfastErrorOptions, 'cause'> = {}) {
    super(`The lease of ${entry.slice(0, 8)} (epoch ${epoch}) is no longer ours; nothing was written`, {
      ...options,
      hint: 'Another machine may have it: `holdfast queue list` says which. Its run continues there.',
    });
  }
}
