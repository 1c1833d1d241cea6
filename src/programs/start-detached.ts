import { type ChildProcess, spawn } from 'node:child_process';
import { ProgramNotStartedError } from './errors.js';
import { DETACHED_NAME } from './escapes.js';
import { definedOnly, type ProgramExit, type ProgramSpec } from './program.js';

/** A program started to outlive us. It gets no marker of its own, so our end does not make it an orphan. */
export interface DetachedProgram {
  readonly pid: number;
  /** How it ended, as long as we are watching. */
  readonly exited: Promise<ProgramExit>;
  /** Asks it to stop. */
  stop(): void;
  /** From now on it is on its own, and we may end. */
  release(): void;
}

/** What to run, and the descriptor of the file that takes its stderr, if any. */
type DetachedSpec = Pick<ProgramSpec, 'command' | 'args' | 'workingDirectory' | 'environment'> & {
  readonly stderr: number | 'ignore';
  /** Starts it inside something, such as a control group. */
  readonly around?: (<Result>(start: () => Result) => Result) | undefined;
};

/**
 * Starts a program in a session of its own, without input and with its output discarded: no terminal and no pipe of
 * ours can end it. Throws PROGRAM_NOT_STARTED.
 */
export async function startDetached(spec: DetachedSpec): Promise<DetachedProgram> {
  const child = await spawned(spec);
  const exited = new Promise<ProgramExit>((resolve) => {
    child.once('exit', (code, signal) => resolve({ code, signal }));
  });
  return {
    pid: child.pid ?? -1,
    exited,
    // Like a person who changed their mind: SIGTERM is what a shutdown of the machine sends.
    stop: () => void child.kill('SIGINT'),
    release: () => child.unref(),
  };
}

function spawned(spec: DetachedSpec): Promise<ChildProcess> {
  return new Promise((resolve, reject) => {
    const fail = (error: unknown) => reject(new ProgramNotStartedError(spec.command, error));
    try {
      const { around = (start) => start() } = spec;
      const child = around(() =>
        spawn(spec.command, [...spec.args], {
          cwd: spec.workingDirectory,
          env: { ...definedOnly(spec.environment), [DETACHED_NAME]: String(process.pid) },
          stdio: ['ignore', 'ignore', spec.stderr],
          detached: true,
        }),
      );
      child.once('spawn', () => resolve(child)).once('error', fail);
    } catch (error) {
      fail(error);
    }
  });
}
