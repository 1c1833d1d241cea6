import { join } from 'node:path';
import { AbortedError, sleepOrHint } from '../foundation/index.js';
import { startDetached } from '../programs/index.js';
import { openWords, takeWords } from '../run/records/run-words.js';
import { attempt, closeQuietly, ensureDirectory } from '../storage/index.js';
import { runShelf } from './run/run-shelf.js';
import type { Services } from './services.js';

/** The page, served by a process of its own. */
export interface DetachedWeb {
  readonly pid: number;
  /** Set if it has already ended: a refusal. */
  readonly exit: { readonly code: number | null; readonly stderr: string } | null;
}

const LOOK_MS = 50;

/**
 * Starts this program again with these arguments and waits until `isUp` says that it is serving, or it ends. Its later output
 * goes to `<state>/web/server.log`. Throws PROGRAM_NOT_STARTED, ABORTED (then the process has ended).
 */
export async function startDetachedWeb(
  services: Services,
  args: readonly string[],
  { isUp, signal }: { readonly isUp: (pid: number) => boolean; readonly signal: AbortSignal },
): Promise<DetachedWeb> {
  const { self, workingDirectory, environment, tools, clock, config } = services;
  const shelf = runShelf(services);
  const words = openWords(shelf);
  const program = await startDetached({
    command: self.command,
    args: [...self.args, ...args],
    workingDirectory,
    environment,
    stderr: words.descriptor,
  }).finally(() => closeQuietly(tools.fileSystem, words.descriptor));
  const { pid } = program;
  let exit: DetachedWeb['exit'] = null;
  const ended = program.exited.then(({ code }) => {
    exit = { code, stderr: takeWords(shelf, words.path) };
  });
  while (exit === null && !isUp(pid)) {
    if (signal.aborted) {
      program.stop();
      await ended;
      throw new AbortedError('The start of the page');
    }
    await sleepOrHint(clock, LOOK_MS, ended, signal);
  }
  if (exit !== null) return { pid, exit };
  ensureDirectory(tools.fileSystem, config.layout.web);
  const kept = join(config.layout.web, 'server.log');
  attempt(kept, 'write', () => tools.fileSystem.rename(words.path, kept));
  program.release();
  return { pid, exit: null };
}

/** Opens a file with the default program of the person's desktop. Throws PROGRAM_NOT_STARTED. */
export async function openFile(services: Services, path: string): Promise<void> {
  const program = await startDetached({
    command: process.platform === 'darwin' ? 'open' : 'xdg-open',
    args: [path],
    workingDirectory: services.workingDirectory,
    environment: services.environment,
    stderr: 'ignore',
  });
  program.release();
}
