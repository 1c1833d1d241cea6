import { constants } from 'node:fs';
import { basename, dirname } from 'node:path';
import type { FileFacts, FileSystem, WatchHandle } from '../storage/index.js';

interface Inode {
  readonly kind: 'file' | 'directory';
  readonly number: number;
  bytes: Buffer;
  links: number;
  mode: number;
  modifiedMs: number;
}

interface Watch {
  readonly directory: string;
  readonly onEvent: (name: string | null) => void;
}

const OWN_UID = process.getuid?.() ?? 0;

/**
 * A file system in memory, for tests that should leave the disk alone: files, directories, hard links and watches, with
 * the errors of the real one. It has no symbolic links, and nothing in it survives the process. Only code in this process
 * sees it: programs that it starts work on the real file system.
 */
export class MemoryFileSystem implements FileSystem {
  readonly #names = new Map<string, Inode>();
  readonly #descriptors = new Map<number, Inode>();
  readonly #watches = new Set<Watch>();
  readonly #now: () => Date;
  #nextInode = 1;
  #nextDescriptor = 100;

  constructor(options: { readonly now?: () => Date } = {}) {
    this.#now = options.now ?? (() => new Date());
    this.#names.set('/', this.#inode('directory', 0o700));
  }

  open(path: string, flags: number, mode = 0o600): number {
    const found = this.#names.get(path);
    const isNew = found === undefined && (flags & constants.O_CREAT) !== 0;
    if (found !== undefined && (flags & constants.O_EXCL) !== 0) throw systemError('EEXIST', 'open', path);
    const inode = isNew ? this.#inode('file', mode) : this.#at(path, 'open');
    if (isNew) this.#addName(path, inode, 'open');
    if (inode.kind === 'directory' && (flags & (constants.O_WRONLY | constants.O_RDWR)) !== 0)
      throw systemError('EISDIR', 'open', path);
    if ((flags & constants.O_TRUNC) !== 0) inode.bytes = Buffer.alloc(0);
    return this.describe(inode);
  }

  close(descriptor: number): void {
    this.#inodeOf(descriptor);
    this.#descriptors.delete(descriptor);
  }

  read(descriptor: number, buffer: Uint8Array, offset: number, length: number, position: number): number {
    const part = this.#inodeOf(descriptor).bytes.subarray(position, position + length);
    buffer.set(part, offset);
    return part.length;
  }

  readText(descriptor: number): string {
    return this.#inodeOf(descriptor).bytes.toString('utf8');
  }

  write(
    descriptor: number,
    buffer: Uint8Array,
    offset: number,
    length: number,
    position: number | null,
  ): number {
    const inode = this.#inodeOf(descriptor);
    const start = position ?? inode.bytes.length;
    const grown = Buffer.alloc(Math.max(inode.bytes.length, start + length));
    grown.set(inode.bytes);
    grown.set(buffer.subarray(offset, offset + length), start);
    inode.bytes = grown;
    this.#touched(inode);
    return length;
  }

  sync(): void {}

  syncData(): void {}

  truncate(descriptor: number, length: number): void {
    const inode = this.#inodeOf(descriptor);
    inode.bytes = Buffer.concat([inode.bytes], length);
    this.#touched(inode);
  }

  changeMode(descriptor: number, mode: number): void {
    this.#inodeOf(descriptor).mode = mode;
  }

