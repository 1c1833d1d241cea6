import { basename, dirname, join } from 'node:path';
import type { Clock, Ids, Logger } from '../foundation/index.js';
import { throwIfAborted } from '../foundation/index.js';
import { linkIfAbsent, removeQuietly } from './atomic-file.js';
import { attempt } from './errors.js';
import { type FileSystem, OpenFlags, systemCode } from './file-system.js';
import { LockedError, LockLostError } from './lock-errors.js';
import {
  epochsIn,
  FREE,
  type LockOwner,
  type LockState,
  lockStateAt,
  recordPath,
  serializeOwner,
} from './lock-record.js';
import type { ProcessIdentity } from './process-identity.js';
import type { DirectoryWatcher } from './watcher.js';

/** What a lock needs from its surroundings. */
export interface LockTools {
  readonly fileSystem: FileSystem;
  readonly ids: Ids;
  readonly clock: Clock;
  readonly log: Logger;
  readonly watcher: DirectoryWatcher;
  /** Who we are; read once per process. */
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
/** A dying owner makes no event in the directory, so a waiter looks again now and then. */
const RECHECK_MS = 250;
/** Takers write their record under a name of their own first; one that old was left by a killed taker. */
const CANDIDATE_MAX_AGE_MS = 60_000;

/**
 * Takes the exclusive lock `<path>.lock.<epoch>` (the highest epoch is the lock). A living owner is waited for, woken
 * by the directory watch; a proven dead one is replaced at once. Throws LOCKED with the owner, ABORTED, STORAGE_FAILED.
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

/** Takes the lock if that is possible right now; otherwise tells who has it. */
export function tryAcquireLock(tools: LockTools, path: string): Lock | LockState {
  return tryTake(tools, path);
}

/** Who has a lock, without touching it. */
export function inspectLock(tools: LockTools, path: string): LockState {
  const epoch = epochsIn(tools.fileSystem.list(dirname(path)), path).at(-1);
  return lockStateAt(tools, path, epoch ?? 0);
}

/**
 * Takes a lock away from whoever has it, living or not, by a higher record that says `free`. The loser notices at its
 * next commit. Returns the state that was overruled.
 */
export function forceUnlock(tools: LockTools, path: string): LockState {
  for (;;) {
    const state = inspectLock(tools, path);
    if (state.hold === 'free') return state;
    const record = writeCandidate(tools, path, FREE);
    tools.fileSystem.close(record.descriptor);
    const isFirst = linkIfAbsent(tools.fileSystem, record.path, recordPath(path, state.epoch + 1));
    removeQuietly(tools.fileSystem, record.path);
    if (isFirst) return state;
  }
}

/** A lock that is held until its block ends. */
export class Lock implements Disposable {
  readonly path: string;
  readonly epoch: number;
  /** Whether the previous owner was found dead. */
  readonly takenOver: boolean;
  readonly #tools: LockTools;
  readonly #descriptor: number;
  readonly #stopWatching: (() => void)[] = [];
  #isReleased = false;

  constructor(
    tools: LockTools,
    path: string,
    facts: { epoch: number; takenOver: boolean; descriptor: number },
  ) {
    this.#tools = tools;
    this.path = path;
    this.epoch = facts.epoch;
    this.takenOver = facts.takenOver;
    this.#descriptor = facts.descriptor;
  }

