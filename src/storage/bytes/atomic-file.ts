import { basename, dirname, join } from 'node:path';
import { HoldfastError, type Ids } from '../../foundation/index.js';
import { AtomicWriteError, asStorageError, lookAt, UnsafePathError } from '../errors.js';
import { type FileSystem, OpenFlags, systemCode } from './file-system.js';

/** What the functions here need: the file system port, and unique names. */
export interface StorageTools {
  readonly fileSystem: FileSystem;
  readonly ids: Ids;
}

/** Files larger than this are not ours to load whole. */
const MAX_WHOLE_FILE_BYTES = 64 * 1024 * 1024;

/**
 * Replaces a whole file durably: unique temporary name in the same directory, 0600 from the first byte, write, read
 * back and compare, fsync, rename, fsync the directory. Throws ATOMIC_WRITE_FAILED; the old file stays.
 */
export function replaceFile(tools: StorageTools, path: string, text: string, mode = 0o600): void {
  publish(tools, path, text, mode, 'rename', (temporary) => {
    tools.fileSystem.rename(temporary, path);
    return true;
  });
}

/**
 * Creates a whole file durably, only if there is none. Works like `replaceFile`, but with link(2), which never
 * overwrites and never shows half a file. Returns false if another process was first. Throws ATOMIC_WRITE_FAILED.
 */
export function createFile(tools: StorageTools, path: string, content: string | Buffer): boolean {
  return publish(tools, path, content, 0o600, 'link', (temporary) => {
    const isFirst = linkIfAbsent(tools.fileSystem, temporary, path);
    removeQuietly(tools.fileSystem, temporary);
    return isFirst;
  });
}

/**
 * Like `replaceFile`, but asks right before the rename whether the file should still be replaced. Returns false if not;
 * then nothing has changed. Throws ATOMIC_WRITE_FAILED.
 */
export function replaceFileIf(
  tools: StorageTools,
  path: string,
  file: { content: Buffer; mode: number; isStillWanted: () => boolean },
): boolean {
  const { fileSystem } = tools;
  return publish(tools, path, file.content, file.mode, 'rename', (temporary) => {
    if (!file.isStillWanted()) {
      removeQuietly(fileSystem, temporary);
      return false;
    }
    fileSystem.rename(temporary, path);
    return true;
  });
}

/** Keeps a directory that we made in a project out of its git history. Throws ATOMIC_WRITE_FAILED. */
export function keepOutOfGit(tools: StorageTools, directory: string): void {
  const path = join(directory, '.gitignore');
  if (lookAt(tools.fileSystem, path) === undefined) createFile(tools, path, '*\n');
}

/** Links a name to a file unless the name is taken; then returns false. */
export function linkIfAbsent(fileSystem: FileSystem, existing: string, added: string): boolean {
  try {
    fileSystem.link(existing, added);
    return true;
  } catch (error) {
    if (systemCode(error) === 'EEXIST') return false;
    throw error;
  }
}

/** The text of a file of ours, or undefined if there is none. Throws UNSAFE_PATH, STORAGE_FAILED. */
export function readFile(fileSystem: FileSystem, path: string): string | undefined {
  return readWhole(fileSystem, path, (descriptor) => fileSystem.readText(descriptor));
}

/** The bytes of a file of ours, or undefined if there is none. Throws UNSAFE_PATH, STORAGE_FAILED. */
export function readBytes(fileSystem: FileSystem, path: string): Buffer | undefined {
  return readWhole(fileSystem, path, (descriptor, size) => readAll(fileSystem, descriptor, size));
}

function readWhole<Content>(
  fileSystem: FileSystem,
  path: string,
  read: (descriptor: number, size: number) => Content,
): Content | undefined {
  let descriptor: number | undefined;
  try {
    descriptor = openForReading(fileSystem, path);
    if (descriptor === undefined) return undefined;
    const { kind, size } = fileSystem.factsOf(descriptor);
    if (kind !== 'file') throw new UnsafePathError(path, `it is not a regular file but a ${kind}`);
    if (size > MAX_WHOLE_FILE_BYTES) throw new UnsafePathError(path, `it is ${size} bytes long`);
    return read(descriptor, size);
  } catch (error) {
    throw asStorageError(path, 'read', error);
  } finally {
    if (descriptor !== undefined) closeQuietly(fileSystem, descriptor);
  }
}

/** Makes the entries of a directory (names, not contents) survive power loss. */
export function syncDirectory(fileSystem: FileSystem, directory: string): void {
  const descriptor = fileSystem.open(directory, OpenFlags.directory);
  closing(fileSystem, descriptor, () => fileSystem.sync(descriptor));
}

/** The name of a temporary file beside `path`, in the form that `isTemporaryName` recognises. */
export function temporaryName(ids: Ids, path: string): string {
  return join(dirname(path), `.${basename(path)}.${ids.token()}.tmp`);
}

/** Whether a directory entry is a temporary file that was to become this file. */
export function isTemporaryName(name: string, target: string): boolean {
  const prefix = `.${target}.`;
  return name.startsWith(prefix) && /^[0-9a-f]{32}\.tmp$/.test(name.slice(prefix.length));
}

