import { join } from 'node:path';
import { messageOf } from '../foundation/index.js';
import { type FileFacts, type FileSystem, isRepositoryTop, readFile } from '../storage/index.js';
import { type ContentMemory, type ContentReader, plainContent } from './read-content.js';
import { type Content, type FileState, joinPath, type MeasurementNote } from './snapshot.js';

/** All files below a directory, without git. */
export interface WalkReading {
  readonly files: ReadonlyMap<string, FileState>;
  /** Repositories that were found but not entered. */
  readonly repositories: readonly string[];
  readonly unknown: readonly string[];
  readonly notes: readonly MeasurementNote[];
}

export interface WalkOptions {
  readonly maxFiles: number;
  readonly isLeftOut: (path: string) => boolean;
  /** Reads what was changed a moment ago: until the disk's clock ticks, a change of the same size leaves no trace. */
  readonly reader: ContentReader;
  /** If given, every file is read once, within the limits of the reader. */
  readonly memory: ContentMemory | undefined;
  readonly now: Date;
  /** `false` if the repository at the start must be walked because git cannot report on it. */
  readonly stopsAtRepositories: boolean;
}

const RECENT_MS = 2_000;
/** After this many entries, other work gets its turn. */
const TURN_ENTRIES = 500;

/**
 * Looks at every file below a path of the root, level by level: size, time and inode. Links are not followed. `.git` is
 * left out, and so are directories that keep themselves out of git (a `.gitignore` with nothing but `*`), as ours do.
 */
export async function walk(
  fileSystem: FileSystem,
  root: string,
  start: string,
  options: WalkOptions,
): Promise<WalkReading> {
  const walking = new Walking(fileSystem, root, start, options);
  while (walking.hasMore) await walking.enterNext();
  return walking;
}

class Walking implements WalkReading {
  readonly files = new Map<string, FileState>();
  readonly repositories: string[] = [];
  readonly unknown: string[] = [];
  readonly notes: MeasurementNote[] = [];
  readonly #fileSystem: FileSystem;
  readonly #root: string;
  readonly #start: string;
  readonly #options: WalkOptions;
  /** Directories in the order of entering, and how many have been entered. */
  readonly #directories: string[];
  #entered = 0;
  #entriesSinceTurn = 0;

  constructor(fileSystem: FileSystem, root: string, start: string, options: WalkOptions) {
    this.#fileSystem = fileSystem;
    this.#root = root;
    this.#start = start;
    this.#options = options;
    this.#directories = [start];
  }

  get hasMore(): boolean {
    return this.#entered < this.#directories.length;
  }

  async enterNext(): Promise<void> {
    const directory = this.#directories[this.#entered] ?? this.#start;
    if (this.files.size >= this.#options.maxFiles) return this.#giveUp();
    this.#entered += 1;
    const names = this.#list(directory);
    if (directory !== this.#start && this.#staysOutside(directory, names)) return;
    for (const name of names) if (name !== '.git') await this.#add(joinPath(directory, name));
    await this.#takeTurns(names.length);
  }

  #giveUp(): void {
    const { maxFiles } = this.#options;
    this.unknown.push(...this.#directories.slice(this.#entered));
    this.#entered = this.#directories.length;
    this.notes.push({
      code: 'too-many-files',
      path: this.#start,
      message: `more than ${maxFiles} files without git: deeper ones were skipped`,
    });
  }

  #list(directory: string): string[] {
    try {
      return this.#fileSystem.list(join(this.#root, directory)).sort();
    } catch (error) {
      this.unknown.push(directory);
      this.notes.push({ code: 'not-readable', path: directory, message: messageOf(error) });
      return [];
    }
  }

  #staysOutside(directory: string, names: readonly string[]): boolean {
    const path = join(this.#root, directory);
    if (
      this.#options.stopsAtRepositories &&
      names.includes('.git') &&
      isRepositoryTop(this.#fileSystem, path)
    ) {
      this.repositories.push(directory);
      return true;
    }
    return names.includes('.gitignore') && keepsOutOfGit(this.#fileSystem, path);
  }

  async #add(path: string): Promise<void> {
    if (this.#options.isLeftOut(path)) return;
    const facts = look(this.#fileSystem, join(this.#root, path));
    if (facts?.kind === 'directory') this.#directories.push(path);
    else this.files.set(path, { now: await this.#contentOf(path, facts), committed: undefined });
  }

  async #contentOf(path: string, facts: FileFacts | undefined): Promise<Content> {
    if (facts === undefined) return { kind: 'other' };
    const { reader, memory, now } = this.#options;
    const plain = plainContent(facts);
    const isRecent = facts.modifiedMs > now.getTime() - RECENT_MS;
    if (!isRecent && memory === undefined) return plain;
    const known = isRecent ? undefined : memory?.recall(join(this.#root, path), plain.facts);
    if (known !== undefined) return { ...known, kind: plain.kind };
    const content = (await reader.read(this.#root, path, 'sha1')) ?? plain;
    memory?.keep(join(this.#root, path), content);
    return content;
  }

  async #takeTurns(entries: number): Promise<void> {
    this.#entriesSinceTurn += entries;
    if (this.#entriesSinceTurn < TURN_ENTRIES) return;
    this.#entriesSinceTurn = 0;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** Also undefined for a name that is not UTF-8: it is listed, but cannot be looked up by its text. */
function look(fileSystem: FileSystem, path: string): FileFacts | undefined {
  try {
    return fileSystem.look(path);
  } catch {
    return undefined; // it went away, or we may not enter the directory
  }
}

function keepsOutOfGit(fileSystem: FileSystem, directory: string): boolean {
  try {
    const rules = readFile(fileSystem, join(directory, '.gitignore'))?.split('\n') ?? [];
    const told = rules.map((rule) => rule.trim()).filter((rule) => rule !== '' && !rule.startsWith('#'));
    return told.length === 1 && told[0] === '*';
  } catch {
    return false; // a link, or unreadable: then it is not a rule of ours
  }
}
