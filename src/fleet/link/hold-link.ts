import { join } from 'node:path';
import { type Clock, isHoldfastError, type Logger, messageOf } from '../../foundation/index.js';
import { ensureDirectory, Lock, type LockTools, tryAcquireLock } from '../../storage/index.js';
import type { IdentityWatch } from '../own-machine.js';
import { Link, type LinkOptions, type LinkState } from './link.js';

/** How often a process that does not hold the link checks whether the holder is gone. */
const LOOK_MS = 5_000;

export interface HoldOptions {
  readonly directory: string;
  readonly clock: Clock;
  readonly log: Logger;
  readonly onState?: ((state: LinkState) => void) | undefined;
  readonly watchIdentity: () => IdentityWatch;
  /** What a link of this home needs now; undefined if it has left its fleet. Throws as the settings of the fleet do. */
  readonly open: () => Omit<LinkOptions, 'onState'> | undefined;
}

/** Holds the machine's link while no other process here does: one link per machine, under a local lock. */
export function holdLink(tools: LockTools, options: HoldOptions): AsyncDisposable {
  const holder = new LinkHolder(tools, options);
  return { [Symbol.asyncDispose]: () => holder.stop() };
}

class LinkHolder {
  readonly #tools: LockTools;
  readonly #options: HoldOptions;
  readonly #stopped = new AbortController();
  readonly #ended: Promise<void>;
  #link: Omit<LinkOptions, 'onState'> | undefined;

  constructor(tools: LockTools, options: HoldOptions) {
    this.#tools = tools;
    this.#options = options;
    this.#ended = this.#hold().catch((error: unknown) =>
      options.log.error('fleet.link-failed', { error: messageOf(error) }),
    );
  }

  async stop(): Promise<void> {
    this.#stopped.abort();
    await this.#link?.door.close();
    await this.#ended;
    // A link that was being opened in the meantime.
    await this.#link?.door.close();
  }

  async #hold(): Promise<void> {
    const { directory, clock } = this.#options;
    const { signal } = this.#stopped;
    ensureDirectory(this.#tools.fileSystem, directory);
    while (!signal.aborted) {
      const lock = tryAcquireLock(this.#tools, linkLock(directory));
      if (lock instanceof Lock) {
        using _held = lock;
        return await this.#serve();
      }
      await clock.sleep(LOOK_MS, signal).catch(() => {});
    }
  }

  /** Serves as the machine that this home is now, and starts over when it joins again or leaves. */
  async #serve(): Promise<void> {
    const { onState, watchIdentity } = this.#options;
    const { signal } = this.#stopped;
    while (!signal.aborted) {
      using watch = watchIdentity();
      const until = AbortSignal.any([signal, watch.changed]);
      this.#link = this.#open();
      if (this.#link === undefined) {
        await aborted(until);
        continue;
      }
      await new Link({ ...this.#link, onState }).run(until);
      await this.#link.door.close();
    }
  }

  #open(): Omit<LinkOptions, 'onState'> | undefined {
    const { open, onState } = this.#options;
    const tell = (reason: string) => onState?.({ is: 'down', reason, isOut: true });
    try {
      const link = open();
      if (link === undefined) tell('this machine left its fleet');
      return link;
    } catch (error) {
      if (!isHoldfastError(error)) throw error;
      tell(messageOf(error));
      return undefined;
    }
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

/** The lock that stands for this machine's link. */
export function linkLock(directory: string): string {
  return join(directory, 'link');
}
