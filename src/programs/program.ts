import { type ChildProcess, spawn } from 'node:child_process';
import { type Clock, type Logger, messageOf } from '../foundation/index.js';
import type { FileSystem } from '../storage/index.js';
import type { ControlGroup } from './control-group.js';
import { ProgramInputClosedError, ProgramNotStartedError } from './errors.js';
import { findEscapes, type LeftProcess } from './escapes.js';
import type { Family } from './family.js';
import { LineSplitter, type OversizedLine } from './line-splitter.js';
import { OutputLog } from './output-log.js';
import { OutputRecorder } from './output-recorder.js';
import {
  findProcess,
  lowestPidSince,
  MARKER_NAME,
  type ProcessTable,
  readProcessTable,
} from './process-table.js';
import { killExactly, type ProgramRegistry } from './registry.js';

/** What to run. The command is never passed to a shell. */
export interface ProgramSpec {
  readonly command: string;
  readonly args: readonly string[];
  readonly workingDirectory: string;
  /** The whole environment of the program; the marker is added. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** `closed`: the program sees the end of its input immediately. */
  readonly input: 'open' | 'closed';
  readonly onLine: (line: string) => void;
  readonly onOversizedLine?: ((line: OversizedLine) => void) | undefined;
  /** Called after the last line, when its output has ended; the program may live on. */
  readonly onOutputEnd?: (() => void) | undefined;
  /** Where to keep the full output, redacted and bounded (see `OutputLog`). */
  readonly logPath?: string | undefined;
  /** Receives everything the program writes, as it arrives. */
  readonly onOutput?: ((stream: 'stdout' | 'stderr', chunk: Buffer) => void) | undefined;
  readonly maxLineBytes?: number | undefined;
  /**
   * Set if a model decides what it does: then its processes are followed while it runs, and any that may be left are
   * reported.
   */
  readonly isAgent?: boolean | undefined;
}

/** How a program ended. */
export interface ProgramExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** What it may have left behind; absent if nothing. */
  readonly leftBehind?: readonly LeftProcess[] | undefined;
}

export interface StopOptions {
  /** The protocol's goodbye, sent before the input is closed. */
  readonly goodbye?: (() => void) | undefined;
  /** How long it may take to exit by itself; 0 = it is killed at once. */
  readonly graceMs: number;
  /** How long it may take to obey SIGTERM. */
  readonly termMs: number;
}

export interface ProgramTools {
  readonly fileSystem: FileSystem;
  readonly clock: Clock;
  readonly log: Logger;
  readonly registry: ProgramRegistry;
}

const MAX_LINE_BYTES = 64 * 1024 * 1024;
const STDERR_TAIL_BYTES = 64 * 1024;
/** A grandchild may hold the pipe open forever; what it still writes is not the program's output. */
const DRAIN_MS = 250;
/** How often we check the pipes again, as long as there is something in them. */
const DRAIN_ROUNDS = 50;
const SWEEP_ROUNDS = 20;

/**
 * Starts a program in a process group (and session) of its own, marked in its environment, with both outputs drained
 * from the first byte. Throws PROGRAM_NOT_STARTED; then no process and no record is left.
 */
export async function startProgram(tools: ProgramTools, spec: ProgramSpec): Promise<Program> {
  const marker = tools.registry.announce(spec.command, tools.clock.now(), { isAgent: spec.isAgent });
  let child: ChildProcess;
  try {
    child = tools.registry.inGroup(marker, () =>
      spawn(spec.command, [...spec.args], {
        cwd: spec.workingDirectory,
        env: { ...definedOnly(spec.environment), [MARKER_NAME]: marker },
        stdio: [spec.input === 'open' ? 'pipe' : 'ignore', 'pipe', 'pipe'],
        detached: true,
        windowsHide: true,
      }),
    );
  } catch (error) {
    tools.registry.forget(marker);
    throw new ProgramNotStartedError(spec.command, error);
  }
  const program = new Program(tools, spec, child, marker);
  try {
    await program.spawned;
  } catch (error) {
    tools.registry.forget(marker);
    throw new ProgramNotStartedError(spec.command, error);
  }
  return program;
}

