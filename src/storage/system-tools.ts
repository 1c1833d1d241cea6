import { type Clock, type Logger, silentLogger, systemClock, systemIds } from '../foundation/index.js';
import { type FileSystem, nodeFileSystem } from './bytes/file-system.js';
import type { LockTools } from './lock/lock.js';
import { ownIdentity } from './lock/process-identity.js';
import { DirectoryWatcher } from './watcher.js';

/** What a program may give instead of the real thing. */
export interface SystemOptions {
  readonly log?: Logger;
  readonly clock?: Clock;
  /** Where the files are; a test may keep them in memory (`holdfast/testing`). */
  readonly fileSystem?: FileSystem;
}

/** The real disk, time and identity, for the entry points that a program uses without our configuration. */
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
