import { basename, dirname, join } from 'node:path';
import type { Actor, Clock, Ids, Logger } from '../../foundation/index.js';
import { sleepOrHint, throwIfAborted } from '../../foundation/index.js';
import { closeQuietly, linkIfAbsent, removeQuietly } from '../bytes/atomic-file.js';
import { type FileFacts, type FileSystem, OpenFlags, systemCode } from '../bytes/file-system.js';
import { attempt } from '../errors.js';
import type { DirectoryWatcher } from '../watcher.js';
import { LockedError, LockLostError } from './lock-errors.js';
import {
  epochAfter,
  epochsIn,
  FREE,
  type LockOwner,
  type LockState,
  lockStateAt,
  recordPath,
  serializeOwner,
} from './lock-record.js';
import type { ProcessIdentity } from './process-identity.js';
import { keepReleased, type OpenRecord, type ReleasedRecord, takeReleased } from './released-records.js';

/** What a lock needs from its environment. */
export interface LockTools {
  readonly fileSystem: FileSystem;
  readonly ids: Ids;
  readonly clock: Clock;
  readonly log: Logger;
  readonly watcher: DirectoryWatcher;
  /** Our identity, read once per process. */
  readonly identity: ProcessIdentity;
  /** What the owner record says we are doing, such as `holdfast answer`. */
  readonly command: string;
}

export interface AcquireOptions {
  /** How long to wait for a living owner; 0 = fail at once. */
  readonly waitMs?: number;
  readonly signal?: AbortSignal | undefined;
}

const DEFAULT_WAIT_MS = 5_000;
/** A lock is usually held only for a moment, so for this long a waiter checks again after short pauses, which costs least. */
const BURST_MS = 1_000;
const MAX_PAUSE_MS = 10;
/** After that the directory watch wakes it. A dying owner causes no event, so the waiter also checks now and then. */
const RECHECK_MS = 250;
/** Takers first write their record under a name of their own; one this old was left by a killed taker. */
const CANDIDATE_MAX_AGE_MS = 60_000;

/**
 * Takes the exclusive lock `<path>.lock.<epoch>` (the highest epoch is the lock). Waits for a living owner, woken by
 * the directory watch; replaces a proven dead one at once. Throws LOCKED with the owner, ABORTED, STORAGE_FAILED.
 */
export async function acquireLock(
  tools: LockTools,
  path: string,
  options: AcquireOptions = {},
): Promise<Lock> {
  throwIfAborted(options.signal, `The wait for the lock ${path}`);
  const first = tryTake(tools, path);
  if (first instanceof Lock) return first;
  const waitMs = options.waitMs ?? DEFAULT_WAIT_MS;
  if (waitMs <= 0) throw new LockedError(path, first);
  return waitForLock(tools, path, waitMs, options.signal);
}

/** Takes the lock if that is possible right now; otherwise returns who has it. */
export function tryAcquireLock(tools: LockTools, path: string): Lock | LockState {
  return tryTake(tools, path);
}

/** Who has a lock, without touching it. Throws STORAGE_FAILED. */
export function inspectLock(tools: LockTools, path: string): LockState {
  return attempt(path, 'look at the lock', () => {
    for (;;) {
      const epoch = epochsIn(tools.fileSystem.list(dirname(path)), path).at(-1);
      const state = lockStateAt(tools, path, epoch ?? 0);
      // A record goes away only once a higher one exists: look again for that one.
      if (state !== undefined) return state;
    }
  });
}

/**
 * Takes a lock away from its owner, living or not, with a higher record that says `free`. The loser notices at its next
 * commit. Returns the state that was overruled. Throws STORAGE_FAILED.
 */
export function forceUnlock(tools: LockTools, path: string, actor?: Actor): LockState {
  return attempt(path, 'take away the lock', () => {
    for (;;) {
      const state = inspectLock(tools, path);
      if (state.hold === 'free' || linkFree(tools, path, epochAfter(path, state.epoch), actor)) return state;
    }
  });
}

/** A lock that is held until its block ends. */
export class Lock implements Disposable {
  readonly path: string;
  readonly epoch: number;
  /** Whether the previous owner was found dead. */
  readonly takenOver: boolean;
  readonly #tools: LockTools;
  readonly #descriptor: number;
  readonly #record: FileFacts;
  readonly #stopWatching: (() => void)[] = [];
  #isReleased = false;

