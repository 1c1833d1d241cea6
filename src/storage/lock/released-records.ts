import type { FileFacts, FileSystem } from '../bytes/file-system.js';

/** The file of a record, kept open so that its inode is nobody else's. */
export interface OpenRecord {
  readonly descriptor: number;
  readonly facts: FileFacts;
}

/** A record that this process released: it says `free` and can be made the lock again by moving it up. */
export interface ReleasedRecord extends OpenRecord {
  readonly epoch: number;
}

/** Descriptors are scarce: so many records are kept open, those released last. */
const MAX_KEPT = 8;

/** A process has one file system, so this is what the process remembers. */
const remembered = new WeakMap<FileSystem, Map<string, ReleasedRecord>>();

/** Keeps a released record for the next time this process takes the lock. */
export function keepReleased(fileSystem: FileSystem, path: string, record: ReleasedRecord): void {
  const kept = remembered.get(fileSystem) ?? new Map<string, ReleasedRecord>();
  remembered.set(fileSystem, kept);
  forget(fileSystem, kept, path);
  kept.set(path, record);
  const [oldest] = kept.keys();
  if (kept.size > MAX_KEPT && oldest !== undefined) forget(fileSystem, kept, oldest);
}

/** Hands out the record that this process released last at a path; whoever gets it closes it. */
export function takeReleased(fileSystem: FileSystem, path: string): ReleasedRecord | undefined {
  const kept = remembered.get(fileSystem);
  const record = kept?.get(path);
  kept?.delete(path);
  return record;
}

/** Closes what is kept, for a process that wants its descriptors back. */
export function closeReleased(fileSystem: FileSystem): void {
  const kept = remembered.get(fileSystem);
  for (const path of [...(kept?.keys() ?? [])]) if (kept !== undefined) forget(fileSystem, kept, path);
}

function forget(fileSystem: FileSystem, kept: Map<string, ReleasedRecord>, path: string): void {
  const record = kept.get(path);
  if (record === undefined) return;
  kept.delete(path);
  try {
    fileSystem.close(record.descriptor);
  } catch {
    // It says `free` already; the descriptor is gone either way.
  }
}
