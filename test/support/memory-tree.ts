import { constants } from 'node:fs';
import { dirname } from 'node:path';
import {
  type FileFacts,
  type FileSystem,
  nodeFileSystem,
  type WatchHandle,
} from '../../src/storage/index.js';
import { systemError } from './failing-file-system.js';

interface Node {
  readonly number: number;
  readonly kind: 'file' | 'directory';
  bytes: Buffer;
  links: number;
  mode: number;
  modifiedMs: number;
}

interface Watch {
  readonly path: string;
  readonly onEvent: (name: string | null) => void;
}

const DEVICE = 1;

/**
 * A whole file system in memory: directories, links, watches that deliver. What the system tells of processes comes from
 * the real one, and so does the owner of everything. For tests that work through many files and need no disk.
 */
export class MemoryTree implements FileSystem {
  readonly #nodes = new Map<string, Node>();
  readonly #descriptors = new Map<number, Node>();
  readonly #paths = new Map<number, string>();
  readonly #real = new Set<number>();
  readonly #watches = new Set<Watch>();
  #next = 1_000_000;
  #timeMs = 1;

  constructor() {
    this.#nodes.set('/', this.#node('directory', 0o755));
  }

  /** Makes a file, and every directory above it. */
  plant(path: string, text: string): void {
    this.plantDirectory(dirname(path));
    const node = this.#nodes.get(path) ?? this.#node('file', 0o600);
    node.bytes = Buffer.from(text);
    this.#put(path, node);
  }