  /**
   * Whether the lock is still ours. Records go away only from below and only after a higher one was taken, so a
   * missing next record together with our own still being linked is proof.
   */
  isHeld(): boolean {
    if (this.#isReleased) return false;
    const { fileSystem } = this.#tools;
    if (fileSystem.look(recordPath(this.path, this.epoch + 1)) !== undefined) return false;
    return fileSystem.factsOf(this.#descriptor).links > 0;
  }

  /** To be called right before each commit: a holder that was overruled must not write on. Throws LOCK_LOST. */
  assertHeld(): void {
    if (!attempt(this.path, 'check the lock', () => this.isHeld()))
      throw new LockLostError(this.path, this.epoch);
  }

  /** A signal that fires when somebody takes the lock away while we hold it. */
  lossSignal(): AbortSignal {
    const controller = new AbortController();
    const check = () => {
      if (!this.#isReleased && !this.isHeld()) controller.abort(new LockLostError(this.path, this.epoch));
    };
    const watch = this.#tools.watcher.watch(dirname(this.path), check);
    this.#stopWatching.push(() => watch.close());
    check();
    return controller.signal;
  }

  /** Lets the lock go. It never throws: a record that cannot be marked free is proven dead once this process ends. */
  release(): void {
    if (this.#isReleased) return;
    this.#isReleased = true;
    for (const stop of this.#stopWatching) stop();
    const { fileSystem, log } = this.#tools;
    try {
      // Whoever reads in between sees `free` followed by rubbish, which counts as free, or the old owner once more.
      fileSystem.write(this.#descriptor, FREE_BYTES, 0, FREE_BYTES.length, 0);
      fileSystem.truncate(this.#descriptor, FREE_BYTES.length);
    } catch (error) {
      log.warn('lock.release-failed', { path: this.path, epoch: this.epoch, error: systemCode(error) });
    }
    try {
      fileSystem.close(this.#descriptor);
    } catch (error) {
      log.warn('lock.close-failed', { path: this.path, epoch: this.epoch, error: systemCode(error) });
    }
  }

  [Symbol.dispose](): void {
    this.release();
  }
}

const FREE_BYTES = Buffer.from(FREE, 'utf8');

async function waitForLock(
  tools: LockTools,
  path: string,
  waitMs: number,
  signal: AbortSignal | undefined,
): Promise<Lock> {
  const deadline = tools.clock.monotonicMs() + waitMs;
  const prefix = `${basename(path)}.lock.`;
  let wake = new AbortController();
  const watch = tools.watcher.watch(dirname(path), (name) => {
    if (name === null || name.startsWith(prefix)) wake.abort();
  });
  try {
    for (;;) {
      wake = new AbortController();
      const outcome = tryTake(tools, path);
      if (outcome instanceof Lock) return outcome;
      const leftMs = deadline - tools.clock.monotonicMs();
      if (leftMs <= 0) throw new LockedError(path, outcome);
      await sleepUntil(tools.clock, Math.min(RECHECK_MS, leftMs), wake.signal, signal);
      throwIfAborted(signal, `The wait for the lock ${path}`);
    }
  } finally {
    watch.close();
  }
}

async function sleepUntil(
  clock: Clock,
  ms: number,
  wake: AbortSignal,
  stop: AbortSignal | undefined,
): Promise<void> {
  try {
    await clock.sleep(ms, stop === undefined ? wake : AbortSignal.any([wake, stop]));
  } catch {
    // Woken or called off: the caller looks which.
  }
}

function tryTake(tools: LockTools, path: string): Lock | LockState {
  return attempt(path, 'take the lock', () => {
    for (;;) {
      const state = inspectLock(tools, path);
      if (state.hold === 'held') return state;
      const lock = takeAfter(tools, path, state);
      if (lock !== undefined) return lock;
    }
  });
}

/** Links our record right above a free or dead one; undefined when somebody else was faster. */
function takeAfter(tools: LockTools, path: string, base: LockState): Lock | undefined {
  const { fileSystem } = tools;
  const epoch = base.epoch + 1;
  const candidate = writeCandidate(tools, path, serializeOwner(ownerRecord(tools)));
  let names: string[] | undefined;
  try {
    if (linkCandidate(fileSystem, candidate.path, recordPath(path, epoch))) {
      names = namesIfTop(fileSystem, path, base, epoch);
    }
  } finally {
    removeQuietly(fileSystem, candidate.path);
    if (names === undefined) discard(fileSystem, candidate.descriptor);
  }
  if (names === undefined) return undefined;
  const takenOver = base.hold === 'dead';
  if (takenOver)
    tools.log.info('lock.taken-over', { path, epoch, previousPid: base.owner?.pid, reason: base.reason });
  sweep(tools, path, epoch, names);
  return new Lock(tools, path, { epoch, takenOver, descriptor: candidate.descriptor });
}

/**
 * The names beside our record if it is the lock; otherwise it is withdrawn. Someone may have taken, freed and swept
 * this very epoch before we linked it: then a higher one is there. Records are swept from below, so if the one we
 * built upon is still there, nobody passed us.
 */
function namesIfTop(
  fileSystem: FileSystem,
  path: string,
  base: LockState,
  epoch: number,
): string[] | undefined {
  let names: string[] | undefined;
  try {
    names = fileSystem.list(dirname(path));
    const epochs = epochsIn(names, path);
    if (epochs.at(-1) !== epoch || (base.epoch > 0 && !epochs.includes(base.epoch))) names = undefined;
    return names;
  } finally {
    if (names === undefined) removeQuietly(fileSystem, recordPath(path, epoch));
  }
}

/** Gives up a record that did not become the lock; should its name have stayed, it says `free`. */
function discard(fileSystem: FileSystem, descriptor: number): void {
  try {
    fileSystem.write(descriptor, FREE_BYTES, 0, FREE_BYTES.length, 0);
  } catch {
    // The record has no name any more in all but the rarest case, and then our death frees it.
  }
  fileSystem.close(descriptor);
}

function linkCandidate(fileSystem: FileSystem, candidate: string, record: string): boolean {
  try {
    return linkIfAbsent(fileSystem, candidate, record);
  } catch (error) {
    // Our candidate was swept as too old (a clock that jumps can do that): take another one.
    if (systemCode(error) === 'ENOENT') return false;
    throw error;
  }
}

function writeCandidate(
  tools: LockTools,
  path: string,
  content: string,
): { path: string; descriptor: number } {
  const { fileSystem } = tools;
  const candidate = join(dirname(path), `.${basename(path)}.lock.${tools.ids.token()}.candidate`);
  const bytes = Buffer.from(content, 'utf8');
  const descriptor = fileSystem.open(candidate, OpenFlags.createNew, 0o600);
  try {
    fileSystem.changeMode(descriptor, 0o600);
    const written = fileSystem.write(descriptor, bytes, 0, bytes.length, 0);
    if (written < bytes.length) throw new Error(`only ${written} of ${bytes.length} bytes could be written`);
    return { path: candidate, descriptor };
  } catch (error) {
    removeQuietly(fileSystem, candidate);
    fileSystem.close(descriptor);
    throw error;
  }
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

/** Removes the records below ours, lowest first (`namesIfTop` relies on the order), and what killed takers left. */
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
