import { basename, dirname, join, relative } from 'node:path';
import { timestamp } from '../foundation/index.js';
import type { ProgramTools } from '../programs/index.js';
import { attempt, type FileSystem } from '../storage/index.js';
import { askGit, type GitTools, isGitTrouble } from './git.js';
import { findRepositoryTop } from './nested-repositories.js';
import { type ContentMemory, ContentReader, READ_LIMITS, type ReadLimits } from './read-content.js';
import { type RepositoryReading, readRepository } from './read-repository.js';
import { compareText, isInside, isWithinAny, type MeasurementNote, type Snapshot } from './snapshot.js';
import { type WalkReading, walk } from './walk.js';

/** What measuring needs: programs, and the environment for starting git. */
export interface WorkspaceTools extends ProgramTools {
  readonly environment: Readonly<Record<string, string | undefined>>;
}

export interface SnapshotOptions {
  /** Directories that are never part of a snapshot, by full path: those of ours that do not keep themselves out. */
  readonly leaveOut?: readonly string[] | undefined;
  /** How many files are examined where there is no git. */
  readonly maxFiles?: number | undefined;
  readonly readLimits?: Partial<ReadLimits> | undefined;
  /** For callers that take many snapshots: recognises files that were rewritten with the same bytes, even without git. */
  readonly memory?: ContentMemory | undefined;
  /** How long one request to git may take. */
  readonly timeoutMs?: number | undefined;
  readonly gitCommand?: string | undefined;
}

const MAX_FILES = 100_000;
const TIMEOUT_MS = 60_000;
const REPOSITORIES_AT_ONCE = 4;

/**
 * Records the state of the working tree that holds a directory: the whole repository around it with the repositories
 * inside, or the directory itself if there is no repository. Changes nothing. If git is missing or fails, files are
 * examined one by one instead, and a note says so. Throws STORAGE_FAILED if the directory does not exist.
 */
export async function takeSnapshot(
  tools: WorkspaceTools,
  directory: string,
  options: SnapshotOptions = {},
): Promise<Snapshot> {
  const git = gitTools(tools, options);
  const takenAt = timestamp(tools.clock);
  const { root, isRepository } = await findRoot(git, realPath(tools, directory));
  const gathering = new Gathering(git, root, options);
  if (isRepository) await gathering.readRepositories(['']);
  else await gathering.walk('', { isRepository: false });
  return gathering.snapshot(takenAt);
}

function realPath({ fileSystem }: WorkspaceTools, directory: string): string {
  return attempt(directory, 'look at', () => fileSystem.resolve(directory));
}

/** git tools with the snapshot's options, for callers that ask git later. */
export function gitTools(tools: WorkspaceTools, options: SnapshotOptions): GitTools {
  return {
    ...tools,
    gitCommand: options.gitCommand ?? 'git',
    timeoutMs: options.timeoutMs ?? TIMEOUT_MS,
  };
}

/**
 * A directory ignored by the repository around it is not part of that repository, because git would report nothing
 * about it.
 */
async function findRoot(git: GitTools, directory: string): Promise<{ root: string; isRepository: boolean }> {
  const top = findRepositoryTop(git.fileSystem, directory);
  if (top === undefined) return { root: directory, isRepository: false };
  if (top === directory || !(await isIgnored(git, top, directory))) return { root: top, isRepository: true };
  return { root: directory, isRepository: false };
}

async function isIgnored(git: GitTools, top: string, directory: string): Promise<boolean> {
  try {
    await askGit(git, top, ['check-ignore', '--quiet', '--', relative(top, directory)]);
    return true;
  } catch {
    return false; // not ignored; if git fails altogether, the next request shows it
  }
}

/** Collects repositories and plain files of one root. */
class Gathering {
  readonly #git: GitTools;
  readonly #root: string;
  readonly #maxFiles: number;
  readonly #reader: ContentReader;
  readonly #memory: ContentMemory | undefined;
  readonly #leftOut: ReadonlySet<string>;
  readonly #repositories: RepositoryReading[] = [];
  readonly #walks: WalkReading[] = [];
  readonly #notes: MeasurementNote[] = [];
  readonly #visited = new Set<string>();

  constructor(git: GitTools, root: string, options: SnapshotOptions) {
    this.#git = git;
    this.#root = root;
    this.#maxFiles = options.maxFiles ?? MAX_FILES;
    this.#reader = new ContentReader(git.fileSystem, { ...READ_LIMITS, ...options.readLimits });
    this.#memory = options.memory;
    const named = (options.leaveOut ?? []).map((path) => relative(root, realPathOf(git.fileSystem, path)));
    this.#leftOut = new Set(named.filter(isInside));
  }

  /** Reads these repositories, then those inside them, a few at a time. */
  async readRepositories(paths: readonly string[]): Promise<void> {
    const waiting = paths.filter((path) => !this.#visited.has(path) && !this.#isLeftOut(path));
    for (const path of waiting) this.#visited.add(path);
    const inside: string[] = [];
    const work = async () => {
      for (let path = waiting.shift(); path !== undefined; path = waiting.shift()) {
        inside.push(...(await this.#readRepository(path)));
      }
    };
    await Promise.all(Array.from({ length: REPOSITORIES_AT_ONCE }, work));
    if (inside.length > 0) await this.readRepositories(inside);
  }

  async walk(path: string, { isRepository }: { isRepository: boolean }): Promise<void> {
    const walked = await walk(this.#git.fileSystem, this.#root, path, {
      maxFiles: this.#maxFiles,
      isLeftOut: (inner) => this.#isLeftOut(inner),
      reader: this.#reader,
      memory: this.#memory,
      now: this.#git.clock.now(),
      stopsAtRepositories: !isRepository,
    });
    this.#walks.push(walked);
    await this.readRepositories(walked.repositories);
  }

  snapshot(takenAt: string): Snapshot {
    const parts = [...this.#repositories, ...this.#walks];
    const byPath = (a: { path: string }, b: { path: string }) => compareText(a.path, b.path);
    return {
      root: this.#root,
      takenAt,
      repositories: this.#repositories.map(({ state }) => state).sort(byPath),
      files: new Map(parts.flatMap(({ files }) => [...files])),
      unknown: this.#walks.flatMap(({ unknown }) => unknown),
      leftOut: [...this.#leftOut],
      notes: [...this.#notes, ...parts.flatMap(({ notes }) => notes)],
    };
  }

  async #readRepository(path: string): Promise<readonly string[]> {
    try {
      const reading = await readRepository(this.#git, this.#root, path, {
        reader: this.#reader,
        isLeftOut: (inner) => this.#isLeftOut(inner),
      });
      this.#repositories.push(reading);
      return reading.nested;
    } catch (error) {
      this.#notes.push(gitNote(path, error));
      await this.walk(path, { isRepository: true });
      return [];
    }
  }

  #isLeftOut(path: string): boolean {
    return isWithinAny(path, this.#leftOut);
  }
}

/** The real path, with links followed, of something that may not exist yet, as a directory to leave out may not. */
function realPathOf(fileSystem: FileSystem, path: string): string {
  try {
    return fileSystem.resolve(path);
  } catch {
    const parent = dirname(path);
    return parent === path ? path : join(realPathOf(fileSystem, parent), basename(path));
  }
}

function gitNote(path: string, error: unknown): MeasurementNote {
  if (!isGitTrouble(error)) throw error;
  const code = error.code === 'GIT_FAILED' ? 'git-failed' : 'git-missing';
  const message = `${error.message}; examined the files one by one instead`;
  return { code, path, message, ...(error.hint === undefined ? {} : { hint: error.hint }) };
}
