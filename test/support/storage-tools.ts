import { silentLogger, systemClock, systemIds } from '../../src/foundation/index.js';
import { DirectoryWatcher, type LockTools, nodeFileSystem, ownIdentity } from '../../src/storage/index.js';

/** Everything storage needs, over the real file system and time; a test replaces what it is about. */
export function storageTools(overrides: Partial<LockTools> = {}): LockTools {
  const fileSystem = overrides.fileSystem ?? nodeFileSystem;
  const ids = overrides.ids ?? systemIds;
  const log = overrides.log ?? silentLogger;
  return {
    fileSystem,
    ids,
    log,
    clock: overrides.clock ?? systemClock,
    watcher: overrides.watcher ?? new DirectoryWatcher({ fileSystem, ids, log }),
    identity: overrides.identity ?? ownIdentity(nodeFileSystem),
    command: overrides.command ?? 'holdfast test',
  };
}
