import { dirname } from 'node:path';
import { MemoryFileSystem } from '../../src/testing/memory-file-system.js';
import { systemError } from './failing-file-system.js';

/** A directory being listed while others change it. */
export interface Listing {
  readonly directory: string;
  /** Present from the first to the last moment, so certain to be listed. */
  readonly certain: Set<string>;
  /** Appeared or vanished meanwhile: POSIX does not say whether they are listed. */
  readonly open: Set<string>;
}

/**
 * A file system in memory for running the lock one call at a time. Listing a directory takes two steps (`beginListing`,
 * `endListing`), because readdir(3) of a large directory does not happen in one moment. Time stands still in it.
 */
export class LockFileSystem extends MemoryFileSystem {
  /** The start time of each living process, as in /proc. */
  readonly processes = new Map<number, string>();
  readonly #listings = new Set<Listing>();

  constructor(now: Date, directories: readonly string[]) {
    super({ now: () => now });
    for (const directory of directories) this.makeDirectory(directory, 0o700);
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

  override open(path: string, flags: number, mode = 0): number {
    const process = /^\/proc\/(\d+)\/stat$/.exec(path);
    return process === null ? super.open(path, flags, mode) : this.#openProcess(Number(process[1]), path);
  }

  /** Moves everything in a directory elsewhere, as renaming the directory would. */
  moveAway(directory: string, elsewhere: string): void {
    for (const name of this.list(directory)) this.rename(`${directory}/${name}`, `${elsewhere}/${name}`);
  }

  protected override nameAdded(path: string): void {
    for (const listing of this.#listingsOf(path)) listing.open.add(path.slice(listing.directory.length + 1));
  }

  protected override nameRemoved(path: string): void {
    for (const listing of this.#listingsOf(path)) {
      const name = path.slice(listing.directory.length + 1);
      if (listing.certain.delete(name)) listing.open.add(name);
    }
  }

  #openProcess(pid: number, path: string): number {
    const startTime = this.processes.get(pid);
    if (startTime === undefined) throw systemError('ENOENT', 'open', path);
    return this.describe({ bytes: Buffer.from(`${pid} (node) S${' 0'.repeat(18)} ${startTime} 0`) });
  }

  // While the first directory is created, the list does not exist yet.
  #listingsOf(path: string): Listing[] {
    return [...(this.#listings ?? [])].filter((listing) => listing.directory === dirname(path));
  }
}
