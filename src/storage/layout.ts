import { join } from 'node:path';

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
  /** One small file for each program that runs now. */
  readonly programs: string;
  /** The conversations of our own agent program. */
  readonly scripted: string;
}

/** Derives all paths. A moved directory keeps its trash beside it, so that moving there stays one rename. */
export function deriveLayout(roots: Roots, workingDirectory: string, moved: MovedDirectories = {}): Layout {
  return {
    configFile: join(roots.config, 'config.json'),
    questions: moved.question ?? join(roots.data, 'questions'),
    questionTrash:
      moved.question === undefined
        ? join(roots.data, 'trash', 'questions')
        : join(moved.question, '.holdfast', 'trash'),
    conversations: moved.conversation ?? join(roots.home, '.aurora', 'spawn', 'sessions'),
    loop: moved.loop ?? join(workingDirectory, '.prp-session'),
    changes: moved.changeTemporary ?? join(roots.temporary, 'ralph', 'sessions'),
    processes: join(roots.state, 'processes'),
    processTrash: join(roots.state, 'trash', 'processes'),
    programs: join(roots.state, 'programs'),
    scripted: join(roots.state, 'scripted'),
  };
}
