import { dirname, join } from 'node:path';
import type { FileSystem } from './bytes/file-system.js';
import { resolveUserPath } from './bytes/user-file.js';
import { lookAt, UnsafePathError } from './errors.js';

/** The few roots from which every path we create is derived. */
export interface Roots {
  readonly home: string;
  readonly config: string;
  readonly data: string;
  readonly state: string;
  /** Where the operating system keeps temporary files. */
  readonly temporary: string;
}

/** Directories that the user moved by configuration. */
export interface MovedDirectories {
  readonly question?: string | undefined;
  readonly conversation?: string | undefined;
  readonly loop?: string | undefined;
  readonly changeTemporary?: string | undefined;
  readonly worktree?: string | undefined;
}

/** Every path we create, by purpose. */
export interface Layout {
  readonly configFile: string;
  readonly questions: string;
  readonly questionTrash: string;
  /** Permissions that agents' hooks request. */
  readonly permissions: string;
  readonly permissionTrash: string;
  readonly conversations: string;
  readonly loop: string;
  readonly changes: string;
  readonly processes: string;
  readonly processTrash: string;
  /** How runs were started, and what happened in them. */
  readonly runs: string;
  readonly runTrash: string;
  /** The worktrees of runs, with one small file for each. */
  readonly worktrees: string;
  /** Where new worktrees are created. */
  readonly newWorktrees: string;
  /** What `setup` wrote into the settings of agent clients, so it can be undone. */
  readonly setups: string;
  /** One small file for each running program. */
  readonly programs: string;
  /** One small file for each terminal that a view of ours currently holds. */
  readonly terminals: string;
  /** One small file for each directory where work was started. */
  readonly projects: string;
  /** One small file for each agent that a person started and whose hooks reported it to us. */
  readonly agents: string;
  /** One small file for each event and channel, saying what a person was told. */
  readonly notices: string;
  /** The queue: its entries, the data kept with each, and the workers. */
  readonly queue: string;
  /** What runs share: the usage windows of accounts, and the usage of each day. */
  readonly accounts: string;
  /** The lock of the service that restarts runs. */
  readonly service: string;
  /** The page: its origin, who is signed in, its servers, and the actions taken through it. */
  readonly web: string;
  /** This machine in the fleet: its identity, and what it has sent to others without a reply so far. */
  readonly fleet: string;
  /** The conversations of our own agent program. */
  readonly scripted: string;
}

/**
 * Derives all paths, each only on request: a command needs few of them. A moved directory keeps its trash beside it, so
 * moving something there is still a single rename.
 */
export function deriveLayout(roots: Roots, workingDirectory: string, moved: MovedDirectories = {}): Layout {
  return {
    get configFile() {
      return join(roots.config, 'config.json');
    },
    get questions() {
      return moved.question ?? join(roots.data, 'questions');
    },
    get questionTrash() {
      return moved.question === undefined
        ? join(roots.data, 'trash', 'questions')
        : join(moved.question, '.holdfast', 'trash');
    },
    get permissions() {
      return join(roots.data, 'permissions');
    },
    get permissionTrash() {
      return join(roots.data, 'trash', 'permissions');
    },
    get conversations() {
      return moved.conversation ?? join(roots.home, '.aurora', 'spawn', 'sessions');
    },
    get loop() {
      return moved.loop ?? join(workingDirectory, '.prp-session');
    },
    get changes() {
      return moved.changeTemporary ?? join(roots.temporary, 'ralph', 'sessions');
    },
    get processes() {
      return join(roots.state, 'processes');
    },
    get processTrash() {
      return join(roots.state, 'trash', 'processes');
    },
    get runs() {
      return join(roots.state, 'runs');
    },
    get runTrash() {
      return join(roots.state, 'trash', 'runs');
    },
    get worktrees() {
      return join(roots.state, 'worktrees');
    },
    get newWorktrees() {
      return moved.worktree ?? join(roots.state, 'worktrees');
    },
    get setups() {
      return join(roots.state, 'setup');
    },
    get programs() {
      return join(roots.state, 'programs');
    },
    get terminals() {
      return join(roots.state, 'terminals');
    },
    get projects() {
      return join(roots.state, 'projects');
    },
    get agents() {
      return join(roots.state, 'agents');
    },
    get notices() {
      return join(roots.state, 'notices');
    },
    get queue() {
      return join(roots.state, 'queue');
    },
    get accounts() {
      return join(roots.state, 'accounts');
    },
    get service() {
      return join(roots.state, 'service');
    },
    get web() {
      return join(roots.state, 'web');
    },
    get fleet() {
      return join(roots.state, 'fleet');
    },
    get scripted() {
      return join(roots.state, 'scripted');
    },
  };
}

