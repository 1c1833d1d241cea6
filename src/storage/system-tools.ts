import { type Clock, type Logger, silentLogger, systemClock, systemIds } from '../foundation/index.js';
import { type FileSystem, nodeFileSystem } from './bytes/file-system.js';
import type { LockTools } from './lock/lock.js';
import { ownIdentity } from './lock/process-identity.js';
import { DirectoryWatcher } from './watcher.js';

/** What a program may substitute for the real thing. */
export interface SystemOptions {
  readonly log?: Logger;
  readonly clock?: Clock;
  /** The file system; a test may keep it in memory (`holdfast/testing`). */
  readonly fileSystem?: FileSystem;
}

/** The real disk, time and identity, for entry points that a program uses without our configuration. */
export function systemTools(command: string, options: SystemOptions = {}): LockTools {
  const { log = silentLogger, clock = systemClock, fileSystem = nodeFileSystem } = options;
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
