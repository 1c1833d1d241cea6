import { isHoldfastError, type Retirable } from '../../foundation/index.js';
import type { ProcessFile } from './schema.js';
import type { FileProcessStore } from './store.js';

/**
 * The sessions that may have had no activity since `before`, and the directories without a record that are older. A
 * record that cannot be read does not tell its age, so it stays.
 */
export function* retirableProcesses(store: FileProcessStore, before: number): Generator<Retirable> {
  const isOld = ({ lastActivity }: ProcessFile) => Date.parse(lastActivity) < before;
  const isOldOnDisk = (id: string) => {
    const touchedMs = store.touchedWithoutRecord(id);
    if (touchedMs !== undefined) return touchedMs < before;
    const record = readable(() => store.read(id));
    return record !== undefined && isOld(record);
  };
  for (const id of store.ids().sort())
    yield {
      id,
      look() {
        if (!isOldOnDisk(id)) return undefined;
        return store.ownerOf(id).hold === 'held' ? { kept: 'it is in use' } : {};
      },
      async retire() {
        const touchedMs = store.touchedWithoutRecord(id);
        if (touchedMs === undefined) return store.removeIf(id, isOld);
        return touchedMs < before && store.removeWithoutRecord(id);
      },
    };
}

/** Undefined if the record is damaged. */
function readable<Result>(read: () => Result): Result | undefined {
  try {
    return read();
  } catch (error) {
    if (isHoldfastError(error, 'DOCUMENT_DAMAGED')) return undefined;
    throw error;
  }
}
