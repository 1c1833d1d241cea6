import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import {
  compareSnapshots,
  type Snapshot,
  type SnapshotOptions,
  takeSnapshot,
  type WorkspaceChanges,
  type WorkspaceTools,
} from '../../src/workspace/index.js';
import { programTools } from './program-world.js';
import { tempDir } from './temp-dir.js';

/** A project directory, and git with a home of its own, unaffected by this machine's settings. */
export interface GitWorld extends AsyncDisposable {
  readonly project: string;
  /** The user's home, where their own configuration is. */
  readonly home: string;
  readonly tools: WorkspaceTools;
  at(...segments: string[]): string;
  /** Runs git in the project, or in a directory of it. */
  git(args: readonly string[], directory?: string, input?: string): string;
  /** Creates a repository with these files committed. */
  repository(path: string, files: Readonly<Record<string, string>>): void;
  write(path: string, text: string): void;
  commitAll(message: string, directory?: string): void;
  snapshot(options?: SnapshotOptions): Promise<Snapshot>;
  /** The changes between two snapshots. */
  changesOf(action: () => void, options?: SnapshotOptions): Promise<WorkspaceChanges>;
}

const OPTIONS = ['-c', 'protocol.file.allow=always', '-c', 'maintenance.auto=false'];
const COMMIT_ALL = ['add --all', 'commit --quiet --allow-empty -m "$1"'];

export async function gitWorld(): Promise<GitWorld> {
  const dir = await tempDir();
  const project = dir.at('project');
  mkdirSync(project);
  mkdirSync(dir.at('home'));
  const environment = {
    PATH: process.env.PATH,
    HOME: dir.at('home'),
    GIT_CONFIG_NOSYSTEM: '1',
  };
  const tools: WorkspaceTools = { ...programTools(dir.at('programs')), environment };
  const identity = { GIT_AUTHOR_NAME: 'A', GIT_AUTHOR_EMAIL: 'a@example.com' };
  const committer = { GIT_COMMITTER_NAME: 'A', GIT_COMMITTER_EMAIL: 'a@example.com' };
  const at = (...segments: string[]) => join(project, ...segments);
  const run = (program: string, args: readonly string[], directory: string, input = '') =>
    execFileSync(program, args, {
      cwd: at(directory),
      env: { ...environment, ...identity, ...committer },
      encoding: 'utf8',
      input,
      stdio: 'pipe',
    });
  const git = (args: readonly string[], directory = '.', input = '') =>
    run('git', [...OPTIONS, ...args], directory, input);
  // In one shell: the more memory a process has, the longer it takes to start another.
  const gitInTurn = (commands: readonly string[], directory: string, ...words: string[]) => {
    const script = commands.map((command) => `git ${OPTIONS.join(' ')} ${command}`).join('\n');
    run('sh', ['-ec', script, 'sh', ...words], directory);
  };
  const write = (path: string, text: string) => {
    mkdirSync(dirname(at(path)), { recursive: true });
    writeFileSync(at(path), text);
  };
  const commitAll = (message: string, directory = '.') => gitInTurn(COMMIT_ALL, directory, message);
  const snapshot = (options?: SnapshotOptions) => takeSnapshot(tools, project, options);
  return {
    project,
    home: dir.at('home'),
    tools,
    at,
    git,
    write,
    commitAll,
    snapshot,
    repository(path, files) {
      mkdirSync(at(path), { recursive: true });
      for (const [name, text] of Object.entries(files)) write(join(path, name), text);
      gitInTurn(['init --quiet --initial-branch=main', ...COMMIT_ALL], path, 'first');
    },
    async changesOf(action, options) {
      const before = await snapshot(options);
      action();
      return compareSnapshots(tools, before, await snapshot(options), options);
    },
    [Symbol.asyncDispose]: () => dir[Symbol.asyncDispose](),
  };
}
