import { join } from 'node:path';
import { messageOf } from '../../foundation/index.js';
import { ensureDirectory, Lock, type LockTools, tryAcquireLock } from '../../storage/index.js';
import { Link, type LinkOptions } from './link.js';

/** How often a process that does not hold the link looks whether its holder is gone. */
const LOOK_MS = 5_000;

/** Holds the machine's link for as long as nobody else here does: one per machine, under a local lock. */
export function holdLink(
  tools: LockTools,
  options: LinkOptions & { readonly directory: string },
): AsyncDisposable {
  const stopped = new AbortController();
  const held = hold(tools, options, stopped.signal).catch((error: unknown) =>
    options.log.error('fleet.link-failed', { error: messageOf(error) }),
  );
  return {
    async [Symbol.asyncDispose]() {
      stopped.abort();
      await options.door.close();
      await held;
      // One that was being opened meanwhile.
      await options.door.close();
    },
  };
}

async function hold(
  tools: LockTools,
  options: LinkOptions & { readonly directory: string },
  signal: AbortSignal,
): Promise<void> {
  const { directory, clock } = options;
  ensureDirectory(tools.fileSystem, directory);
  while (!signal.aborted) {
    const lock = tryAcquireLock(tools, linkLock(directory));
    if (lock instanceof Lock) {
      using _held = lock;
      return await new Link(options).run(signal);
    }
    await clock.sleep(LOOK_MS, signal).catch(() => {});
  }
}

/** What stands for the link of this machine. */
export function linkLock(directory: string): string {
  return join(directory, 'link');
}
