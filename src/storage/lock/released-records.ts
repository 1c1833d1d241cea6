import type { FileFacts, FileSystem } from '../bytes/file-system.js';

/** The file of a record, kept open so its inode is not reused. */
export interface OpenRecord {
  readonly descriptor: number;
  readonly facts: FileFacts;
}

/** A record that this process released: it says `free`, and moving it up makes it the lock again. */
export interface ReleasedRecord extends OpenRecord {
  readonly epoch: number;
}

/** Descriptors are scarce: this many records are kept open, the most recently released ones. */
const MAX_KEPT = 8;

/** A process has one file system, so this is in effect the memory of the process. */
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

/** Hands out the record that this process last released at a path; the receiver closes it. */
export function takeReleased(fileSystem: FileSystem, path: string): ReleasedRecord | undefined {
  const kept = remembered.get(fileSystem);
  const record = kept?.get(path);
  kept?.delete(path);
  return record;
}

/** Closes all kept records, for a process that needs its descriptors back. */
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
    // It already says `free`; the descriptor is gone either way.
  }
}
