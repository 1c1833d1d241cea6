import { type FileSystem, lookAt, scanLog } from '../../storage/index.js';
import { entryOf, type JournalEntry } from './read-journal.js';

/** Facts about a whole journal, apart from its entries. */
export interface JournalFacts {
  readonly isThere: boolean;
  /** Lines that cannot be read, and places where some are missing. */
  readonly damagedLines: number;
}

/** How many entries are read before other work gets a turn. */
const AT_ONCE = 2_000;

/** Calls back with every entry of a journal from its start, each once and in order, however long it is. Throws STORAGE_FAILED. */
export async function scanJournal(
  { fileSystem, path, sessionId }: JournalPlace,
  onEntry: (entry: JournalEntry) => void,
): Promise<JournalFacts> {
  if (lookAt(fileSystem, path) === undefined) return { isThere: false, damagedLines: 0 };
  let [damagedLines, next, told] = [0, 0, 0];
  for (const found of scanLog(fileSystem, path, { sessionId })) {
    if (found.kind === 'damage') damagedLines += 1;
    const entry = found.kind === 'record' ? entryOf(found) : undefined;
    if (entry === undefined || entry.seq < next) continue;
    next = entry.seq + 1;
    onEntry(entry);
    told += 1;
    if (told % AT_ONCE === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  return { isThere: true, damagedLines };
}

interface JournalPlace {
  readonly fileSystem: FileSystem;
  readonly path: string;
  readonly sessionId: string;
}