/** A program that is running, or has run. */
export class Program {
  readonly command: string;
  readonly marker: string;
  readonly pid: number;
  /** Resolves when the process is running. */
  readonly spawned: Promise<void>;
  /** Resolves when the process has ended and its output has been read, as far as it arrived in time. */
  readonly exited: Promise<ProgramExit>;
  readonly #tools: ProgramTools;
  readonly #child: ChildProcess;
  readonly #spec: ProgramSpec;
  readonly #family: Family | undefined;
  readonly #startedAtMs = performance.now();
  #stderrTail = Buffer.alloc(0);
  #bytesRead = 0;
  #exit: ProgramExit | undefined;
  #stopping: Promise<ProgramExit> | undefined;

  constructor(tools: ProgramTools, spec: ProgramSpec, child: ChildProcess, marker: string) {
    this.#tools = tools;
    this.#child = child;
    this.command = spec.command;
    this.marker = marker;
    this.pid = child.pid ?? -1;
    this.#spec = spec;
    this.#family =
      child.pid === undefined
        ? undefined
        : tools.registry.follow(marker, child.pid, { isAgent: spec.isAgent });
    this.spawned = new Promise((resolve, reject) => {
      child.once('spawn', resolve);
      child.once('error', reject);
    });
    this.#drain(spec);
    this.exited = this.#watchExit();
    // The writer learns that the program is gone; the stream's own error must not bring us down.
    child.stdin?.on('error', () => {});
  }

  /** How it ended; undefined while it is running. */
  get exit(): ProgramExit | undefined {
    return this.#exit;
  }

  /** The last 64 kB of what it wrote to stderr, for error messages. */
  get stderrTail(): string {
    return this.#stderrTail.toString('utf8');
  }

  /** Writes one line to its input and waits until the pipe has taken it. Throws PROGRAM_INPUT_CLOSED. */
  writeLine(line: string): Promise<void> {
    const { stdin } = this.#child;
    return new Promise((resolve, reject) => {
      if (stdin === null || !stdin.writable) return reject(new ProgramInputClosedError(this.command));
      stdin.write(`${line}\n`, (error) => {
        if (error) reject(new ProgramInputClosedError(this.command, error));
        else resolve();
      });
    });
  }

  /** Ends its input, after these last words if there are any; a program that is gone does not get them. */
  closeInput(lastWords = ''): void {
    this.#child.stdin?.end(lastWords);
  }

  /**
   * Ends the program and its whole tree: goodbye, end of input, grace, SIGTERM to the group, SIGKILL, then a sweep for
   * processes that left the group but are known to belong to it. Calling it again joins the first call.
   */
  stop(options: StopOptions): Promise<ProgramExit> {
    // Once a process is gone, nobody can tell which children it had.
    if (this.#stopping === undefined && this.#spec.isAgent === true) this.#look();
    if (options.graceMs === 0) this.#signalGroup('SIGKILL');
    this.#stopping ??= this.#stop(options);
    return this.#stopping;
  }

  async #stop({ goodbye, graceMs, termMs }: StopOptions): Promise<ProgramExit> {
    if (this.#exit === undefined && graceMs > 0) {
      goodbye?.();
      this.closeInput();
      await this.#exitWithin(graceMs);
    }
    if (this.#exit === undefined && graceMs > 0) {
      this.#signalGroup('SIGTERM');
      await this.#exitWithin(termMs);
    }
    this.#signalGroup('SIGKILL');
    const exit = await this.exited;
    const leftBehind = this.#escapesIn(await this.#sweep());
    this.#tools.registry.forget(this.marker);
    if (leftBehind.length === 0) return exit;
    this.#tools.log.warn('program.left-behind', { processes: leftBehind });
    return { ...exit, leftBehind };
  }

  /** Ends processes known to be ours that are no longer in our group: agents start their tools in sessions of their own. */
  async #sweep(): Promise<ProcessTable> {
    const group = this.#tools.registry.groupOf(this.marker);
    for (let round = 0; ; round++) {
      const table = readProcessTable(this.#tools.fileSystem, this.#lowestPid());
      const left = this.#family?.learn(this.#tools.fileSystem, table) ?? [];
      const isPopulated = group?.isPopulated === true;
      if (left.length === 0 && !isPopulated) return table;
      if (round === SWEEP_ROUNDS) {
        this.#tools.log.warn('program.survivors', { pid: this.pid, marker: this.marker });
        return table;
      }
      for (const entry of left) killExactly(this.#tools.fileSystem, entry, 'SIGKILL');
      if (isPopulated) this.#killGroup(group);
      await this.#tools.clock.sleep(round);
    }
  }

  /**
   * The lowest pid of what may belong to it. For an agent that is any pid, because it may have asked another process to
   * start something.
   */
  #lowestPid(): number {
    if (this.#spec.isAgent === true) return 0;
    return lowestPidSince(this.#tools.fileSystem, this.pid, performance.now() - this.#startedAtMs);
  }

  #killGroup(group: ControlGroup | null): void {
    try {
      group?.kill();
    } catch (error) {
      this.#tools.log.debug('program.group-not-killed', { path: group?.path, error: messageOf(error) });
    }
  }

  #look(): void {
    this.#family?.learn(this.#tools.fileSystem, readProcessTable(this.#tools.fileSystem));
  }

