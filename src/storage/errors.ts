import { HoldfastError, type HoldfastErrorOptions, messageOf } from '../foundation/index.js';
import { type FileFacts, type FileSystem, systemCode } from './bytes/file-system.js';

/** The cause of a failed call, in terms of what a person can do about it. */
export type StorageFault = 'full' | 'read-only' | 'denied' | 'exhausted' | 'broken' | 'gone' | 'other';

const FAULTS: Readonly<Record<string, StorageFault>> = {
  ENOSPC: 'full',
  EDQUOT: 'full',
  EFBIG: 'full',
  EROFS: 'read-only',
  EACCES: 'denied',
  EPERM: 'denied',
  EMFILE: 'exhausted',
  ENFILE: 'exhausted',
  ENOMEM: 'exhausted',
  EIO: 'broken',
  ENOENT: 'gone',
  ENOTDIR: 'gone',
};

const HINTS: Readonly<Record<StorageFault, string>> = {
  full: 'Free some space (or raise the quota) and run the command again; what was acknowledged before is safe.',
  'read-only':
    'The file system is mounted read-only: reading works. Remount it writable; what `holdfast paths` lists under HOLDFAST_HOME can also be moved with it.',
  denied:
    'Check owner and mode of the path (holdfast paths lists ours), or set HOLDFAST_HOME to a directory you own.',
  exhausted: 'The process or the machine ran out of open files or memory: close something and try again.',
  broken:
    'The disk reported an error: check it (dmesg, smartctl) before you continue; the file was not acknowledged.',
  gone: 'Its directory does not exist, or something has removed it: create it and run the command again.',
  other: 'Nothing was changed. Run the command again; if it happens again, report it with this message.',
};

/** The kind of fault behind an error, which decides the remedy. */
export function faultOf(error: unknown): StorageFault {
  return FAULTS[systemCode(error) ?? ''] ?? 'other';
}

interface StorageErrorFacts {
  path: string;
  step: string;
  cause: unknown;
}

/** A file system call failed: which path, at which step, why, and what to do. */
export class StorageError extends HoldfastError<'STORAGE_FAILED' | 'ATOMIC_WRITE_FAILED'> {
  readonly code: 'STORAGE_FAILED' | 'ATOMIC_WRITE_FAILED' = 'STORAGE_FAILED';
  readonly path: string;
  readonly step: string;
  readonly fault: StorageFault;

  constructor(message: string, facts: StorageErrorFacts) {
    const fault = faultOf(facts.cause);
    super(`${message}: ${messageOf(facts.cause)}`, { cause: facts.cause, hint: HINTS[fault] });
    this.path = facts.path;
    this.step = facts.step;
    this.fault = fault;
  }
}

/** A file could not be written as a whole; the previous one is untouched and the temporary file is gone. */
export class AtomicWriteError extends StorageError {
  override readonly code = 'ATOMIC_WRITE_FAILED';

  constructor(facts: StorageErrorFacts) {
    super(`Atomic write failed: ${facts.path} (at the step "${facts.step}")`, facts);
  }
}

/** Something at one of our paths is not ours, or not what it should be. */
export class UnsafePathError extends HoldfastError<'UNSAFE_PATH'> {
  readonly code = 'UNSAFE_PATH';
  readonly path: string;
  readonly reason: string;

  constructor(
    path: string,
    reason: string,
    hint = 'Move it away or correct it; `holdfast paths` shows which paths are ours and how to move them.',
  ) {
    super(`Refusing to use ${path}: ${reason}`, { hint });
    this.path = path;
    this.reason = reason;
  }
}

/** A file of ours that does not verify. Its bytes stay in place until they are set aside. */
export class DocumentDamagedError extends HoldfastError<'DOCUMENT_DAMAGED'> {
  readonly code = 'DOCUMENT_DAMAGED';
  readonly path: string;
  readonly reason: string;

  constructor(path: string, reason: string, options?: HoldfastErrorOptions) {
    super(`Damaged file ${path}: ${reason}`, options);
    this.path = path;
    this.reason = reason;
  }
}

/** A document that its own reader would refuse. It was not written; the previous one is still there. */
export class DocumentRefusedError extends HoldfastError<'DOCUMENT_REFUSED'> {
  readonly code = 'DOCUMENT_REFUSED';
  readonly path: string;
  readonly reason: string;

  constructor(path: string, reason: string, options?: HoldfastErrorOptions) {
    super(`Not written, because it could not be read again: ${path}: ${reason}`, {
      hint: 'Nothing was changed. This is a fault in Holdfast or in the program that calls it: please report it.',
      ...options,
    });
    this.path = path;
    this.reason = reason;
  }
}

/** A document written by a newer Holdfast. We can read it, but rewriting it would lose something. */
export class NewerVersionError extends HoldfastError<'NEWER_VERSION'> {
  readonly code = 'NEWER_VERSION';

  constructor(path: string, version: number) {
    super(
      `${path} was written by a newer Holdfast (format version ${version}); this one will not change it`,
      {
        hint: 'Update holdfast, or use the newer installation for this session.',
      },
    );
  }
}

/** Runs one call of the port; turns whatever it throws into a STORAGE_FAILED that names path and step. */
export function attempt<Result>(path: string, step: string, action: () => Result): Result {
  try {
    return action();
  } catch (error) {
    throw asStorageError(path, step, error);
  }
}

/** What is at a path, without following links; undefined if nothing is. Throws STORAGE_FAILED. */
export function lookAt(fileSystem: FileSystem, path: string): FileFacts | undefined {
  // Not through `attempt`: long lists look at tens of thousands of files.
  try {
    return fileSystem.look(path);
  } catch (error) {
    throw asStorageError(path, 'look at', error);
  }
}

/** Turns a failed port call into an error of ours; an error that is already ours stays unchanged. */
export function asStorageError(path: string, step: string, error: unknown): HoldfastError {
  if (error instanceof HoldfastError) return error;
  return new StorageError(`Could not ${step} ${path}`, { path, step, cause: error });
}
