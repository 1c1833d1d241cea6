import { join } from 'node:path';
import { type Ids, type Logger, messageOf } from '../foundation/index.js';
import {
  ensureDirectory,
  type FileSystem,
  judgeLife,
  listDirectory,
  type ProcessIdentity,
  readFile,
  removeQuietly,
  writeQuick,
} from '../storage/index.js';
import { findMarked, isStill, type ProcessEntry } from './process-table.js';

/** What is written down about a program before it is started, so that it can be found after we die. */
export interface ProgramRecord {
  readonly version: 1;
  readonly marker: string;
  readonly command: string;
  readonly supervisor: ProcessIdentity;
  readonly startedAt: string;
}

export interface RegistryTools {
  readonly fileSystem: FileSystem;
  readonly ids: Ids;
  readonly log: Logger;
  readonly identity: ProcessIdentity;
}

/** What was found and done about the programs of supervisors that died. */
export interface OrphanReport {
  readonly ended: readonly { readonly marker: string; readonly pid: number; readonly command: string }[];
}

/**
 * The programs that run now, one small file each. The record is there before the program starts and goes after the
 * last process of its tree; it needs no sync, because no process outlives a power loss.
 */
export class ProgramRegistry {
  readonly #tools: RegistryTools;
  readonly directory: string;
  /** The programs that this process started and that may still run. */
  readonly #own = new Set<string>();

  constructor(tools: RegistryTools, directory: string) {
    this.#tools = tools;
    this.directory = directory;
  }

  /** Writes down that a program is about to start and returns the marker it must carry. Throws STORAGE_FAILED. */
  announce(command: string, now: Date): string {
    const marker = this.#tools.ids.token();
    ensureDirectory(this.#tools.fileSystem, this.directory);
    const record: ProgramRecord = {
      version: 1,
      marker,
      command,
      supervisor: this.#tools.identity,
      startedAt: now.toISOString(),
    };
    writeQuick(this.#tools.fileSystem, this.#path(marker), JSON.stringify(record));
    if (this.#own.size === 0) process.on('exit', this.#endOwn);
    this.#own.add(marker);
    return marker;
  }

  /** Forgets a program of which no process is left. */
  forget(marker: string): void {
    if (this.#own.delete(marker) && this.#own.size === 0) process.off('exit', this.#endOwn);
    removeQuietly(this.#tools.fileSystem, this.#path(marker));
  }

  /** Whoever makes us exit does not wait until our programs have left: they go with us. */
  readonly #endOwn = (): void => {
    for (const marker of [...this.#own]) {
      try {
        for (const entry of findMarked(this.#tools.fileSystem, marker))
          killEntry(this.#tools.fileSystem, entry, marker, 'SIGKILL');
        this.forget(marker);
      } catch {
        // The record stays: the next start ends what is left.
      }
    }
  };

  /** Ends what is left of programs whose supervisor is proven dead. Never throws: it runs before other work. */
  endOrphans(): OrphanReport {
    const ended: { marker: string; pid: number; command: string }[] = [];
    for (const name of listDirectory(this.#tools.fileSystem, this.directory)) {
      try {
        const record = this.#read(name);
        if (record === undefined || this.#isSupervised(record)) continue;
        for (const entry of findMarked(this.#tools.fileSystem, record.marker)) {
          if (killEntry(this.#tools.fileSystem, entry, record.marker, 'SIGKILL')) {
            ended.push({ marker: record.marker, pid: entry.pid, command: record.command });
          }
        }
        this.forget(record.marker);
      } catch (error) {
        this.#tools.log.warn('program.orphan-not-ended', { record: name, error: messageOf(error) });
      }
    }
    if (ended.length > 0) this.#tools.log.warn('program.orphans-ended', { count: ended.length });
    return { ended };
  }

  #isSupervised(record: ProgramRecord): boolean {
    return judgeLife(this.#tools.fileSystem, record.supervisor, this.#tools.identity).life !== 'dead';
  }

  #read(name: string): ProgramRecord | undefined {
    if (!/^[0-9a-f]{32}\.json$/.test(name)) return undefined;
    const text = readFile(this.#tools.fileSystem, join(this.directory, name));
    if (text === undefined) return undefined;
    const record = JSON.parse(text) as Partial<ProgramRecord>;
    const isWhole = record.marker === name.slice(0, 32) && typeof record.supervisor?.pid === 'number';
    return isWhole ? (record as ProgramRecord) : undefined;
  }

  #path(marker: string): string {
    return join(this.directory, `${marker}.json`);
  }
}

/** Signals one process after making sure that it still is the one we mean. False when it is not, or is gone. */
export function killEntry(
  fileSystem: FileSystem,
  entry: ProcessEntry,
  marker: string,
  signal: NodeJS.Signals,
): boolean {
  if (!isStill(fileSystem, entry, marker)) return false;
  try {
    process.kill(entry.pid, signal);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
    throw error;
  }
}