  #escapesIn(table: ProcessTable): LeftProcess[] {
    if (this.#spec.isAgent !== true || this.#family === undefined) return [];
    return findEscapes(this.#tools.fileSystem, table, this.#family, this.#spec);
  }

  /**
   * Signals the group. Its number is ours while the leader runs and, after that, while members are left: until then
   * nobody else gets the leader's pid. A process that has it after our leader ended belongs to someone else.
   */
  #signalGroup(signal: NodeJS.Signals): void {
    if (this.pid < 1) return;
    const hasEnded = this.#child.exitCode !== null || this.#child.signalCode !== null;
    if (hasEnded && findProcess(this.#tools.fileSystem, this.pid) !== undefined) return;
    try {
      process.kill(-this.pid, signal);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code !== 'ESRCH')
        this.#tools.log.warn('program.signal-failed', { pid: this.pid, signal, error: code });
    }
  }

  async #exitWithin(ms: number): Promise<void> {
    const timer = new AbortController();
    const tooLate = this.#tools.clock.sleep(ms, timer.signal).catch(() => {});
    await Promise.race([this.exited, tooLate]);
    timer.abort();
  }

  #drain(spec: ProgramSpec): void {
    const maxBytes = spec.maxLineBytes ?? MAX_LINE_BYTES;
    const onOversized = spec.onOversizedLine ?? (() => {});
    const splitter = new LineSplitter({ maxBytes, onLine: spec.onLine, onOversized });
    const recorder = spec.logPath === undefined ? undefined : this.#record(spec.logPath);
    this.#child.stdout?.on('data', (chunk: Buffer) => {
      this.#bytesRead += chunk.length;
      if (spec.isAgent === true) this.#tools.registry.sign();
      spec.onOutput?.('stdout', chunk);
      recorder?.push('stdout', chunk);
      splitter.push(chunk);
    });
    this.#child.stdout?.once('end', () => {
      splitter.end();
      spec.onOutputEnd?.();
    });
    this.#child.stderr?.on('data', (chunk: Buffer) => {
      this.#bytesRead += chunk.length;
      spec.onOutput?.('stderr', chunk);
      recorder?.push('stderr', chunk);
      this.#stderrTail = Buffer.concat([this.#stderrTail, chunk]).subarray(-STDERR_TAIL_BYTES);
    });
    this.#child.once('close', () => recorder?.end());
  }

  #record(path: string): OutputRecorder {
    return new OutputRecorder(new OutputLog(this.#tools.fileSystem, path), (error) =>
      this.#tools.log.warn('program.log-ended', { path, error: messageOf(error) }),
    );
  }

  /** `exit` is about the process itself; `close` would wait for every grandchild that holds a pipe. */
  #watchExit(): Promise<ProgramExit> {
    return new Promise((resolve) => {
      this.#child.once('exit', (code, signal) => {
        this.#family?.loseLeader();
        const exit = { code, signal };
        const settle = () => {
          this.#child.stdout?.destroy();
          this.#child.stderr?.destroy();
          this.#exit = exit;
          resolve(exit);
        };
        const timer = setTimeout(() => this.#readOn(settle), DRAIN_MS);
        this.#child.once('close', () => {
          clearTimeout(timer);
          settle();
        });
      });
    });
  }

  /** When we were busy, the timer may fire before the pipes were read: their content is read before it counts as too late. */
  #readOn(settle: () => void, round = 0, bytesBefore = -1): void {
    const bytes = this.#bytesRead;
    if (bytes === bytesBefore || round === DRAIN_ROUNDS) settle();
    else setImmediate(() => this.#readOn(settle, round + 1, bytes));
  }
}

/** An environment without the variables that are not set. */
export function definedOnly(
  environment: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  const defined: Record<string, string> = {};
  for (const [name, value] of Object.entries(environment)) if (value !== undefined) defined[name] = value;
  return defined;
}
