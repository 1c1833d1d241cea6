import { type ChildProcess, spawn } from 'node:child_process';
import { ProgramNotStartedError } from './errors.js';
import { definedOnly, type ProgramExit, type ProgramSpec } from './program.js';

/** A program that was started to outlive us. It gets no marker of its own: our end makes no orphan of it. */
export interface DetachedProgram {
  readonly pid: number;
  /** How it ended, and the last it wrote to stderr; for as long as we look. */
  readonly exited: Promise<ProgramExit & { readonly stderr: string }>;
  /** Asks it to stop. */
  stop(): void;
  /** From here on it is on its own, and we may end. */
  release(): void;
}

const STDERR_TAIL_CHARACTERS = 16 * 1024;

/**
 * Starts a program in a session of its own, without input and with its output thrown away: no terminal and no pipe of ours
 * can end it. It has to bear that nobody reads its stderr any more. Throws PROGRAM_NOT_STARTED.
 */
export async function startDetached(
  spec: Pick<ProgramSpec, 'command' | 'args' | 'workingDirectory' | 'environment'>,
): Promise<DetachedProgram> {
  const child = await spawned(spec);
  let stderr = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr = (stderr + text).slice(-STDERR_TAIL_CHARACTERS);
  });
  const exited = new Promise<ProgramExit & { readonly stderr: string }>((resolve) => {
    child.once('close', (code, signal) => resolve({ code, signal, stderr }));
  });
  return {
    pid: child.pid ?? -1,
    exited,
    stop: () => void child.kill('SIGTERM'),
    release() {
      child.stderr?.destroy();
      child.unref();
    },
  };
}

function spawned(spec: Parameters<typeof startDetached>[0]): Promise<ChildProcess> {
  return new Promise((resolve, reject) => {
    const fail = (error: unknown) => reject(new ProgramNotStartedError(spec.command, error));
    try {
      const child = spawn(spec.command, [...spec.args], {
        cwd: spec.workingDirectory,
        env: definedOnly(spec.environment),
        stdio: ['ignore', 'ignore', 'pipe'],
        detached: true,
      });
      child.once('spawn', () => resolve(child)).once('error', fail);
    } catch (error) {
      fail(error);
    }
  });
}
