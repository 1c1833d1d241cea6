import { join } from 'node:path';
import {
  count,
  HoldfastError,
  mapOf,
  RecordFault,
  record,
  text,
  type ValueOf,
  whole,
} from '../../foundation/index.js';
import {
  closeQuietly,
  closing,
  fillVerified,
  readExactly,
  readFile,
  removeQuietly,
  replaceFile,
  type StorageTools,
  syncDirectory,
  temporaryName,
} from '../bytes/atomic-file.js';
import { type FileSystem, OpenFlags, systemCode } from '../bytes/file-system.js';
import { AtomicWriteError, attempt, DocumentDamagedError, lookAt, UnsafePathError } from '../errors.js';
import type { Lock } from '../lock/lock.js';

/** A directory whose files change together, and the name of its redo record. */
export interface FileGroup {
  readonly directory: string;
  /** The redo record: while it exists, its contents count, whatever the files say. */
  readonly record: string;
  /** The files that may be replaced or appended to. No other file is touched, whatever a record says. */
  readonly files: readonly string[];
}

/** What one commit does to the files of a group. */
export interface GroupChange {
  /** New contents by file name. */
  readonly replaced: Readonly<Record<string, string>>;
  /** Lines for the end of a file, by file name. */
  readonly appended?: Readonly<Record<string, string>>;
}

/** A commit as its record stores it. The offset tells a second run what the first one has already appended. */
const RedoFile = record({
  version: whole(1, 1),
  replaced: mapOf(text),
  appended: mapOf(record({ offset: count, text })),
});
export type Redo = Readonly<ValueOf<typeof RedoFile>>;

type GroupLock = Pick<Lock, 'assertHeld'>;

/**
 * Changes several files durably, all or none. The record with all new content is written first, and from then on the
 * commit stands. Then the files are replaced, and the record is removed. Throws ATOMIC_WRITE_FAILED, STORAGE_FAILED,
 * LOCK_LOST. After a failure, `hasRedo` says whether the commit stands; the next process that opens the group completes
 * it.
 */
export function commitGroup(
  tools: StorageTools,
  group: FileGroup,
  change: GroupChange,
  lock: GroupLock,
): void {
  const redo = redoOf(tools.fileSystem, group, change);
  lock.assertHeld();
  replaceFile(tools, join(group.directory, group.record), JSON.stringify(RedoFile.toDisk(redo)));
  apply(tools, group, redo, lock);
}

/** Completes a commit that a crash interrupted; false if there is none. Throws like `commitGroup`, and DOCUMENT_DAMAGED. */
export function rollForward(tools: StorageTools, group: FileGroup, lock: GroupLock): boolean {
  const redo = readRedo(tools.fileSystem, group);
  if (redo === undefined) return false;
  apply(tools, group, redo, lock);
  return true;
}

/** The commit in progress or interrupted, for readers without the lock. Throws DOCUMENT_DAMAGED. */
export function readRedo(fileSystem: FileSystem, group: FileGroup): Redo | undefined {
  const path = join(group.directory, group.record);
  const text = readFile(fileSystem, path);
  if (text === undefined) return undefined;
  const redo = parseRedo(text, group.files);
  if (redo === undefined) throw new DocumentDamagedError(path, 'it is not a redo record');
  return redo;
}

/** Whether the group has a redo record, readable or not. */
export function hasRedo(fileSystem: FileSystem, group: FileGroup): boolean {
  const path = join(group.directory, group.record);
  return lookAt(fileSystem, path) !== undefined;
}

function redoOf(fileSystem: FileSystem, group: FileGroup, change: GroupChange): Redo {
  const appended: Record<string, { offset: number; text: string }> = {};
  for (const [name, text] of Object.entries(change.appended ?? {})) {
    const path = join(group.directory, name);
    appended[name] = attempt(path, 'look at', () => appendPlace(fileSystem, path, text));
  }
  return { version: 1, replaced: change.replaced, appended };
}

/** Where to append the text: a torn end that someone left must not swallow its first line. */
function appendPlace(fileSystem: FileSystem, path: string, text: string): { offset: number; text: string } {
  const facts = fileSystem.look(path);
  if (facts === undefined || facts.kind !== 'file' || facts.size === 0) return { offset: 0, text };
  const last = Buffer.allocUnsafe(1);
  const descriptor = fileSystem.open(path, OpenFlags.read);
  const isRead = closing(fileSystem, descriptor, () =>
    readExactly(fileSystem, descriptor, last, facts.size - 1),
  );
  return { offset: facts.size, text: isRead && last[0] !== LINE_FEED ? `\n${text}` : text };
}

const LINE_FEED = 0x0a;

