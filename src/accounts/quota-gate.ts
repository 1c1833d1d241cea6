import { basename, join } from 'node:path';
import { messageOf } from '../foundation/index.js';
import {
  acquireLock,
  DOCUMENT_VERSION,
  ensureDirectory,
  judgeLife,
  type LockTools,
  type ProcessIdentity,
  removeQuietly,
  syncDirectory,
  writeDocument,
} from '../storage/index.js';
import { readOrSetAside } from './read-file.js';
import { type QuotaWindow, WindowFile } from './schema.js';
import {
  type AccountAccess,
  enterWindow,
  leaveWindow,
  limitWindow,
  openWindow,
  type Runner,
  type ToldLimit,
} from './who-tries-first.js';

/** Whose allowance it is: its file name, and the name people know it by. */
export interface AccountId {
  readonly key: string;
  readonly name: string;
}

export interface QuotaGateOptions {
  /** `<state>/accounts`. */
  readonly directory: string;
  readonly account: AccountId;
  /** The session of the run. */
  readonly session: string;
}

/**
 * One run's gate to an account that all runs share. Until the service refuses somebody there is no file and nothing is
 * written. If the disk cannot keep the window, no run is stopped: each run also waits on its own.
 */
export class QuotaGate {
  readonly account: AccountId;
  readonly #tools: LockTools;
  readonly #directory: string;
  readonly #me: Runner;
  #isCanary = false;
  #isWaiting = false;

  constructor(tools: LockTools, { directory, account, session }: QuotaGateOptions) {
    this.account = account;
    this.#tools = tools;
    this.#directory = directory;
    this.#me = { session, process: { ...tools.identity } };
  }

  /** Whether this run is the one that tries first and has not had an answer yet. */
  get isCanary(): boolean {
    return this.#isCanary;
  }

  /** The window as known now; undefined if the account may be used. */
  window(): QuotaWindow | undefined {
    return readWindow(this.#tools, this.#directory, this.account);
  }

  /** Whether the next prompt may be sent. If not, this run is in line from then on. */
  async enter({ triesNow = false } = {}): Promise<AccountAccess> {
    if (this.window() === undefined) {
      this.#isWaiting = false;
      return OPEN;
    }
    let entry: AccountAccess = OPEN;
    await this.#change((window) => {
      if (window === undefined) return undefined;
      const now = this.#tools.clock.now();
      const entered = enterWindow(window, this.#me, { now, triesNow, isDead: isDead(this.#tools) });
      entry = entered.entry;
      return entered.window;
    });
    this.#isCanary = entry.may && entry.isCanary;
    this.#isWaiting = !entry.may;
    return entry;
  }

  /** The allowance is used up until a given time; no run asks again before then. */
  async limit(told: ToldLimit): Promise<void> {
    const now = this.#tools.clock.now();
    await this.#change((window) =>
      limitWindow(window, this.#me, { ...told, account: this.account.name, now }),
    );
    this.#isCanary = false;
    this.#isWaiting = true;
  }

  /** The service answered this run. */
  async answer(): Promise<void> {
    if (!this.#isCanary) return;
    this.#isCanary = false;
    await this.#change((window) => (window === undefined ? undefined : openWindow(window, this.#me)));
  }

  /** This run is doing something else, so the others need not wait for it. */
  async leave(): Promise<void> {
    if (!this.#isCanary && !this.#isWaiting) return;
    this.#isCanary = false;
    this.#isWaiting = false;
    await this.#change((window) =>
      window === undefined ? undefined : leaveWindow(window, this.#me, this.#tools.clock.now()),
    );
  }

  /** Calls back when the window may have changed. */
  watch(onHint: () => void): Disposable {
    ensureDirectory(this.#tools.fileSystem, this.#directory);
    // Locks come and go in the same directory. Gates that reacted to each other's locks would never rest.
    const watch = this.#tools.watcher.watch(this.#directory, (name) => {
      if (name === null || name === basename(pathOf(this.#directory, this.account))) onHint();
    });
    return { [Symbol.dispose]: () => watch.close() };
  }

  async #change(change: (window: QuotaWindow | undefined) => QuotaWindow | undefined): Promise<void> {
    const { fileSystem, log } = this.#tools;
    try {
      ensureDirectory(fileSystem, this.#directory);
      using lock = await acquireLock(this.#tools, join(this.#directory, this.account.key));
      const before = this.window();
      const after = change(before);
      if (after === before) return;
      lock.assertHeld();
      const path = pathOf(this.#directory, this.account);
      if (after !== undefined) writeDocument(this.#tools, path, after, WindowFile);
      else {
        removeQuietly(fileSystem, path);
        syncDirectory(fileSystem, this.#directory);
      }
    } catch (error) {
      log.warn('account.window-not-kept', { account: this.account.name, error: messageOf(error) });
    }
  }
}

const OPEN: AccountAccess = { may: true, isCanary: false };

/**
 * Keeps a window that another machine learned of: the next run here tries first once it ends, and an answer removes the
 * file. A window already known here stays.
 */
export async function adoptWindow(
  tools: LockTools,
  directory: string,
  account: AccountId,
  { until, scope }: Pick<QuotaWindow, 'until' | 'scope'>,
): Promise<void> {
  ensureDirectory(tools.fileSystem, directory);
  using lock = await acquireLock(tools, join(directory, account.key));
  if (readWindow(tools, directory, account) !== undefined) return;
  const changedAt = tools.clock.now().toISOString();
  const window = { version: DOCUMENT_VERSION, account: account.name, until, scope, words: null };
  lock.assertHeld();
  writeDocument(
    tools,
    pathOf(directory, account),
    { ...window, waiting: [], canary: null, changedAt },
    WindowFile,
  );
}

/** The window of an account, read without joining the line. */
export function readWindow(tools: LockTools, directory: string, account: AccountId): QuotaWindow | undefined {
  return readOrSetAside(tools, pathOf(directory, account), WindowFile);
}

export function isDead({ fileSystem, identity }: LockTools): (process: ProcessIdentity) => boolean {
  return (process) => judgeLife(fileSystem, process, identity).life === 'dead';
}

function pathOf(directory: string, { key }: AccountId): string {
  return join(directory, `${key}.json`);
}