  constructor(
    tools: LockTools,
    path: string,
    facts: { epoch: number; takenOver: boolean; descriptor: number; record: FileFacts },
  ) {
    this.#tools = tools;
    this.path = path;
    this.epoch = facts.epoch;
    this.takenOver = facts.takenOver;
    this.#descriptor = facts.descriptor;
    this.#record = facts.record;
  }

  /**
   * Whether the lock is still ours. Records are removed only from the bottom up and only after a higher one was taken.
   * So if there is no next record and ours is still in its place, the lock is ours.
   */
  isHeld(): boolean {
    if (this.#isReleased) return false;
    const { fileSystem } = this.#tools;
    if (fileSystem.look(recordPath(this.path, this.epoch + 1)) !== undefined) return false;
    return isSameFile(fileSystem.look(recordPath(this.path, this.epoch)), this.#record);
  }

  /** Call this right before each commit: an overruled holder must stop writing. Throws LOCK_LOST. */
  assertHeld(): void {
    if (!attempt(this.path, 'check the lock', () => this.isHeld())) throw this.#lost();
  }

  /** A signal that fires if someone takes the lock away while we hold it. */
  lossSignal(): AbortSignal {
    const controller = new AbortController();
    const check = () => {
      if (this.#isLostForCertain()) controller.abort(this.#lost());
    };
    const watch = this.#tools.watcher.watch(dirname(this.path), check);
    this.#stopWatching.push(() => watch.close());
    check();
    return controller.signal;
  }

  /** Releases the lock. Never throws: a record that cannot be marked free counts as dead once this process ends. */
  release(): void {
    if (this.#isReleased) return;
    this.#isReleased = true;
    for (const stop of this.#stopWatching) stop();
    const { fileSystem, log } = this.#tools;
    try {
      markFree(fileSystem, this.#descriptor, this.#record.size);
      const { epoch } = this;
      keepReleased(fileSystem, this.path, { epoch, descriptor: this.#descriptor, facts: this.#record });
    } catch (error) {
      log.warn('lock.release-failed', { path: this.path, epoch: this.epoch, error: systemCode(error) });
      closeQuietly(fileSystem, this.#descriptor);
    }
  }

  [Symbol.dispose](): void {
    this.release();
  }

  #lost(): LockLostError {
    const { fileSystem } = this.#tools;
    try {
      const next = fileSystem.look(recordPath(this.path, this.epoch + 1));
      return new LockLostError(this.path, this.epoch, next === undefined && !this.#isReleased);
    } catch {
      return new LockLostError(this.path, this.epoch); // how it was lost only affects the wording
    }
  }

  /** A failed look proves nothing; the next commit will meet the error itself. */
  #isLostForCertain(): boolean {
    try {
      return !this.#isReleased && !this.isHeld();
    } catch {
      return false;
    }
  }
}

/**
 * Makes a record of this many bytes say `free`, with blanks over the rest of the owner: one write in place is the
 * cheapest way. A reader in between sees part of it, which counts as free, or still the old owner. If `free` cannot be
 * written, an empty record means the same: its owner is lost.
 */
function markFree(fileSystem: FileSystem, descriptor: number, size: number): void {
  try {
    writeWhole(fileSystem, descriptor, FREE.padEnd(size));
  } catch (error) {
    fileSystem.truncate(descriptor, 0);
    throw error;
  }
}

/** Whether a path still leads to the file we have open; while it is open, its inode is not reused. */
function isSameFile(there: FileFacts | undefined, ours: FileFacts): boolean {
  return there !== undefined && there.inode === ours.inode && there.device === ours.device;
}

async function waitForLock(
  tools: LockTools,
  path: string,
  waitMs: number,
  signal: AbortSignal | undefined,
): Promise<Lock> {
  const deadline = tools.clock.monotonicMs() + waitMs;
  const burstEnd = Math.min(deadline, tools.clock.monotonicMs() + BURST_MS);
  for (let tries = 1; tools.clock.monotonicMs() < burstEnd; tries++) {
    await tools.clock.sleep(pauseMs(tools.ids, tries), signal);
    const outcome = tryTake(tools, path);
    if (outcome instanceof Lock) return outcome;
  }
  return waitForHint(tools, path, deadline, signal);
}

async function waitForHint(
  tools: LockTools,
  path: string,
  deadline: number,
  signal: AbortSignal | undefined,
): Promise<Lock> {
  const record = `${basename(path)}.lock.`;
  let wake = () => {};
  const watch = tools.watcher.watch(dirname(path), (name) => {
    // The event of a release carries the name that the record was opened by: its candidate's.
    if (name === null || name.startsWith(record) || name.startsWith(`.${record}`)) wake();
  });
  try {
    for (;;) {
      const hint = new Promise<void>((resolve) => {
        wake = resolve;
      });
      const outcome = tryTake(tools, path);
      if (outcome instanceof Lock) return outcome;
      const leftMs = deadline - tools.clock.monotonicMs();
      if (leftMs <= 0) throw new LockedError(path, outcome);
      await sleepOrHint(tools.clock, Math.min(RECHECK_MS, leftMs), hint, signal);
      throwIfAborted(signal, `The wait for the lock ${path}`);
    }
  } finally {
    watch.close();
  }
}

/** Short at first, never long, and random, so waiters do not all return at once. */
function pauseMs(ids: Ids, tries: number): number {
  const random = Number.parseInt(ids.token().slice(0, 8), 16) / 2 ** 32;
  return random * Math.min(MAX_PAUSE_MS, 1 + tries);
}

function tryTake(tools: LockTools, path: string): Lock | LockState {
  return attempt(path, 'take the lock', () => {
    const again = takeAgain(tools, path);
    if (again !== undefined) return again;
    for (;;) {
      const state = inspectLock(tools, path);
      if (state.hold === 'held') return state;
      const lock = takeAfter(tools, path, state);
      if (lock !== undefined) return lock;
    }
  });
}

/**
 * Moves the record that this process last released up by one epoch; undefined if it is no longer the highest. It names
 * us before it is linked, so nobody sees a lock without its owner. Any process that saw it free just before links the
 * same epoch, and only one of us can succeed.
 */
function takeAgain(tools: LockTools, path: string): Lock | undefined {
  const { fileSystem } = tools;
  const released = takeReleased(fileSystem, path);
  if (released === undefined) return undefined;
  const epoch = epochAfter(path, released.epoch);
  let names: string[] | undefined;
  try {
    names = moveUp(tools, path, released);
  } finally {
    if (names === undefined) discard(fileSystem, released);
  }
  if (names === undefined) return undefined;
  sweep(tools, path, epoch, names);
  const { descriptor, facts: record } = released;
  return new Lock(tools, path, { epoch, takenOver: false, descriptor, record });
}

function moveUp(tools: LockTools, path: string, released: ReleasedRecord): string[] | undefined {
  const { fileSystem } = tools;
  const { epoch, descriptor, facts } = released;
  const owner = serializeOwner(ownerRecord(tools));
  // Written in place, a longer or shorter owner would leave garbage.
  if (Buffer.byteLength(owner) !== facts.size) return undefined;
  if (!isSameFile(fileSystem.look(recordPath(path, epoch)), facts)) return undefined;
  writeWhole(fileSystem, descriptor, owner);
  if (!linkCandidate(fileSystem, recordPath(path, epoch), recordPath(path, epoch + 1))) return undefined;
  return namesIfTop(fileSystem, path, epoch + 1, facts);
}

/** Links our record right above a free or dead one; undefined if another process was faster. */
function takeAfter(tools: LockTools, path: string, base: LockState): Lock | undefined {
  const { fileSystem } = tools;
  const epoch = epochAfter(path, base.epoch);
  const owner = ownerRecord(tools);
  const candidate = writeCandidate(tools, path, owner.token, serializeOwner(owner));
  let names: string[] | undefined;
  try {
    if (linkCandidate(fileSystem, candidate.path, recordPath(path, epoch))) {
      names = namesIfTop(fileSystem, path, epoch, candidate.facts);
    }
  } finally {
    removeQuietly(fileSystem, candidate.path);
    if (names === undefined) discard(fileSystem, candidate);
  }
  if (names === undefined) return undefined;
  const takenOver = base.hold === 'dead';
  if (takenOver)
    tools.log.info('lock.taken-over', { path, epoch, previousPid: base.owner?.pid, reason: base.reason });
  const others = names.filter((name) => name !== basename(candidate.path));
  sweep(tools, path, epoch, others);
  const { descriptor, facts: record } = candidate;
  return new Lock(tools, path, { epoch, takenOver, descriptor, record });
}

/**
 * The names beside our record if it is the lock; otherwise withdraws the record. Another process may have taken, freed
 * and swept this very epoch before we linked it; then a higher one exists. A listing misses that one only if it is
 * removed meanwhile. But its remover linked after us, so it swept ours first: that is why ours must still be there
 * afterwards.
 */
function namesIfTop(
  fileSystem: FileSystem,
  path: string,
  epoch: number,
  facts: FileFacts,
): string[] | undefined {
  const record = recordPath(path, epoch);
  // If this fails, ours may be the lock and others may build on it, so it stays, and `discard` marks it free.
  const names = fileSystem.list(dirname(path));
  const isTop = epochsIn(names, path).at(-1) === epoch;
  if (!isSameFile(fileSystem.look(record), facts)) return undefined;
  if (isTop) return names;
  removeQuietly(fileSystem, record);
  return undefined;
}

/** Gives up a record that did not become the lock; if its name is still there, the record says `free`. */
function discard(fileSystem: FileSystem, { descriptor, facts }: OpenRecord): void {
  try {
    markFree(fileSystem, descriptor, facts.size);
  } catch {
    // In all but the rarest case the record has no name any more; otherwise it becomes free when we die.
  }
  closeQuietly(fileSystem, descriptor);
}

/** Links a record that says `free`; false if another process was faster. */
function linkFree(tools: LockTools, path: string, epoch: number, actor: Actor | undefined): boolean {
  const { command, clock } = tools;
  const at = clock.now().toISOString();
  // After the word that counts: who took the lock away, for anyone who looks into the file.
  const content = actor === undefined ? FREE : `${FREE}${JSON.stringify({ actor, command, at })}\n`;
  const candidate = writeCandidate(tools, path, tools.ids.token(), content);
  try {
    return linkCandidate(tools.fileSystem, candidate.path, recordPath(path, epoch));
  } finally {
    removeQuietly(tools.fileSystem, candidate.path);
    closeQuietly(tools.fileSystem, candidate.descriptor);
  }
}

function linkCandidate(fileSystem: FileSystem, candidate: string, record: string): boolean {
  try {
    return linkIfAbsent(fileSystem, candidate, record);
  } catch (error) {
    // Our candidate was swept as too old, which a jumping clock can cause: use another one.
    if (systemCode(error) === 'ENOENT') return false;
    throw error;
  }
}

function writeCandidate(
  tools: LockTools,
  path: string,
  token: string,
  content: string,
): OpenRecord & { readonly path: string } {
  const { fileSystem } = tools;
  const candidate = join(dirname(path), `.${basename(path)}.lock.${token}.candidate`);
  const descriptor = fileSystem.open(candidate, OpenFlags.createNew, 0o600);
  try {
    fileSystem.changeMode(descriptor, 0o600);
    writeWhole(fileSystem, descriptor, content);
    return { path: candidate, descriptor, facts: fileSystem.factsOf(descriptor) };
  } catch (error) {
    removeQuietly(fileSystem, candidate);
    closeQuietly(fileSystem, descriptor);
    throw error;
  }
}

function writeWhole(fileSystem: FileSystem, descriptor: number, content: string): void {
  const bytes = Buffer.from(content, 'utf8');
  const written = fileSystem.write(descriptor, bytes, 0, bytes.length, 0);
  if (written < bytes.length) throw new Error(`only ${written} of ${bytes.length} bytes could be written`);
}

function ownerRecord(tools: LockTools): LockOwner {
  return {
    version: 1,
    ...tools.identity,
    token: tools.ids.token(),
    command: tools.command,
    since: tools.clock.now().toISOString(),
  };
}

/**
 * Removes the records below ours, lowest first (`namesIfTop` and `isHeld` rely on the order), and the leftovers of
 * killed takers.
 */
function sweep(tools: LockTools, path: string, epoch: number, names: readonly string[]): void {
  const { fileSystem } = tools;
  try {
    for (const lower of epochsIn(names, path)) {
      if (lower < epoch) fileSystem.unlink(recordPath(path, lower));
    }
    const prefix = `.${basename(path)}.lock.`;
    for (const name of names) {
      if (name.startsWith(prefix) && name.endsWith('.candidate'))
        sweepCandidate(tools, join(dirname(path), name));
    }
  } catch (error) {
    tools.log.debug('lock.sweep-failed', { path, error: systemCode(error) });
  }
}

function sweepCandidate(tools: LockTools, candidate: string): void {
  const facts = tools.fileSystem.look(candidate);
  if (facts === undefined) return;
  if (tools.clock.now().getTime() - facts.modifiedMs > CANDIDATE_MAX_AGE_MS)
    tools.fileSystem.unlink(candidate);
}
