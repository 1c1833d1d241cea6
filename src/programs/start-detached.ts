import { type ChildProcess, spawn } from 'node:child_process';
import { ProgramNotStartedError } from './errors.js';
import { DETACHED_NAME } from './escapes.js';
import { definedOnly, type ProgramExit, type ProgramSpec } from './program.js';

/** A program that was started to outlive us. It gets no marker of its own: our end makes no orphan of it. */
export interface DetachedProgram {
  readonly pid: number;
  /** How it ended; for as long as we look. */
  readonly exited: Promise<ProgramExit>;
  /** Asks it to stop. */
  stop(): void;
  /** From here on it is on its own, and we may end. */
  release(): void;
}

/** What it is, and the descriptor of the file that takes what it writes to stderr, if any does. */
type DetachedSpec = Pick<ProgramSpec, 'command' | 'args' | 'workingDirectory' | 'environment'> & {
  readonly stderr: number | 'ignore';
  /** Starts it within something, such as a control group. */
  readonly around?: (<Result>(start: () => Result) => Result) | undefined;
};

/**
 * Starts a program in a session of its own, without input and with its output thrown away: no terminal and no pipe of ours
 * can end it. Throws PROGRAM_NOT_STARTED.
 */
export async function startDetached(spec: DetachedSpec): Promise<DetachedProgram> {
  const child = await spawned(spec);
  const exited = new Promise<ProgramExit>((resolve) => {
    child.once('exit', (code, signal) => resolve({ code, signal }));
  });
  return {
    pid: child.pid ?? -1,
    exited,
    // As a person would who changed their mind: SIGTERM is what the end of the machine sends.
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