/** Every step can be repeated: replaced files are written again, and nothing is appended twice. */
function apply(tools: StorageTools, group: FileGroup, redo: Redo, lock: GroupLock): void {
  const { fileSystem } = tools;
  replaceAll(tools, group.directory, redo.replaced, lock);
  for (const [name, { offset, text }] of Object.entries(redo.appended)) {
    lock.assertHeld();
    appendOnce(fileSystem, join(group.directory, name), offset, Buffer.from(text, 'utf8'));
  }
  attempt(group.directory, 'sync', () => syncDirectory(fileSystem, group.directory));
  const record = join(group.directory, group.record);
  lock.assertHeld();
  // Not synced: if the record comes back after power loss, it says what the files say.
  attempt(record, 'remove', () => fileSystem.unlink(record));
}

/**
 * Like `replaceFile` for each, except that all files are renamed before the first is synced. The record makes up for a
 * file that power loss tears, and the file system has one flush instead of five. The caller syncs the directory.
 */
function replaceAll(
  tools: StorageTools,
  directory: string,
  contents: Readonly<Record<string, string>>,
  lock: GroupLock,
): void {
  const { fileSystem, ids } = tools;
  const opened: { path: string; descriptor: number }[] = [];
  const waiting: { path: string; temporary: string }[] = [];
  let current = directory;
  let step = 'create';
  try {
    for (const [name, text] of Object.entries(contents)) {
      current = join(directory, name);
      step = 'create';
      const temporary = temporaryName(ids, current);
      const descriptor = fileSystem.open(temporary, OpenFlags.createNew, 0o600);
      opened.push({ path: current, descriptor });
      waiting.push({ path: current, temporary });
      fillVerified(fileSystem, descriptor, Buffer.from(text, 'utf8'), 0o600, (reached) => {
        step = reached;
      });
    }
    step = 'rename';
    lock.assertHeld();
    for (let next = waiting[0]; next !== undefined; next = waiting[0]) {
      current = next.path;
      fileSystem.rename(next.temporary, next.path);
      waiting.shift();
    }
    step = 'sync';
    for (const { path, descriptor } of opened) {
      current = path;
      fileSystem.sync(descriptor);
    }
  } catch (error) {
    for (const { temporary } of waiting) removeQuietly(fileSystem, temporary);
    throw error instanceof HoldfastError
      ? error
      : new AtomicWriteError({ path: current, step, cause: error });
  } finally {
    for (const { descriptor } of opened) closeQuietly(fileSystem, descriptor);
  }
}

/** Writes text at an offset, unless it is already there; if only a part is, writes the rest. */
function appendOnce(fileSystem: FileSystem, path: string, offset: number, bytes: Buffer): void {
  attempt(path, 'append to', () => {
    const descriptor = openOrCreate(fileSystem, path);
    closing(fileSystem, descriptor, () => {
      const facts = fileSystem.factsOf(descriptor);
      if (facts.kind !== 'file') throw new UnsafePathError(path, 'it is not a regular file');
      const rest = bytes.subarray(lengthThere(fileSystem, descriptor, facts.size, offset, bytes));
      if (rest.length > 0) {
        const count = fileSystem.write(descriptor, rest, 0, rest.length, null);
        if (count < rest.length) throw new Error(`only ${count} of ${rest.length} bytes could be written`);
      }
      fileSystem.syncData(descriptor);
    });
  });
}

/** How much of the text is at its offset; nothing if something else was written there. */
function lengthThere(
  fileSystem: FileSystem,
  descriptor: number,
  size: number,
  offset: number,
  bytes: Buffer,
): number {
  const length = Math.min(size - offset, bytes.length);
  if (length <= 0) return 0;
  const found = Buffer.allocUnsafe(length);
  if (!readExactly(fileSystem, descriptor, found, offset)) return 0;
  return found.equals(bytes.subarray(0, length)) ? length : 0;
}

function openOrCreate(fileSystem: FileSystem, path: string): number {
  try {
    return fileSystem.open(path, OpenFlags.append);
  } catch (error) {
    if (systemCode(error) === 'ELOOP') throw new UnsafePathError(path, 'it is a symbolic link');
    if (systemCode(error) !== 'ENOENT') throw error;
    return fileSystem.open(path, OpenFlags.createNew, 0o600);
  }
}

/** Undefined for what is no redo record, or names a file that is not of the group. */
function parseRedo(text: string, files: readonly string[]): Redo | undefined {
  let redo: Redo;
  try {
    redo = RedoFile.fromDisk(JSON.parse(text));
  } catch (error) {
    if (error instanceof RecordFault || error instanceof SyntaxError) return undefined; // reported as damage by the caller
    throw error;
  }
  const names = [...Object.keys(redo.replaced), ...Object.keys(redo.appended)];
  return names.every((name) => files.includes(name)) ? redo : undefined;
}
