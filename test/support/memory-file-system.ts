import { constants } from 'node:fs';
import { dirname } from 'node:path';
import type { FileFacts, FileSystem, WatchHandle } from '../../src/storage/index.js';
import { systemError } from './failing-file-system.js';

interface Inode {
  readonly number: number;
  bytes: Buffer;
  links: number;
  mode: number;
}

/** A directory that is being listed while others change it. */
export interface Listing {
  readonly directory: string;
  /** There from the first to the last moment: listed for certain. */
  readonly certain: Set<string>;
  /** Came or went meanwhile: POSIX leaves it open whether they are listed. */
  readonly open: Set<string>;
}

/**
 * Just enough of a file system to run the lock in memory, one call at a time. Listing a directory takes two steps
 * (`beginListing`, `endListing`), because readdir(3) of a large directory is not one moment in time.
 */
export class MemoryFileSystem implements FileSystem {
  /** Start time of each living process, as /proc tells it. */
  readonly processes = new Map<number, string>();
  readonly #names = new Map<string, Inode>();
  readonly #descriptors = new Map<number, Inode>();
  readonly #listings = new Set<Listing>();
  readonly #nowMs: number;
  #nextInode = 1;
  #nextDescriptor = 100;

  /** Time stands still; every file was changed just now. */
  constructor(now: Date) {
    this.#nowMs = now.getTime();
  }

  beginListing(directory: string): Listing {
    const listing = { directory, certain: new Set(this.list(directory)), open: new Set<string>() };
    this.#listings.add(listing);
    return listing;
  }

  endListing(listing: Listing, isListed: (name: string) => boolean): string[] {
    this.#listings.delete(listing);
    return [...listing.certain, ...[...listing.open].filter(isListed)];
  }

  open(path: string, flags: number, mode = 0): number {
    const process = /^\/proc\/(\d+)\/stat$/.exec(path);
    if (process !== null) return this.#openProcess(Number(process[1]), path);
    let inode = this.#names.get(path);
    if ((flags & constants.O_CREAT) !== 0) {
      if (inode !== undefined) throw systemError('EEXIST', 'open', path);
      inode = { number: this.#nextInode++, bytes: Buffer.alloc(0), links: 0, mode };
      this.#addName(path, inode);
    }
    if (inode === undefined) throw systemError('ENOENT', 'open', path);
    return this.#describe(inode);
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
    return length;
  }

  sync(): void {}

  syncData(): void {}

  truncate(descriptor: number, length: number): void {
    const inode = this.#inodeOf(descriptor);
    inode.bytes = Buffer.concat([inode.bytes], length);
  }

  changeMode(descriptor: number, mode: number): void {
    this.#inodeOf(descriptor).mode = mode;
  }

  factsOf(descriptor: number): FileFacts {
    return factsOf(this.#inodeOf(descriptor), this.#nowMs);
  }

  look(path: string): FileFacts | undefined {
    const inode = this.#names.get(path);
    return inode === undefined ? undefined : factsOf(inode, this.#nowMs);
  }

  rename(from: string, to: string): void {
    const inode = this.#names.get(from);
    if (inode === undefined) throw systemError('ENOENT', 'rename', from);
    if (this.#names.has(to)) this.unlink(to);
    this.#addName(to, inode);
    this.unlink(from);
  }

  link(existing: string, added: string): void {
    const inode = this.#names.get(existing);
    if (inode === undefined) throw systemError('ENOENT', 'link', existing);
    if (this.#names.has(added)) throw systemError('EEXIST', 'link', added);
    this.#addName(added, inode);
  }

  unlink(path: string): void {
    const inode = this.#names.get(path);
    if (inode === undefined) throw systemError('ENOENT', 'unlink', path);
    this.#names.delete(path);
    inode.links -= 1;
    for (const listing of this.#listingsOf(path)) {
      const name = path.slice(listing.directory.length + 1);
      if (listing.certain.delete(name)) listing.open.add(name);
    }
  }

  makeDirectory(): void {
    throw new Error('not part of the lock');
  }

  removeDirectory(): void {
    throw new Error('not part of the lock');
  }

  list(directory: string): string[] {
    return [...this.#names.keys()]
      .filter((path) => dirname(path) === directory)
      .map((path) => path.slice(directory.length + 1));
  }

  readLink(): string {
    throw new Error('not part of the lock');
  }

  resolve(path: string): string {
    return path;
  }

  watch(): WatchHandle {
    return { close() {} };
  }

  /** Moves everything in a directory somewhere else, as a rename of the directory would. */
  moveAway(directory: string, elsewhere: string): void {
    for (const name of this.list(directory)) this.rename(`${directory}/${name}`, `${elsewhere}/${name}`);
  }

  #openProcess(pid: number, path: string): number {
    const startTime = this.processes.get(pid);
    if (startTime === undefined) throw systemError('ENOENT', 'open', path);
    const stat = `${pid} (node) S${' 0'.repeat(18)} ${startTime} 0`;
    return this.#describe({ number: 0, bytes: Buffer.from(stat), links: 1, mode: 0o444 });
  }

  #describe(inode: Inode): number {
    const descriptor = this.#nextDescriptor++;
    this.#descriptors.set(descriptor, inode);
    return descriptor;
  }

  #addName(path: string, inode: Inode): void {
    this.#names.set(path, inode);
    inode.links += 1;
    for (const listing of this.#listingsOf(path)) listing.open.add(path.slice(listing.directory.length + 1));
  }

  #listingsOf(path: string): Listing[] {
    return [...this.#listings].filter((listing) => listing.directory === dirname(path));
  }

  #inodeOf(descriptor: number): Inode {
    const inode = this.#descriptors.get(descriptor);
    if (inode === undefined) throw systemError('EBADF', 'descriptor', String(descriptor));
    return inode;
  }
}

function factsOf(inode: Inode, modifiedMs: number): FileFacts {
  return {
    kind: 'file',
    uid: 0,
    mode: inode.mode,
    size: inode.bytes.length,
    links: inode.links,
    device: 1,
    inode: inode.number,
    modifiedMs,
  };
}
