import { type Clock, type Logger, silentLogger, systemClock, systemIds } from '../foundation/index.js';
import { nodeFileSystem } from './bytes/file-system.js';
import type { LockTools } from './lock/lock.js';
import { ownIdentity } from './lock/process-identity.js';
import { DirectoryWatcher } from './watcher.js';

/** The real disk, time and identity, for the entry points that a program uses without our configuration. */
export function systemTools(command: string, options: { log?: Logger; clock?: Clock } = {}): LockTools {
  const { log = silentLogger, clock = systemClock } = options;
  const fileSystem = nodeFileSystem;
  return {
    fileSystem,
    ids: systemIds,
    clock,
    log,
    watcher: new DirectoryWatcher({ fileSystem, ids: systemIds, log }),
    identity: ownIdentity(fileSystem),
    command,
  };
}
