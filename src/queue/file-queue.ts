import { dirname, join } from 'node:path';
import { isUuidV4, next, timestamp } from '../foundation/index.js';
import {
  acquireLock,
  attempt,
  createFile,
  DOCUMENT_VERSION,
  ensureDirectory,
  formatDocument,
  inspectLock,
  Lock,
  type LockTools,
  lookAt,
  readDocument,
  readFile,
  replaceFile,
  syncDirectory,
  tryAcquireLock,
  writeDocument,
} from '../storage/index.js';
import { EntryNeededError, EntryNotFoundError, EntryRunningError, QueueCycleError } from './errors.js';
import { KnownEntries } from './known-entries.js';
import { entryLifecycle } from './lifecycle.js';
import { arrange, findCycle, inOrder, placeAt } from './order.js';
import type {
  EntryChange,
  EntryEnd,
  Move,
  NewEntry,
  PlanFiles,
  Queue,
  QueueContent,
  Taken,
  Taker,
} from './port.js';
import { type Entry, EntryRecord, QueueRecord } from './schema.js';

/** How long a change of the queue waits for other changes. */
const WAIT_MS = 30_000;

/**
 * The queue of this user as files. `entries/<id>.json` is the truth about an entry; its plan, report and lock are in
 * `kept/<id>`. A process that takes, adds or changes an entry holds the lock of the queue for that moment. A process
 * that runs an entry holds the entry's lock until the end, so a dead worker is known by proof.
 */
export class FileQueue implements Queue {
  readonly #tools: LockTools;
  readonly #directory: string;
  readonly #known: KnownEntries;

  constructor(tools: LockTools, directory: string) {
    this.#tools = tools;
    this.#directory = directory;
    this.#known = new KnownEntries(tools, join(directory, 'entries'));
  }

  async add(wanted: NewEntry, plan: PlanFiles): Promise<Entry> {
    const { ids, clock } = this.#tools;
    const id = ids.uuid();
    using _lock = await this.#lock();
    const { entries } = this.read();
    for (const before of wanted.after)
      if (!entries.some((entry) => entry.id === before)) throw new EntryNotFoundError(before);
    this.#keepPlan(id, wanted.plan.hash, plan);
    const entry: Entry = {
      ...wanted,
      version: DOCUMENT_VERSION,
      id,
      status: entryLifecycle.initial,
      position: Math.max(0, ...entries.map(({ position }) => position)) + 1,
      addedAt: timestamp(clock),
      runId: null,
      worker: null,
      startedAt: null,
      endedAt: null,
      reason: null,
      worktree: null,
      question: null,
    };
    const path = this.#entryPath(id);
    ensureDirectory(this.#tools.fileSystem, dirname(path));
    createFile(this.#tools, path, formatDocument(path, entry, EntryRecord));
    return entry;
  }

  read(): QueueContent {
    const { entries, damaged } = this.#known.read();
    const { pausedAt = null } = readDocument(this.#tools.fileSystem, this.#queuePath(), QueueRecord) ?? {};
    return { entries, pausedAt, damaged };
  }

  get(id: string): Entry | undefined {
    return isUuidV4(id) ? readDocument(this.#tools.fileSystem, this.#entryPath(id), EntryRecord) : undefined;
  }

  edit(id: string, change: (entry: Entry) => EntryChange): Promise<Entry> {
    return this.#changeWaiting(id, (entry) => {
      const changed = { ...entry, ...change(entry) };
      const cycle = findCycle(changed, (one) => this.get(one)?.after ?? []);
      if (cycle !== undefined) throw new QueueCycleError(cycle);
      return changed;
    });
  }

  updatePlan(id: string, plan: Entry['plan'], content: PlanFiles): Promise<Entry> {
    return this.#changeWaiting(id, (entry) => {
      this.#keepPlan(id, plan.hash, content);
      return { ...entry, plan };
    });
  }

