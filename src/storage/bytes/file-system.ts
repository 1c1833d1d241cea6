import {
  closeSync,
  constants,
  fchmodSync,
  fdatasyncSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  readSync,
  realpathSync,
  renameSync,
  rmdirSync,
  type Stats,
  unlinkSync,
  watch,
  writeSync,
} from 'node:fs';

/** The facts from `lstat` and `fstat` that we use. */
export interface FileFacts {
  readonly kind: 'file' | 'directory' | 'link' | 'other';
  readonly uid: number;
  /** Permission bits only. */
  readonly mode: number;
  readonly size: number;
  readonly links: number;
  readonly device: number;
  readonly inode: number;
  readonly modifiedMs: number;
  /** When anything about the file last changed; nobody can set it back. */
  readonly changedMs: number;
}

/** A running watch; `close` may be called twice. */
export interface WatchHandle {
  close(): void;
}

/**
 * The small part of `node:fs` that we use, so tests can make any single call fail. It is synchronous on purpose: one
 * record costs a disk sync either way, and a thread hop costs more than the rest of the call.
 */
export interface FileSystem {
  open(path: string, flags: number, mode?: number): number;
  close(descriptor: number): void;
  read(descriptor: number, buffer: Uint8Array, offset: number, length: number, position: number): number;
  /** The rest of an open file as UTF-8, read in one go: for a small file that halves the time. */
  readText(descriptor: number): string;
  /** Writes at `position`, or at the end (or the current offset) if it is null; may write less than requested. */
  write(
    descriptor: number,
    buffer: Uint8Array,
    offset: number,
    length: number,
    position: number | null,
  ): number;
  sync(descriptor: number): void;
  syncData(descriptor: number): void;
  truncate(descriptor: number, length: number): void;
  changeMode(descriptor: number, mode: number): void;
  factsOf(descriptor: number): FileFacts;
  /** The facts of a path, without following links; undefined if nothing is there. */
  look(path: string): FileFacts | undefined;
  rename(from: string, to: string): void;
  link(existing: string, added: string): void;
  unlink(path: string): void;
  makeDirectory(path: string, mode: number): void;
  removeDirectory(path: string): void;
  list(path: string): string[];
  readLink(path: string): string;
  /** The real path, with all links followed. */
  resolve(path: string): string;
  watch(path: string, onEvent: (name: string | null) => void, onError: (error: Error) => void): WatchHandle;
}

const AS_TEXT = { encoding: 'utf8', flag: 'r' } as const;
const OR_UNDEFINED = { throwIfNoEntry: false } as const;

/** The real file system. */
export const nodeFileSystem: FileSystem = {
  open: (path, flags, mode) => openSync(path, flags, mode),
  close: (descriptor) => closeSync(descriptor),
  read: (descriptor, buffer, offset, length, position) =>
    readSync(descriptor, buffer, offset, length, position),
  readText: (descriptor) => readFileSync(descriptor, AS_TEXT),
  write: (descriptor, buffer, offset, length, position) =>
    writeSync(descriptor, buffer, offset, length, position),
  sync: (descriptor) => fsyncSync(descriptor),
  syncData: (descriptor) => fdatasyncSync(descriptor),
  truncate: (descriptor, length) => ftruncateSync(descriptor, length),
  changeMode: (descriptor, mode) => fchmodSync(descriptor, mode),
  factsOf: (descriptor) => toFacts(fstatSync(descriptor)),
  look(path) {
    const stats = lstatSync(path, OR_UNDEFINED);
    return stats === undefined ? undefined : toFacts(stats);
  },
  rename: (from, to) => renameSync(from, to),
  link: (existing, added) => linkSync(existing, added),
  unlink: (path) => unlinkSync(path),
  makeDirectory(path, mode) {
    mkdirSync(path, { mode });
  },
  removeDirectory: (path) => rmdirSync(path),
  list: (path) => readdirSync(path),
  readLink: (path) => readlinkSync(path),
  resolve: (path) => realpathSync.native(path),
  watch(path, onEvent, onError) {
    const watcher = watch(path, { persistent: true }, (_event, name) => onEvent(name));
    watcher.on('error', onError);
    return { close: () => watcher.close() };
  },
};

/** Flags of `open`, named by purpose. Links are never followed, and a FIFO never blocks us. */
export const OpenFlags = {
  read: constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK,
  createNew: constants.O_RDWR | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW,
  append: constants.O_RDWR | constants.O_APPEND | constants.O_NOFOLLOW,
  /** For system files that take commands and store nothing. */
  write: constants.O_WRONLY | constants.O_NOFOLLOW,
  directory: constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW,
} as const;

/** The system's code of an error such as `ENOENT`, if it has one. */
export function systemCode(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const code = (error as NodeJS.ErrnoException).code;
  return typeof code === 'string' ? code : undefined;
}

function toFacts(stats: Stats): FileFacts {
  return {
    kind: kindOf(stats),
    uid: stats.uid,
    mode: stats.mode & 0o7777,
    size: stats.size,
    links: stats.nlink,
    device: stats.dev,
    inode: stats.ino,
    modifiedMs: stats.mtimeMs,
    changedMs: stats.ctimeMs,
  };
}

const KINDS: Readonly<Record<number, FileFacts['kind']>> = {
  [constants.S_IFREG]: 'file',
  [constants.S_IFDIR]: 'directory',
  [constants.S_IFLNK]: 'link',
};

function kindOf(stats: Stats): FileFacts['kind'] {
  return KINDS[stats.mode & constants.S_IFMT] ?? 'other';
}
