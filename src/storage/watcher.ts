import { join } from 'node:path';
import { type Ids, type Logger, messageOf } from '../foundation/index.js';
import { closeQuietly, removeQuietly } from './bytes/atomic-file.js';
import { type FileSystem, OpenFlags, systemCode, type WatchHandle } from './bytes/file-system.js';

/** A watch on one directory. */
export interface DirectoryWatch {
  /** `watching`: the system reports changes within milliseconds. `polling`: we look every 200 ms. */
  readonly mode: 'watching' | 'polling';
  close(): void;
}

/**
 * A hint that a directory may have changed: the name that changed, or null for "look yourself". It comes from a timer or the
 * system, where nobody could catch an error, so what it throws goes to the log.
 */
export type OnHint = (name: string | null) => void;

const SAFETY_CHECK_MS = 2_000;
/** More than this are checked in turns: the cost of waiting must not grow with the number of directories. */
const CHECKED_AT_ONCE = 50;
const POLL_MS = 200;
const PROBE_MS = 1_000;
const PROBE_PREFIX = '.holdfast-probe-';

/**
 * Watches directories and passes on hints; the receiver re-reads and decides. Hints may be missed, doubled or merged,
 * so every two seconds it also compares the directory's time stamp, for up to fifty directories at a time. If watching
 * is refused, or a probe shows that nothing is delivered (some network file systems), it polls every 200 ms and says so
 * in the log.
 */
export class DirectoryWatcher {
  readonly #fileSystem: FileSystem;
  readonly #ids: Ids;
  readonly #log: Logger;
  readonly #watches = new Set<OneWatch>();
  /** By device: whether watching delivers there. Probed once. */
  readonly #delivers = new Map<number, boolean>();
  /** Devices being probed: one probe is enough, however many directories are watched at once. */
  readonly #probing = new Set<number>();
  #ticker: NodeJS.Timeout | undefined;
  #tickMs = SAFETY_CHECK_MS;

  constructor(options: { fileSystem: FileSystem; ids: Ids; log: Logger }) {
    this.#fileSystem = options.fileSystem;
    this.#ids = options.ids;
    this.#log = options.log;
  }