  move(id: string, to: Move): Promise<Entry> {
    return this.#changeWaiting(id, (entry) => {
      const others = this.read().entries.filter((one) => one.id !== id);
      return { ...entry, ...placeAt(others, to) };
    });
  }

  async remove(id: string): Promise<Entry> {
    using _lock = await this.#lock();
    const entry = this.#found(id);
    if (entry.status === 'running') throw new EntryRunningError(entry);
    const needing = this.read().entries.filter(
      ({ after, status }) => after.includes(id) && status !== 'done' && status !== 'failed',
    );
    if (needing.length > 0) throw new EntryNeededError(entry, needing);
    // Nothing is deleted: what was kept with the entry stays, and its record joins it.
    this.#setAside(id);
    return entry;
  }

  async pause(id?: string): Promise<void> {
    if (id === undefined) return this.#setPaused(timestamp(this.#tools.clock));
    await this.#change(id, (entry) => ({ ...entry, status: next(entryLifecycle, entry.status, 'pause') }));
  }

  async resume(id?: string): Promise<void> {
    if (id === undefined) return this.#setPaused(null);
    await this.#change(id, (entry) => ({ ...entry, status: next(entryLifecycle, entry.status, 'resume') }));
  }

  retry(id: string, { isNewRun = false } = {}): Promise<Entry> {
    return this.#change(id, (entry) => ({
      ...entry,
      status: next(entryLifecycle, entry.status, 'retry'),
      ...(isNewRun ? { runId: null, startedAt: null } : {}),
      worker: null,
      endedAt: null,
      question: null,
    }));
  }

  settle(id: string, onFailure: 'stop' | 'continue'): Promise<Entry> {
    return this.#change(id, (entry) => ({ ...entry, onFailure, question: null }));
  }

  async take(taker: Taker): Promise<Taken | undefined> {
    using _lock = await this.#lock();
    const { entries, pausedAt } = this.read();
    const abandoned = entries.filter(({ id, status }) => status === 'running' && !taker.own.has(id));
    for (const entry of abandoned.sort(inOrder)) {
      const taken = this.#claim(entry);
      if (taken !== undefined) return taken;
    }
    const placed = arrange(entries, { ...taker, now: this.#tools.clock.now(), pausedAt, isHeld: () => true });
    const [first] = placed.filter(({ standing }) => standing.is === 'next');
    return first === undefined ? undefined : this.#claim(first.entry);
  }

  ownerOf(id: string): string | undefined {
    if (lookAt(this.#tools.fileSystem, this.#keptPath(id)) === undefined) return undefined;
    const { hold, owner } = inspectLock(this.#tools, this.#lockPath(id));
    return hold === 'held' ? `process ${owner?.pid ?? '?'}` : undefined;
  }

  reportOf(id: string): string | undefined {
    return readFile(this.#tools.fileSystem, this.#reportPath(id));
  }

  planPath({ id, plan }: Entry, file: string): string {
    return join(this.#plansPath(id, plan.hash), file);
  }

  watch(onHint: () => void): { close(): void } {
    const { fileSystem, watcher } = this.#tools;
    const entries = join(this.#directory, 'entries');
    ensureDirectory(fileSystem, this.#directory);
    ensureDirectory(fileSystem, entries);
    let seen = this.#pauseStamp();
    const watches = [
      watcher.watch(entries, onHint),
      // The locks of the queue are in the same directory. They change nothing, and every process woken here would take
      // one.
      watcher.watch(this.#directory, () => {
        const now = this.#pauseStamp();
        if (now === seen) return;
        seen = now;
        onHint();
      }),
    ];
    return {
      close() {
        for (const watch of watches) watch.close();
      },
    };
  }

  #setAside(id: string): void {
    const { fileSystem } = this.#tools;
    const [entry, kept] = [this.#entryPath(id), join(this.#keptPath(id), 'entry.json')];
    attempt(kept, 'move', () => {
      fileSystem.rename(entry, kept);
      // First where it is now, then where it was: after a power cut in between there are two records rather than none.
      // After both syncs a removed entry cannot come back and be run.
      syncDirectory(fileSystem, dirname(kept));
      syncDirectory(fileSystem, dirname(entry));
    });
  }

  /** Call it under the lock of the queue. Undefined if a living worker has the entry, or has just finished it. */
  #claim({ id, status }: Entry): Taken | undefined {
    const { identity, clock, ids } = this.#tools;
    const lock = tryAcquireLock(this.#tools, this.#lockPath(id));
    if (!(lock instanceof Lock)) return undefined;
    try {
      const entry = this.get(id);
      if (entry?.status !== status) {
        lock.release();
        return undefined;
      }
      const now = timestamp(clock);
      const taken: Entry = {
        ...entry,
        status: next(entryLifecycle, entry.status, 'take'),
        runId: entry.runId ?? ids.uuid(),
        worker: { pid: identity.pid, host: identity.host, since: now },
        startedAt: entry.startedAt ?? now,
        reason: null,
      };
      this.#write(taken);
      return this.#takenOf(taken, lock, entry.status === 'running');
    } catch (error) {
      lock.release();
      throw error;
    }
  }

  #takenOf(entry: Entry, lock: Lock, isTakenOver: boolean): Taken {
    return {
      entry,
      fence: lock.epoch,
      isTakenOver,
      lost: lock.lossSignal(),
      renew: async () => {},
      finish: async (end) => {
        const finished = finishedEntry(entry, end, timestamp(this.#tools.clock));
        lock.assertHeld();
        if (end.report !== null) replaceFile(this.#tools, this.#reportPath(entry.id), end.report);
        lock.assertHeld();
        this.#write(finished);
        lock.release();
        return finished;
      },
      release: async () => lock.release(),
    };
  }

  /** Changes an entry that no worker has. */
  #changeWaiting(id: string, change: (entry: Entry) => Entry): Promise<Entry> {
    return this.#change(id, (entry) => {
      if (entry.status !== 'queued' && entry.status !== 'paused') throw new EntryRunningError(entry);
      return change(entry);
    });
  }

  async #change(id: string, change: (entry: Entry) => Entry): Promise<Entry> {
    using lock = await this.#lock();
    const changed = change(this.#found(id));
    lock.assertHeld();
    this.#write(changed);
    return changed;
  }

  async #setPaused(pausedAt: string | null): Promise<void> {
    using _lock = await this.#lock();
    writeDocument(this.#tools, this.#queuePath(), { version: DOCUMENT_VERSION, pausedAt }, QueueRecord);
  }

  /** Changes each time the queue is paused or resumed. */
  #pauseStamp(): string {
    try {
      const { inode, modifiedMs } = lookAt(this.#tools.fileSystem, this.#queuePath()) ?? {};
      return `${inode} ${modifiedMs}`;
    } catch {
      return 'unreadable'; // the process that is woken meets the error when it reads
    }
  }

  #found(id: string): Entry {
    const entry = this.get(id);
    if (entry === undefined) throw new EntryNotFoundError(id);
    return entry;
  }

  #write(entry: Entry): void {
    writeDocument(this.#tools, this.#entryPath(entry.id), entry, EntryRecord);
  }

  /** Stored under the hash of its content, so a newer plan never mixes with the kept one. */
  #keepPlan(id: string, hash: string, { files }: PlanFiles): void {
    for (const [file, content] of files) {
      const path = join(this.#plansPath(id, hash), file);
      ensureDirectory(this.#tools.fileSystem, dirname(path));
      createFile(this.#tools, path, content);
    }
  }

  #lock(): Promise<Lock> {
    ensureDirectory(this.#tools.fileSystem, this.#directory);
    return acquireLock(this.#tools, join(this.#directory, 'queue'), { waitMs: WAIT_MS });
  }

  #queuePath(): string {
    return join(this.#directory, 'queue.json');
  }

  #entryPath(id: string): string {
    return join(this.#directory, 'entries', `${id}.json`);
  }

  #keptPath(id: string): string {
    return join(this.#directory, 'kept', id);
  }

  #plansPath(id: string, hash: string): string {
    return join(this.#keptPath(id), 'plan', hash.slice(0, 16));
  }

  #lockPath(id: string): string {
    return join(this.#keptPath(id), 'entry');
  }

  #reportPath(id: string): string {
    return join(this.#keptPath(id), 'report.json');
  }
}

/** The entry after its end: if its run prompted nobody, it goes back into the queue while it has retries left. */
export function finishedEntry(entry: Entry, end: EntryEnd, now: string): Entry {
  const { outcome, reason, worktree, hasPrompted, question } = end;
  if (outcome === 'failed' && !hasPrompted && entry.retriesLeft > 0)
    return {
      ...entry,
      status: next(entryLifecycle, entry.status, 'release'),
      retriesLeft: entry.retriesLeft - 1,
      worker: null,
      reason,
    };
  return {
    ...entry,
    status: next(entryLifecycle, entry.status, outcome === 'done' ? 'finish' : 'fail'),
    worker: null,
    endedAt: now,
    reason,
    worktree,
    question,
  };
}
