import { join } from 'node:path';
import { startDetached } from '../../programs/index.js';
import { closeQuietly, ensureDirectory, openForAppending } from '../../storage/index.js';
import type { Services } from '../services.js';

/** Starts this program again as a separate worker process. Throws PROGRAM_NOT_STARTED, STORAGE_FAILED. */
export async function startWorkerApart(
  { self, tools, config, environment }: Services,
  args: readonly string[],
): Promise<{ pid: number; log: string }> {
  const { fileSystem } = tools;
  const { queue } = config.layout;
  ensureDirectory(fileSystem, queue);
  const log = join(queue, 'worker.log');
  const stderr = openForAppending(fileSystem, log, { isFresh: false });
  try {
    const program = await startDetached({
      command: self.command,
      args: [...self.args, ...args],
      // The queue does not depend on the directory it was started from, which may go away.
      workingDirectory: queue,
      environment,
      stderr,
    });
    program.release();
    return { pid: program.pid, log };
  } finally {
    closeQuietly(fileSystem, stderr);
  }
}

/** After a reboot, starts a worker for what is queued if none is alive. Returns its pid; undefined if there is nothing to do. */
export async function startServiceWorker(services: Services): Promise<number | undefined> {
  if (services.tools.fileSystem.look(services.config.layout.queue) === undefined) return undefined;
  const { viewLocalQueue, workersOf } = await import('./open-queue.js');
  const isOpen = viewLocalQueue(services).entries.some(
    ({ status }) => status === 'queued' || status === 'running',
  );
  if (!isOpen || workersOf(services).length > 0) return undefined;
  return (await startWorkerApart(services, ['worker', '--quiet'])).pid;
}
