import { join } from 'node:path';
import {
  type Clock,
  filledText,
  flag,
  isHoldfastError,
  isUuidV4,
  named,
  nullable,
  number,
  record,
  text,
  textThat,
  time,
  type ValueOf,
  whole,
  withDefault,
} from '../../foundation/index.js';
import {
  DOCUMENT_VERSION,
  ensureDirectory,
  type FileSystem,
  formatDocument,
  hasDirectory,
  listDirectory,
  type ProcessIdentity,
  readDocument,
  removeQuietly,
  replaceQuick,
  type StorageTools,
} from '../../storage/index.js';
import { RunMayHaveMovedError } from '../errors.js';
import { bootClock } from '../queue/boot-clock.js';

const uuid = textThat(isUuidV4, 'not a UUID v4');
const anyUuid = textThat((value) => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(value), 'not a UUID');

/**
 * `<state>/fleet/leases/<run>.json`: the lease under which a fleet run works here, as its worker reports it to the run.
 * The worker writes it at each renewal. It is of no use after a restart of the machine, so it is not synced.
 */
const LeaseFile = record({
  version: withDefault(whole(), () => DOCUMENT_VERSION),
  run: uuid,
  entry: uuid,
  epoch: number(0),
  /** Together with the epoch, the fence of every write; nobody else may read it. */
  token: anyUuid,
  repository: filledText,
  /** The commit that the work started from; the git server has it. */
  base: filledText,
  /** The ref that snapshots of this epoch go to. */
  ref: filledText,
  /** The process that ends the run, with the start time that makes its pid unique. */
  guard: record({ pid: whole(), startTime: named('start_time', text) }),
  bootId: named('boot_id', nullable(text)),
  /** How long the run may live: in boot time, and for people. */
  deadlineMs: named('deadline_ms', number()),
  deadlineAt: named('deadline_at', time),
  /** Since when no renewal has arrived; null if the last one did. */
  cutOffSince: named('cut_off_since', nullable(time)),
  /** What the holder is asked to do: `hand-over` at the end of the iteration. */
  wish: nullable(text),
  /** Whether its worker ended it properly: then nobody took the run away. */
  isOver: named(
    'is_over',
    withDefault(flag, () => false),
  ),
  /** Where the run works. */
  worktree: filledText,
});
export type LeaseRecord = ValueOf<typeof LeaseFile>;

export function leasesPlace(fleet: string): string {
  return join(fleet, 'leases');
}

function pathOf(fleet: string, run: string): string {
  return join(leasesPlace(fleet), `${run}.json`);
}

export function writeLease(tools: StorageTools, fleet: string, lease: LeaseRecord): void {
  const path = pathOf(fleet, lease.run);
  ensureDirectory(tools.fileSystem, fleet);
  ensureDirectory(tools.fileSystem, leasesPlace(fleet));
  replaceQuick(tools, path, formatDocument(path, lease, LeaseFile));
}

/** Undefined if there never was a lease of this run here, or if the file is not a lease. */
export function readLease(fileSystem: FileSystem, fleet: string, run: string): LeaseRecord | undefined {
  if (!isUuidV4(run)) return undefined;
  try {
    return readDocument(fileSystem, pathOf(fleet, run), LeaseFile);
  } catch (error) {
    // Torn by a power loss: whatever it was for is gone, too.
    if (!isHoldfastError(error)) throw error;
    return undefined;
  }
}

export function listLeases(fileSystem: FileSystem, fleet: string): LeaseRecord[] {
  if (!hasDirectory(fileSystem, leasesPlace(fleet))) return [];
  return listDirectory(fileSystem, leasesPlace(fleet)).flatMap((name) => {
    const lease = name.endsWith('.json') ? readLease(fileSystem, fleet, name.slice(0, -5)) : undefined;
    return lease === undefined ? [] : [lease];
  });
}

/** Throws RUN_MAY_HAVE_MOVED if this run had a lease here and its deadline has passed. */
export function assertLeaseHolds(
  tools: StorageTools & { readonly clock: Clock; readonly identity: ProcessIdentity },
  fleet: string,
  run: string,
): void {
  const lease = readLease(tools.fileSystem, fleet, run);
  if (lease === undefined || lease.isOver) return;
  const isThisStart = lease.bootId === (tools.identity.bootId ?? null);
  const { bootMs } = bootClock(tools.fileSystem, tools.clock);
  if (!isThisStart || bootMs() >= lease.deadlineMs) throw new RunMayHaveMovedError(run, lease.deadlineAt);
}

export function forgetLease(
  { fileSystem }: Pick<StorageTools, 'fileSystem'>,
  fleet: string,
  run: string,
): void {
  if (isUuidV4(run)) removeQuietly(fileSystem, pathOf(fleet, run));
}
