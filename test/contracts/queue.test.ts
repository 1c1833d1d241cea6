import { join } from 'node:path';
import { silentLogger, systemIds } from '../../src/foundation/index.js';
import { FileQueue } from '../../src/queue/index.js';
import type { DirectoryWatcher } from '../../src/storage/index.js';
import { forceUnlock, type LockTools } from '../../src/storage/index.js';
import { FIRST_PID } from '../support/lock-world.js';
import { LockFileSystem } from '../support/memory-file-system.js';
import { describeQueue } from './queue.js';

const NOW = new Date('2026-03-01T12:00:00.000Z');

/** On files, a worker is dead when its process is proven dead. */
describeQueue('files', async () => {
  const fileSystem = new LockFileSystem(NOW, ['/state']);
  const pids = new Map<object, number>();
  let ticks = 0;
  const toolsOf = (pid: number): LockTools => ({
    fileSystem,
    ids: systemIds,
    clock: { now: () => NOW, monotonicMs: () => ticks++, sleep: () => Promise.resolve() },
    log: silentLogger,
    watcher: { watch: () => ({ close() {} }) } as unknown as DirectoryWatcher,
    identity: { pid, startTime: `start-${pid}`, bootId: 'boot', pidNamespace: 'pid:[1]', host: 'here' },
    command: 'worker',
  });
  return {
    worker() {
      const pid = FIRST_PID + pids.size;
      fileSystem.processes.set(pid, `start-${pid}`);
      const queue = new FileQueue(toolsOf(pid), '/state/queue');
      pids.set(queue, pid);
      return queue;
    },
    async die(queue) {
      fileSystem.processes.delete(pids.get(queue) ?? 0);
    },
    takeAway: (id) => void forceUnlock(toolsOf(1), join('/state/queue/kept', id, 'entry')),
    async [Symbol.asyncDispose]() {},
  };
});
