// What the benchmark calls of Holdfast, bundled from `src/` on the fly. No measuring here: only our side of each row.
import { type Clock, type Ids, type Logger, silentLogger, systemClock, systemIds } from '../src/foundation/index.js';
import {
  acquireLock,
  DirectoryWatcher,
  type FileSystem,
  JsonlLog,
  type Lock,
  type LockTools,
  nodeFileSystem,
  ownIdentity,
  replaceFile as replace,
} from '../src/storage/index.js';

interface Tools extends LockTools {
  readonly fileSystem: FileSystem;
  readonly ids: Ids;
  readonly clock: Clock;
  readonly log: Logger;
}

const tools = createTools(nodeFileSystem);

/** A log under a held lock, as a session keeps it; `append` returns once the record is on disk. */
export async function openLog(path: string): Promise<{ append(record: object): number; close(): void }> {
  const lock = await acquireLock(tools, path);
  JsonlLog.create(tools, path, SESSION_ID, { type: 'created' });
  const log = JsonlLog.open(tools, path, { sessionId: SESSION_ID, lock });
  return {
    append: (record) => log.append({ ...record }),
    close() {
      log.close();
      lock.release();
    },
  };
}

/** Replaces a file as a whole, durably. */
export function replaceFile(path: string, text: string): void {
  replace(tools, path, text);
}

/** Takes a lock, waiting for living owners as long as it needs. */
export function takeLock(path: string): Promise<Lock> {
  return acquireLock(tools, path, { waitMs: 120_000 });
}

const SESSION_ID = '00000000-0000-4000-8000-000000000000';

function createTools(fileSystem: FileSystem): Tools {
  const common = { fileSystem, ids: systemIds, log: silentLogger };
  return {
    ...common,
    clock: systemClock,
    watcher: new DirectoryWatcher(common),
    identity: ownIdentity(fileSystem),
    command: 'holdfast bench',
  };
}