  factsOf(descriptor: number): FileFacts {
    return factsOf(this.#inodeOf(descriptor));
  }

  look(path: string): FileFacts | undefined {
    const inode = this.#names.get(path);
    return inode === undefined ? undefined : factsOf(inode);
  }

  rename(from: string, to: string): void {
    const inode = this.#at(from, 'rename');
    const replaced = this.#names.get(to);
    if (replaced === inode) return;
    if (replaced?.kind === 'directory') this.removeDirectory(to);
    else if (replaced !== undefined) this.unlink(to);
    const below = [...this.#names.keys()].filter((path) => path.startsWith(`${from}/`));
    this.#addName(to, inode, 'rename');
    for (const path of below) this.#names.set(`${to}${path.slice(from.length)}`, this.#at(path, 'rename'));
    for (const path of below) this.#names.delete(path);
    this.#removeName(from);
  }

  link(existing: string, added: string): void {
    const inode = this.#at(existing, 'link');
    if (this.#names.has(added)) throw systemError('EEXIST', 'link', added);
    this.#addName(added, inode, 'link');
  }

  unlink(path: string): void {
    if (this.#at(path, 'unlink').kind === 'directory') throw systemError('EISDIR', 'unlink', path);
    this.#removeName(path);
  }

  makeDirectory(path: string, mode: number): void {
    if (this.#names.has(path)) throw systemError('EEXIST', 'mkdir', path);
    this.#addName(path, this.#inode('directory', mode), 'mkdir');
  }

  removeDirectory(path: string): void {
    if (this.#at(path, 'rmdir').kind !== 'directory') throw systemError('ENOTDIR', 'rmdir', path);
    if (this.list(path).length > 0) throw systemError('ENOTEMPTY', 'rmdir', path);
    this.#removeName(path);
  }

  list(directory: string): string[] {
    if (this.#at(directory, 'scandir').kind !== 'directory')
      throw systemError('ENOTDIR', 'scandir', directory);
    return [...this.#names.keys()]
      .filter((path) => path !== '/' && dirname(path) === directory)
      .map((path) => basename(path));
  }

  readLink(path: string): string {
    this.#at(path, 'readlink');
    throw systemError('EINVAL', 'readlink', path);
  }

  resolve(path: string): string {
    this.#at(path, 'realpath');
    return path;
  }

  /** Reports names that come and go, and files that are written, once the caller is done. */
  watch(path: string, onEvent: (name: string | null) => void): WatchHandle {
    this.#at(path, 'watch');
    const watch = { directory: path, onEvent };
    this.#watches.add(watch);
    return { close: () => void this.#watches.delete(watch) };
  }

  /** A descriptor for something that may have no name. */
  protected describe(inode: Pick<Inode, 'bytes'>): number {
    const descriptor = this.#nextDescriptor++;
    const whole = 'number' in inode ? (inode as Inode) : { ...this.#inode('file', 0o400), ...inode };
    this.#descriptors.set(descriptor, whole);
    return descriptor;
  }

  /** A name was added; a hook for subclasses. */
  protected nameAdded(_path: string): void {}

  /** A name was removed; a hook for subclasses. */
  protected nameRemoved(_path: string): void {}

  #inode(kind: Inode['kind'], mode: number): Inode {
    const modifiedMs = this.#now().getTime();
    return { kind, number: this.#nextInode++, bytes: Buffer.alloc(0), links: 0, mode, modifiedMs };
  }

  #at(path: string, call: string): Inode {
    const inode = this.#names.get(path);
    if (inode === undefined) throw systemError('ENOENT', call, path);
    return inode;
  }

  #inodeOf(descriptor: number): Inode {
    const inode = this.#descriptors.get(descriptor);
    if (inode === undefined) throw systemError('EBADF', 'descriptor', String(descriptor));
    return inode;
  }

  #addName(path: string, inode: Inode, call: string): void {
    if (this.#at(dirname(path), call).kind !== 'directory') throw systemError('ENOTDIR', call, path);
    this.#names.set(path, inode);
    inode.links += 1;
    this.nameAdded(path);
    this.#changed(path);
  }

  #removeName(path: string): void {
    const inode = this.#at(path, 'unlink');
    this.#names.delete(path);
    inode.links -= 1;
    this.nameRemoved(path);
    this.#changed(path);
  }

  #touched(inode: Inode): void {
    inode.modifiedMs = this.#now().getTime();
    if (this.#watches.size === 0) return;
    for (const [path, other] of this.#names) if (other === inode) this.#tell(path);
  }

  #changed(path: string): void {
    const directory = this.#names.get(dirname(path));
    if (directory !== undefined) directory.modifiedMs = this.#now().getTime();
    this.#tell(path);
  }

  #tell(path: string): void {
    for (const watch of this.#watches)
      if (watch.directory === dirname(path))
        setImmediate(() => this.#watches.has(watch) && watch.onEvent(basename(path)));
  }
}

/** An error as the real file system throws it. */
export function systemError(code: string, syscall: string, path: string): NodeJS.ErrnoException {
  return Object.assign(new Error(`${code}: ${syscall} '${path}'`), { code, syscall, path });
}

function factsOf({ kind, mode, bytes, links, number, modifiedMs }: Inode): FileFacts {
  const size = bytes.length;
  const changedMs = modifiedMs;
  return { kind, uid: OWN_UID, mode, size, links, device: 1, inode: number, modifiedMs, changedMs };
}