  plantDirectory(path: string): void {
    if (this.#nodes.has(path)) return;
    this.plantDirectory(dirname(path));
    this.#put(path, this.#node('directory', 0o700));
  }

  /** The text of a file; undefined where there is none. */
  text(path: string): string | undefined {
    return this.#nodes.get(path)?.bytes.toString('utf8');
  }

  open(path: string, flags: number, mode = 0o600): number {
    if (isOfSystem(path)) {
      const descriptor = nodeFileSystem.open(path, flags, mode);
      this.#real.add(descriptor);
      return descriptor;
    }
    let node = this.#nodes.get(path);
    if ((flags & constants.O_CREAT) !== 0) {
      if (node !== undefined && (flags & constants.O_EXCL) !== 0) throw systemError('EEXIST', 'open', path);
      this.#assertParent(path, 'open');
      node ??= this.#node('file', mode);
      this.#put(path, node);
    }
    if (node === undefined) throw systemError('ENOENT', 'open', path);
    const descriptor = this.#next++;
    this.#descriptors.set(descriptor, node);
    this.#paths.set(descriptor, path);
    return descriptor;
  }

  close(descriptor: number): void {
    if (this.#real.delete(descriptor)) {
      nodeFileSystem.close(descriptor);
      return;
    }
    this.#nodeOf(descriptor);
    this.#descriptors.delete(descriptor);
    this.#paths.delete(descriptor);
  }

  read(descriptor: number, buffer: Uint8Array, offset: number, length: number, position: number): number {
    if (this.#real.has(descriptor)) return nodeFileSystem.read(descriptor, buffer, offset, length, position);
    const part = this.#nodeOf(descriptor).bytes.subarray(position, position + length);
    buffer.set(part, offset);
    return part.length;
  }

  readText(descriptor: number): string {
    if (this.#real.has(descriptor)) return nodeFileSystem.readText(descriptor);
    return this.#nodeOf(descriptor).bytes.toString('utf8');
  }

  write(
    descriptor: number,
    buffer: Uint8Array,
    offset: number,
    length: number,
    position: number | null,
  ): number {
    if (this.#real.has(descriptor)) return nodeFileSystem.write(descriptor, buffer, offset, length, position);
    const node = this.#nodeOf(descriptor);
    const start = position ?? node.bytes.length;
    const grown = Buffer.alloc(Math.max(node.bytes.length, start + length));
    grown.set(node.bytes);
    grown.set(buffer.subarray(offset, offset + length), start);
    node.bytes = grown;
    node.modifiedMs = this.#timeMs++;
    this.#hint(this.#paths.get(descriptor) ?? '');
    return length;
  }

  sync(): void {}

  syncData(): void {}

  truncate(descriptor: number, length: number): void {
    const node = this.#nodeOf(descriptor);
    node.bytes = Buffer.concat([node.bytes], length);
    node.modifiedMs = this.#timeMs++;
  }

  changeMode(descriptor: number, mode: number): void {
    this.#nodeOf(descriptor).mode = mode;
  }

  factsOf(descriptor: number): FileFacts {
    if (this.#real.has(descriptor)) return nodeFileSystem.factsOf(descriptor);
    return factsOf(this.#nodeOf(descriptor));
  }

  look(path: string): FileFacts | undefined {
    if (isOfSystem(path)) return nodeFileSystem.look(path);
    const node = this.#nodes.get(path);
    return node === undefined ? undefined : factsOf(node);
  }

  rename(from: string, to: string): void {
    const node = this.#nodes.get(from);
    if (node === undefined) throw systemError('ENOENT', 'rename', from);
    this.#assertParent(to, 'rename');
    const below = [...this.#nodes].filter(([path]) => path.startsWith(`${from}/`));
    this.#drop(from);
    this.#put(to, node);
    for (const [path, child] of below) {
      this.#nodes.delete(path);
      this.#nodes.set(`${to}${path.slice(from.length)}`, child);
    }
  }

  link(existing: string, added: string): void {
    const node = this.#nodes.get(existing);
    if (node === undefined) throw systemError('ENOENT', 'link', existing);
    if (this.#nodes.has(added)) throw systemError('EEXIST', 'link', added);
    node.links += 1;
    this.#put(added, node);
  }

  unlink(path: string): void {
    const node = this.#nodes.get(path);
    if (node === undefined) throw systemError('ENOENT', 'unlink', path);
    node.links -= 1;
    this.#drop(path);
  }

  makeDirectory(path: string, mode: number): void {
    if (this.#nodes.has(path)) throw systemError('EEXIST', 'mkdir', path);
    this.#assertParent(path, 'mkdir');
    this.#put(path, this.#node('directory', mode));
  }

  removeDirectory(path: string): void {
    if (this.list(path).length > 0) throw systemError('ENOTEMPTY', 'rmdir', path);
    this.#drop(path);
  }

  list(path: string): string[] {
    if (isOfSystem(path)) return nodeFileSystem.list(path);
    if (this.#nodes.get(path)?.kind !== 'directory') throw systemError('ENOENT', 'list', path);
    const prefix = path === '/' ? '/' : `${path}/`;
    return [...this.#nodes.keys()]
      .filter((other) => other !== '/' && dirname(other) === path)
      .map((other) => other.slice(prefix.length));
  }

  readLink(path: string): string {
    if (isOfSystem(path)) return nodeFileSystem.readLink(path);
    throw systemError('EINVAL', 'readlink', path);
  }

  resolve(path: string): string {
    if (!isOfSystem(path) && !this.#nodes.has(path)) throw systemError('ENOENT', 'realpath', path);
    return path;
  }

  watch(path: string, onEvent: (name: string | null) => void): WatchHandle {
    if (!this.#nodes.has(path)) throw systemError('ENOENT', 'watch', path);
    const watch = { path, onEvent };
    this.#watches.add(watch);
    return { close: () => void this.#watches.delete(watch) };
  }

  /** Removes a directory and all below it, as somebody outside would. */
  removeAll(path: string): void {
    for (const other of [...this.#nodes.keys()])
      if (other === path || other.startsWith(`${path}/`)) this.#drop(other);
  }

  #node(kind: Node['kind'], mode: number): Node {
    return {
      number: this.#next++,
      kind,
      bytes: Buffer.alloc(0),
      links: 1,
      mode: mode & 0o7777,
      modifiedMs: this.#timeMs++,
    };
  }

  #put(path: string, node: Node): void {
    this.#nodes.set(path, node);
    this.#touchParent(path);
  }

  #drop(path: string): void {
    this.#nodes.delete(path);
    this.#touchParent(path);
  }

  #touchParent(path: string): void {
    const parent = this.#nodes.get(dirname(path));
    if (parent !== undefined) parent.modifiedMs = this.#timeMs++;
    this.#hint(path);
  }

  /** As the kernel does it: after the call that it is about. */
  #hint(path: string): void {
    const name = path.slice(dirname(path).length + 1);
    for (const watch of this.#watches)
      if (watch.path === dirname(path))
        queueMicrotask(() => (this.#watches.has(watch) ? watch.onEvent(name) : undefined));
  }

  #assertParent(path: string, call: string): void {
    if (this.#nodes.get(dirname(path))?.kind !== 'directory') throw systemError('ENOENT', call, path);
  }

  #nodeOf(descriptor: number): Node {
    const node = this.#descriptors.get(descriptor);
    if (node === undefined) throw systemError('EBADF', 'descriptor', String(descriptor));
    return node;
  }
}

/** What the system tells of processes and of itself. */
function isOfSystem(path: string): boolean {
  return path.startsWith('/proc/') || path.startsWith('/sys/');
}

function factsOf({ kind, mode, bytes, links, number, modifiedMs }: Node): FileFacts {
  const uid = process.geteuid?.() ?? 0;
  return { kind, uid, mode, size: bytes.length, links, device: DEVICE, inode: number, modifiedMs };
}
