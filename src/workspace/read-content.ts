import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { type FileFacts, type FileSystem, readBytes } from '../storage/index.js';
import type { Content } from './snapshot.js';

/** How much may be read to compare contents; beyond that, size, time and inode decide. */
export interface ReadLimits {
  readonly maxFiles: number;
  readonly maxFileBytes: number;
  readonly maxTotalBytes: number;
}

export const READ_LIMITS: ReadLimits = {
  maxFiles: 10_000,
  maxFileBytes: 16 * 1024 * 1024,
  maxTotalBytes: 64 * 1024 * 1024,
};

/** git's hash, by the length of its ids. */
export type HashName = 'sha1' | 'sha256';

export function hashOfId(id: string | undefined): HashName {
  return id?.length === 64 ? 'sha256' : 'sha1';
}

/**
 * Remembers what was read, for a series of snapshots: a file rewritten with the same bytes is then known to be
 * unchanged, and is not read again while its facts stay the same.
 */
export class ContentMemory {
  readonly #contents = new Map<string, Content>();

  /** What is known of the file with these facts. */
  recall(path: string, facts: string | undefined): Content | undefined {
    const content = this.#contents.get(path);
    return content !== undefined && content.facts === facts ? content : undefined;
  }

  keep(path: string, content: Content): void {
    if (content.raw !== undefined) this.#contents.set(path, content);
  }
}

/** After this many bytes, other work gets its turn. */
const TURN_BYTES = 2 * 1024 * 1024;
/** The cost of looking at a file, in bytes read. */
const LOOK_BYTES = 4 * 1024;

/** Reads contents one after another within the limits, letting other work have a turn now and then. */
export class ContentReader {
  readonly #fileSystem: FileSystem;
  readonly #limits: ReadLimits;
  #files = 0;
  #bytes = 0;
  #sinceTurn = 0;

  constructor(fileSystem: FileSystem, limits: ReadLimits) {
    this.#fileSystem = fileSystem;
    this.#limits = limits;
  }

  /** The current content of a path; undefined if there is no file. Directories do not count as files. */
  async read(root: string, path: string, hash: HashName): Promise<Content | undefined> {
    await this.#takeTurns();
    const fullPath = join(root, path);
    const facts = this.#look(fullPath);
    if (facts === undefined || facts.kind === 'directory') return undefined;
    const content = plainContent(facts);
    if (facts.kind === 'other' || !this.#fits(facts.size)) return content;
    try {
      const bytes =
        facts.kind === 'link' ? this.#linkTarget(fullPath) : readBytes(this.#fileSystem, fullPath);
      if (bytes === undefined) return undefined;
      this.#sinceTurn += bytes.length;
      return { ...content, raw: blobId(bytes, hash) };
    } catch {
      return content; // not readable for us, or changing right now: size and time still show a change
    }
  }

  #look(path: string): FileFacts | undefined {
    try {
      return this.#fileSystem.look(path);
    } catch {
      return undefined; // below something that is no longer a directory
    }
  }

  #linkTarget(path: string): Buffer {
    return Buffer.from(this.#fileSystem.readLink(path), 'utf8');
  }

  #fits(size: number): boolean {
    const { maxFiles, maxFileBytes, maxTotalBytes } = this.#limits;
    if (this.#files >= maxFiles || size > maxFileBytes || this.#bytes + size > maxTotalBytes) return false;
    this.#files += 1;
    this.#bytes += size;
    return true;
  }

  async #takeTurns(): Promise<void> {
    this.#sinceTurn += LOOK_BYTES;
    if (this.#sinceTurn < TURN_BYTES) return;
    this.#sinceTurn = 0;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** What is known without reading the file. */
export function plainContent(facts: FileFacts): Content {
  return { kind: kindOf(facts), facts: `${facts.size} ${facts.modifiedMs} ${facts.inode}` };
}

function kindOf({ kind, mode }: FileFacts): Content['kind'] {
  if (kind === 'file') return (mode & 0o100) === 0 ? 'file' : 'executable';
  return kind === 'link' ? 'link' : 'other';
}

/** The id that git gives to these bytes. */
export function blobId(bytes: Buffer, hash: HashName): string {
  return createHash(hash).update(`blob ${bytes.length}\0`).update(bytes).digest('hex');
}