const LOOP_DIRECTORY = '.prp-session';

/**
 * The directory that keeps the loop of a project. Inside a git work tree it is the nearest `.prp-session` upwards that
 * is ours, or a new one at the top of that tree. Without git only the working directory counts, because anything above
 * it belongs to something else.
 */
export function findLoopDirectory(fileSystem: FileSystem, workingDirectory: string): string {
  const places = loopPlaces(fileSystem, workingDirectory);
  const found = places.find((place) => hasLoop(fileSystem, place));
  return join(found ?? places.at(-1) ?? workingDirectory, LOOP_DIRECTORY);
}

/**
 * The nearest `.prp-session` of ours above the places we search from here: release 0.1 searched upwards without limit
 * and may have put one there. Undefined if there is none.
 */
export function findLoopAbove(fileSystem: FileSystem, workingDirectory: string): string | undefined {
  const above = parentsOf(workingDirectory).slice(loopPlaces(fileSystem, workingDirectory).length);
  const found = above.find((place) => hasLoop(fileSystem, place));
  return found === undefined ? undefined : join(found, LOOP_DIRECTORY);
}

/**
 * Refuses a loop in a directory where another user could replace it: one that everybody may write to, or that belongs
 * neither to us nor to root. A group that shares a project is trusted. Throws UNSAFE_PATH.
 */
export function assertLoopPlace(fileSystem: FileSystem, loopDirectory: string): void {
  const place = resolveUserPath(fileSystem, dirname(loopDirectory));
  const facts = place === undefined ? undefined : lookAt(fileSystem, place);
  if (place === undefined || facts === undefined) return;
  const uid = process.geteuid?.();
  if (uid !== undefined && facts.uid !== uid && facts.uid !== 0)
    throw new UnsafePathError(place, `it belongs to user ${facts.uid}, but we are user ${uid}`, PLACE_HINT);
  if ((facts.mode & 0o002) !== 0)
    throw new UnsafePathError(
      place,
      `everybody may write to it (mode ${facts.mode.toString(8)})`,
      PLACE_HINT,
    );
}

const PLACE_HINT =
  'Holdfast keeps no loop in such a directory. Work in a directory of your own, or set loop.dir in config.json to one.';

/** From here upwards to the top of the git work tree; without git, only here. */
function loopPlaces(fileSystem: FileSystem, workingDirectory: string): string[] {
  const parents = parentsOf(workingDirectory);
  const top = parents.findIndex((parent) => isRepositoryTop(fileSystem, parent));
  return parents.slice(0, top === -1 ? 1 : top + 1);
}

function hasLoop(fileSystem: FileSystem, place: string): boolean {
  const facts = lookQuietly(fileSystem, join(place, LOOP_DIRECTORY));
  const uid = process.geteuid?.();
  return facts?.kind === 'directory' && (uid === undefined || facts.uid === uid);
}

/**
 * Whether a directory is the top of a git repository or of one of its worktrees. An empty `.git` does not count, just
 * as for git itself: the Codex sandbox makes one wherever its commands may write, including the temporary directory.
 */
export function isRepositoryTop(fileSystem: FileSystem, directory: string): boolean {
  const git = join(directory, '.git');
  const kind = lookQuietly(fileSystem, git)?.kind;
  return kind === 'file' || (kind === 'directory' && !isEmpty(fileSystem, git));
}

function isEmpty(fileSystem: FileSystem, directory: string): boolean {
  try {
    return fileSystem.list(directory).length === 0;
  } catch {
    return false; // we may not look inside: git will say more
  }
}

function parentsOf(directory: string): string[] {
  const parent = dirname(directory);
  return parent === directory ? [directory] : [directory, ...parentsOf(parent)];
}

/** A directory that we may not look into holds nothing of ours. */
function lookQuietly(fileSystem: FileSystem, path: string) {
  try {
    return fileSystem.look(path);
  } catch {
    return undefined;
  }
}