/** Runs an action and always closes the descriptor; a failed close does not hide the first error. */
export function closing<Result>(fileSystem: FileSystem, descriptor: number, action: () => Result): Result {
  let result: Result;
  try {
    result = action();
  } catch (error) {
    closeQuietly(fileSystem, descriptor);
    throw error;
  }
  fileSystem.close(descriptor);
  return result;
}

export type WriteStep = 'create' | 'write' | 'verify' | 'sync' | 'rename' | 'link' | 'sync directory';

function publish(
  tools: StorageTools,
  path: string,
  content: string | Buffer,
  mode: number,
  publishStep: 'rename' | 'link',
  show: (temporary: string) => boolean,
): boolean {
  const { fileSystem } = tools;
  const temporary = temporaryName(tools.ids, path);
  let step: WriteStep = 'create';
  let isShown = false;
  try {
    const bytes = typeof content === 'string' ? Buffer.from(content, 'utf8') : content;
    writeVerified(fileSystem, temporary, bytes, mode, (reached) => {
      step = reached;
    });
    step = publishStep;
    const result = show(temporary);
    isShown = true;
    step = 'sync directory';
    syncDirectory(fileSystem, dirname(path));
    return result;
  } catch (error) {
    if (!isShown) removeQuietly(fileSystem, temporary);
    throw error instanceof HoldfastError ? error : new AtomicWriteError({ path, step, cause: error });
  }
}

function writeVerified(
  fileSystem: FileSystem,
  path: string,
  bytes: Buffer,
  mode: number,
  onStep: (step: WriteStep) => void,
): void {
  const descriptor = fileSystem.open(path, OpenFlags.createNew, 0o600);
  closing(fileSystem, descriptor, () => {
    fillVerified(fileSystem, descriptor, bytes, mode, onStep);
    onStep('sync');
    fileSystem.sync(descriptor);
  });
}

/** Fills a new file and reads it back. It is not synced. */
export function fillVerified(
  fileSystem: FileSystem,
  descriptor: number,
  bytes: Buffer,
  mode: number,
  onStep: (step: WriteStep) => void,
): void {
  fileSystem.changeMode(descriptor, mode);
  onStep('write');
  writeWhole(fileSystem, descriptor, bytes);
  onStep('verify');
  if (!readAll(fileSystem, descriptor, bytes.length + 1).equals(bytes)) {
    throw new Error('what was read back is not what was written');
  }
}

/** Writes all bytes, starting at an offset; a write of zero bytes means that no room is left. */
export function writeWhole(
  fileSystem: FileSystem,
  descriptor: number,
  bytes: Uint8Array,
  position = 0,
): void {
  let written = 0;
  while (written < bytes.length) {
    const count = fileSystem.write(descriptor, bytes, written, bytes.length - written, position + written);
    if (count === 0) throw new Error(`only ${written} of ${bytes.length} bytes could be written`);
    written += count;
  }
}

function openForReading(fileSystem: FileSystem, path: string): number | undefined {
  try {
    return fileSystem.open(path, OpenFlags.read);
  } catch (error) {
    const code = systemCode(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    if (code === 'ELOOP') throw new UnsafePathError(path, 'it is a symbolic link');
    throw error;
  }
}

function readAll(fileSystem: FileSystem, descriptor: number, expectedBytes: number): Buffer {
  // Our files are replaced, never grown, so the expected size is their end. Files in /proc report 0.
  let buffer = Buffer.allocUnsafe(Math.max(expectedBytes, 1_024));
  let length = 0;
  for (;;) {
    if (length === buffer.length) buffer = Buffer.concat([buffer, Buffer.allocUnsafe(buffer.length)]);
    const count = fileSystem.read(descriptor, buffer, length, buffer.length - length, length);
    length += count;
    if (count === 0 || length === expectedBytes) return buffer.subarray(0, length);
    if (length > MAX_WHOLE_FILE_BYTES) throw new Error(`it grew beyond ${MAX_WHOLE_FILE_BYTES} bytes`);
  }
}

/** Fills a buffer from an offset in a file; false if the file ends first. One read may return less than requested. */
export function readExactly(
  fileSystem: FileSystem,
  descriptor: number,
  buffer: Uint8Array,
  position: number,
): boolean {
  let length = 0;
  while (length < buffer.length) {
    const count = fileSystem.read(descriptor, buffer, length, buffer.length - length, position + length);
    if (count === 0) return false;
    length += count;
  }
  return true;
}

/** Closes a descriptor when a failed close would say nothing new: after another failure, or after reading only. */
export function closeQuietly(fileSystem: FileSystem, descriptor: number): void {
  try {
    fileSystem.close(descriptor);
  } catch {
    // The first error is the one to report; the kernel has released the descriptor even if close fails.
  }
}

/** Removes a file that may already be gone; tidying up must not hide the error that led here. */
export function removeQuietly(fileSystem: FileSystem, path: string): void {
  try {
    fileSystem.unlink(path);
  } catch {
    // What is left has a temporary name; the next owner of the lock sweeps it.
  }
}
