import { dirname, join } from 'node:path';
import type { FileSystem } from './file-system.js';

/** The few roots that everything we create is derived from. */
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
}

/** Every path we create, by what it is for. */
export interface Layout {
  readonly configFile: string;
  readonly questions: string;
  readonly questionTrash: string;
  readonly conversations: string;
  readonly loop: string;
  readonly changes: string;
  readonly processes: string;
  readonly processTrash: string;
  /** How runs were started. */
  readonly runs: string;
  /** What `setup` wrote into the settings of agent clients, so that it can be taken back. */
  readonly setups: string;
  /** One small file for each program that runs now. */
  readonly programs: string;
  /** One small file for each terminal that a view of ours holds now. */
  readonly terminals: string;
  /** The conversations of our own agent program. */
  readonly scripted: string;
}

/**
 * Derives all paths, each when it is asked for: a command needs few of them. A moved directory keeps its trash beside it,
 * so that moving there stays one rename.
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
    get setups() {
      return join(roots.state, 'setup');
    },
    get programs() {
      return join(roots.state, 'programs');
    },
    get terminals() {
      return join(roots.state, 'terminals');
    },
    get scripted() {
      return join(roots.state, 'scripted');
    },
  };
}

const LOOP_DIRECTORY = '.prp-session';

/**
 * Where the loop of a project is kept: the nearest `.prp-session` upwards that is ours, else one to be made at the top
 * of the git repository, else one in the working directory.
 */
export function findLoopDirectory(fileSystem: FileSystem, workingDirectory: string): string {
  const parents = parentsOf(workingDirectory);
  const uid = process.geteuid?.();
  const found = parents.find((parent) => {
    const facts = lookQuietly(fileSystem, join(parent, LOOP_DIRECTORY));
    return facts?.kind === 'directory' && (uid === undefined || facts.uid === uid);
  });
  const top = found ?? parents.find((parent) => isRepositoryTop(fileSystem, parent));
  return join(top ?? workingDirectory, LOOP_DIRECTORY);
}

/**
 * Whether a directory is the top of a git repository or of one of its worktrees. An empty `.git` is none, as for git
 * itself: the sandbox of Codex makes one wherever its commands may write, also in the temporary directory.
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
    return false; // it may not be looked into: git will say more
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