  /** Starts watching. Never throws: a directory that cannot be watched is polled. */
  watch(path: string, onHint: OnHint): DirectoryWatch {
    const hint: OnHint = (name) => {
      try {
        onHint(name);
      } catch (error) {
        this.#log.warn('watch.hint-failed', { path, error: messageOf(error) });
      }
    };
    const watch = new OneWatch(this.#fileSystem, path, hint, (reason) => this.#poll(watch, reason));
    this.#watches.add(watch);
    const device = watch.device;
    if (device !== undefined && this.#delivers.get(device) === false)
      this.#poll(watch, 'the probe was not delivered');
    else if (watch.start() && device !== undefined && !this.#isKnown(device)) this.#probe(watch, device);
    this.#schedule();
    return {
      get mode() {
        return watch.isPolling ? 'polling' : 'watching';
      },
      close: () => {
        watch.stop();
        this.#watches.delete(watch);
        this.#schedule();
      },
    };
  }

  /** Stops every watch. */
  close(): void {
    for (const watch of this.#watches) watch.stop();
    this.#watches.clear();
    this.#schedule();
  }

  #poll(watch: OneWatch, reason: string): void {
    watch.isPolling = true;
    watch.stop();
    this.#log.warn('watch.polling', { path: watch.path, everyMs: POLL_MS, reason });
    this.#schedule();
  }

  /** One timer for all watches: a hundred idle waiters wake the process once. */
  #schedule(): void {
    const isAnyPolling = [...this.#watches].some((watch) => watch.isPolling);
    const tickMs = isAnyPolling ? POLL_MS : SAFETY_CHECK_MS;
    if (this.#watches.size === 0 || (this.#ticker !== undefined && tickMs !== this.#tickMs)) {
      clearInterval(this.#ticker);
      this.#ticker = undefined;
    }
    if (this.#watches.size > 0 && this.#ticker === undefined) {
      this.#tickMs = tickMs;
      this.#ticker = setInterval(() => this.#compare(isAnyPolling), tickMs);
    }
  }

  /** Checks those that have waited longest; the set keeps that order. */
  #compare(isAnyPolling: boolean): void {
    const due = isAnyPolling ? [...this.#watches] : [...this.#watches].slice(0, CHECKED_AT_ONCE);
    for (const watch of due) {
      this.#watches.delete(watch);
      this.#watches.add(watch);
    }
    for (const watch of due) if (this.#watches.has(watch)) watch.compare();
  }

  #isKnown(device: number): boolean {
    return this.#delivers.has(device) || this.#probing.has(device);
  }

  /** Creates a file in the directory and waits for its hint; a device that stays silent is polled from then on. */
  #probe(watch: OneWatch, device: number): void {
    const name = `${PROBE_PREFIX}${this.#ids.token()}`;
    this.#probing.add(device);
    const conclude = () => {
      this.#probing.delete(device);
      if (watch.onProbe === undefined || !this.#watches.has(watch) || watch.isPolling) return;
      watch.onProbe = undefined;
      this.#delivers.set(device, false);
      for (const one of [...this.#watches])
        if (one.device === device && !one.isPolling) this.#poll(one, 'the probe was not delivered');
    };
    // If we were too busy to hear anything, first handle what has arrived since.
    const timer = setTimeout(() => setImmediate(conclude), PROBE_MS);
    timer.unref();
    watch.onProbe = (seen) => {
      if (seen !== name) return;
      clearTimeout(timer);
      this.#probing.delete(device);
      watch.onProbe = undefined;
      this.#delivers.set(device, true);
    };
    try {
      const path = join(watch.path, name);
      const descriptor = this.#fileSystem.open(path, OpenFlags.createNew, 0o600);
      removeQuietly(this.#fileSystem, path);
      closeQuietly(this.#fileSystem, descriptor);
    } catch {
      // Nothing can be created here (full, read-only): the probe proves nothing, but the safety check remains.
      clearTimeout(timer);
      this.#probing.delete(device);
      watch.onProbe = undefined;
    }
  }
}

class OneWatch {
  readonly path: string;
  isPolling = false;
  onProbe: ((name: string) => void) | undefined;
  readonly #fileSystem: FileSystem;
  readonly #onHint: OnHint;
  readonly #onRefused: (reason: string) => void;
  #handle: WatchHandle | undefined;
  #seen: string;

  constructor(fileSystem: FileSystem, path: string, onHint: OnHint, onRefused: (reason: string) => void) {
    this.#fileSystem = fileSystem;
    this.path = path;
    this.#onHint = onHint;
    this.#onRefused = onRefused;
    this.#seen = this.#look().stamp;
  }

  get device(): number | undefined {
    return this.#look().device;
  }

  start(): boolean {
    try {
      this.#handle = this.#fileSystem.watch(
        this.path,
        (name) => this.#pass(name),
        (error) => this.#onRefused(systemCode(error) ?? error.message),
      );
      return true;
    } catch (error) {
      this.#onRefused(systemCode(error) ?? 'unknown');
      return false;
    }
  }

  stop(): void {
    this.#handle?.close();
    this.#handle = undefined;
  }

  /** Passes on a hint if the directory's own time stamp has changed since the last check. */
  compare(): void {
    const { stamp } = this.#look();
    if (stamp === this.#seen && !this.isPolling) return;
    this.#seen = stamp;
    this.#onHint(null);
  }

  #pass(name: string | null): void {
    if (name?.startsWith(PROBE_PREFIX)) this.onProbe?.(name);
    else this.#onHint(name);
  }

  #look(): { stamp: string; device: number | undefined } {
    try {
      const facts = this.#fileSystem.look(this.path);
      return { stamp: `${facts?.inode}:${facts?.modifiedMs}`, device: facts?.device };
    } catch {
      // A failed check is reported as a change: the receiver meets the error itself when it re-reads.
      return { stamp: 'unreadable', device: undefined };
    }
  }
}
