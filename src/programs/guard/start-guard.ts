import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { FileSystem } from '../../storage/index.js';
import { type ControlGroup, ControlGroups } from '../control-group.js';
import { ProgramNotStartedError } from '../errors.js';
import type { KnownProcess } from '../family.js';
import { findProcess } from '../process-table.js';
import { type FromGuard, readMessage, type ToGuard } from './messages.js';
import { RunTree } from './run-tree.js';

export interface GuardSpec {
  readonly fileSystem: FileSystem;
  /** How to start the guard: which program of ours to run. */
  readonly program: { readonly command: string; readonly args: readonly string[] };
  /** What every process of the run carries in its environment. */
  readonly marker: string;
  /** How long the run may live unless told otherwise, in boot time. */
  readonly deadlineMs: number;
  /** Where the guard reads the boot time; by default from the system. */
  readonly uptimeFile?: string | undefined;
}

/** How a guard ended, if it could say so. */
export type GuardEnd = Extract<FromGuard, { says: 'ended' }> | { readonly says: 'gone' };

/**
 * Starts the guard of a run in a session of its own and waits until it is on duty. No part of the run may be started
 * before that. Throws PROGRAM_NOT_STARTED.
 */
export async function startGuard(spec: GuardSpec): Promise<Guard> {
  const { fileSystem, program, marker, deadlineMs, uptimeFile } = spec;
  const group = new ControlGroups(fileSystem).create(marker);
  const args = [
    ...program.args,
    `--marker=${marker}`,
    `--deadline=${deadlineMs}`,
    ...(group === null ? [] : [`--group=${group.path}`]),
    ...(uptimeFile === undefined ? [] : [`--uptime=${uptimeFile}`]),
  ];
  return new Promise((resolve, reject) => {
    const fail = (error: unknown) => {
      group?.remove();
      reject(new ProgramNotStartedError(program.command, error));
    };
    try {
      // Its own session, and nothing of our environment: it must not look like part of the run.
      const child = spawn(program.command, args, {
        env: {},
        cwd: '/',
        stdio: ['pipe', 'pipe', 'ignore'],
        detached: true,
      });
      child.once('error', fail);
      const guard = new Guard(fileSystem, child, { marker, group });
      void guard.ready.then(
        () => resolve(guard),
        () => fail(new Error('it ended before it was on duty')),
      );
    } catch (error) {
      fail(error);
    }
  });
}

/** The guard of a run, as seen by its worker. */
export class Guard {
  readonly ready: Promise<void>;
  /** Resolves once it has left: with what it ended, or `gone` if it was killed. */
  readonly left: Promise<GuardEnd>;
  readonly marker: string;
  readonly #fileSystem: FileSystem;
  readonly #child: ChildProcess;
  readonly #group: ControlGroup | null;
  readonly #tree: RunTree;

  constructor(
    fileSystem: FileSystem,
    child: ChildProcess,
    { marker, group }: { readonly marker: string; readonly group: ControlGroup | null },
  ) {
    this.#fileSystem = fileSystem;
    this.#child = child;
    this.marker = marker;
    this.#group = group;
    this.#tree = new RunTree(fileSystem, marker, group);
    let end: GuardEnd = { says: 'gone' };
    child.stdin?.on('error', () => {}); // its end reports this
    this.left = new Promise((resolve) => child.once('close', () => resolve(end)));
    this.ready = new Promise((resolve, reject) => {
      if (child.stdout === null) return reject(new Error('it has no output'));
      createInterface({ input: child.stdout }).on('line', (line) => {
        const message = readMessage<FromGuard>(line, 'says');
        if (message?.says === 'ready') resolve();
        else if (message?.says === 'ended') end = message;
      });
      child.once('exit', () => reject(new Error('it ended')));
    });
    // If nobody waits for it any more, its end is not our failure.
    this.ready.catch(() => {});
  }

  /** Its process, so the run can watch it. */
  get process(): KnownProcess {
    const pid = this.#child.pid ?? -1;
    return { pid, startTime: findProcess(this.#fileSystem, pid)?.startTime ?? '0' };
  }

  /** Starts something in the control group of the run, if there is one. */
  around<Result>(start: () => Result): Result {
    return this.#group === null ? start() : this.#group.inside(start);
  }

  renew(deadlineMs: number): void {
    this.#tell({ tell: 'deadline', bootMs: deadlineMs });
  }

  follow(pid: number): void {
    const startTime = findProcess(this.#fileSystem, pid)?.startTime;
    if (startTime === undefined) return;
    this.#tree.follow({ pid, startTime });
    this.#tell({ tell: 'run', process: { pid, startTime } });
  }

  /**
   * Ends the run through the guard, or ourselves if the guard is gone. Resolves once no process of the run that we know
   * is left.
   */
  async end(): Promise<void> {
    this.#tell({ tell: 'end' });
    const isHeard = await Promise.race([
      this.left.then(() => true),
      new Promise<false>((resolve) => setTimeout(() => resolve(false), END_MS).unref()),
    ]);
    if (!isHeard) this.#child.kill('SIGKILL');
    await this.#tree.end((ms) => new Promise((resolve) => setTimeout(resolve, ms)));
    this.#group?.remove();
  }

  /** Dismisses the guard once the run is over and nothing is left to guard. */
  async dismiss(): Promise<void> {
    this.#tell({ tell: 'leave' });
    await Promise.race([this.left, new Promise<void>((resolve) => setTimeout(resolve, END_MS).unref())]);
    this.#child.kill('SIGKILL');
    this.#group?.remove();
  }

  #tell(message: ToGuard): void {
    if (this.#child.stdin?.writable) this.#child.stdin.write(`${JSON.stringify(message)}\n`);
  }
}

/** How long a guard may take to end its run before we do it ourselves. */
const END_MS = 2_000;
