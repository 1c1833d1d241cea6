import { dirname, join } from 'node:path';
import type { Clock } from '../foundation/index.js';
import { syncDirectory } from './bytes/atomic-file.js';
import { ensureDirectory, hasDirectory, listDirectory, removeTree } from './bytes/directories.js';
import { type FileSystem, systemCode } from './bytes/file-system.js';
import { attempt } from './errors.js';

/** Something that was moved to the trash and can be put back. */
export interface TrashEntry {
  readonly id: string;
  readonly trashedAt: Date;
  readonly path: string;
}

/** The directory that removed sessions are moved to; it must be on the same file system as they are. */
export class Trash {
  readonly directory: string;
  readonly #fileSystem: FileSystem;
  readonly #clock: Clock;

  constructor(tools: { fileSystem: FileSystem; clock: Clock }, directory: string) {
    this.#fileSystem = tools.fileSystem;
    this.#clock = tools.clock;
    this.directory = directory;
  }

  /** Moves a file or directory into the trash under its session's id. Throws STORAGE_FAILED. */
  take(id: string, path: string): TrashEntry {
    ensureDirectory(this.#fileSystem, this.directory);
    return attempt(path, 'move to trash', () => {
      for (let time = this.#clock.now().getTime(); ; time++) {
        const entry = this.#entry(id, new Date(time));
        if (this.#fileSystem.look(entry.path) !== undefined) continue;
        this.#fileSystem.rename(path, entry.path);
        // First this directory, then the one it left: a power cut in between leaves two copies rather than none.
        syncDirectory(this.#fileSystem, this.directory);
        syncDirectory(this.#fileSystem, dirname(path));
        return entry;
      }
    });
  }

  /** The entries in the trash, oldest first. Throws UNSAFE_PATH if something else is in its place. */
  entries(): TrashEntry[] {
    if (!hasDirectory(this.#fileSystem, this.directory)) return [];
    const entries: TrashEntry[] = [];
    for (const name of listDirectory(this.#fileSystem, this.directory)) {
      const match = /^(\d{8}T\d{9}Z)-(.+)$/.exec(name);
      if (match?.[1] === undefined || match[2] === undefined) continue;
      const trashedAt = parseCompactTime(match[1]);
      if (trashedAt !== undefined) entries.push(this.#entry(match[2], trashedAt));
    }
    return entries.sort((a, b) => a.trashedAt.getTime() - b.trashedAt.getTime());
  }

  /** Puts an entry back; returns false if something is at its path again. Throws STORAGE_FAILED. */
  restore(entry: TrashEntry, path: string): boolean {
    return attempt(path, 'restore', () => {
      if (this.#fileSystem.look(path) !== undefined) return false;
      try {
        this.#putBack(entry, path);
      } catch (error) {
        if (systemCode(error) === 'ENOTEMPTY' || systemCode(error) === 'EEXIST') return false;
        throw error;
      }
      syncDirectory(this.#fileSystem, dirname(path));
      syncDirectory(this.#fileSystem, this.directory);
      return true;
    });
  }

  /**
   * Permanently removes entries that have been in the trash longer than this, and returns them. If one cannot be
   * removed, the others still are; the first failure is thrown at the end. Throws STORAGE_FAILED.
   */
  purge(olderThanMs: number): TrashEntry[] {
    const limit = this.#clock.now().getTime() - olderThanMs;
    const purged = this.entries().filter((entry) => entry.trashedAt.getTime() < limit);
    const failures: unknown[] = [];
    for (const entry of purged) {
      try {
        removeTree(this.#fileSystem, entry.path);
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length > 0) throw failures[0];
    return purged;
  }

  /** A rename would replace a file that has appeared there since; a link does not. */
  #putBack(entry: TrashEntry, path: string): void {
    if (this.#fileSystem.look(entry.path)?.kind !== 'file') {
      this.#fileSystem.rename(entry.path, path);
      return;
    }
    this.#fileSystem.link(entry.path, path);
    syncDirectory(this.#fileSystem, dirname(path));
    this.#fileSystem.unlink(entry.path);
  }

  #entry(id: string, trashedAt: Date): TrashEntry {
    return { id, trashedAt, path: join(this.directory, `${compactTime(trashedAt)}-${id}`) };
  }
}

function compactTime(time: Date): string {
  return time.toISOString().replaceAll(/[-:.]/g, '');
}

/** Undefined if the digits are not a valid time: such a name is not ours. */
function parseCompactTime(text: string): Date | undefined {
  const [, year, month, day, hour, minute, second, ms] =
    /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)(\d{3})Z$/.exec(text) ?? [];
  const time = new Date(`${year}-${month}-${day}T${hour}:${minute}:${second}.${ms}Z`);
  return !Number.isNaN(time.getTime()) && compactTime(time) === text ? time : undefined;
}
