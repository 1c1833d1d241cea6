import { messageOf, throwIfAborted } from '../../foundation/index.js';
import { type Program, type ProgramExit, type ProgramSpec, startProgram } from '../../programs/index.js';
import { describeDeath } from '../describe-exit.js';
import {
  type AgentCapabilities,
  type AgentConnection,
  type DriverTools,
  STOP_GRACE,
  type StartOptions,
} from '../driver.js';
import { AgentBusyError, AgentEndedError, AgentNotStartedError } from '../errors.js';
import type { AgentEvent, TurnEndReason, Usage } from '../events.js';
import { Exchange } from '../exchange.js';
import { formatPrompt, readAnswerLine, readContext } from './answer-line.js';
import { LineFeed } from './line-feed.js';
import type { LineRules } from './options.js';
import { QuietTimer } from './quiet-timer.js';

/** How long a marker without a line end must stand to count: the rest of its line may still be coming. */
const SETTLE_MS = 50;
const READY_MS = 60_000;
/** How long a program may take to leave after its output ended; one that stays can answer nothing more. */
const LEAVE_MS = 500;
const AT_ONCE = { graceMs: 0, termMs: 0 };
/** A cancelled turn needs SIGTERM: the end of input does not stop work in progress. */
const CANCEL_GRACE = { graceMs: 1, termMs: STOP_GRACE.termMs };

/** A program that speaks in lines; one process for the whole conversation. */
export class LineConnection implements AgentConnection {
  readonly capabilities: AgentCapabilities;
  readonly resumeHandle = null;
  readonly facts = { version: null, model: null };
  readonly #tools: DriverTools;
  readonly #rules: LineRules;
  readonly #feed: LineFeed;
  readonly #quiet: QuietTimer;
  /** Sent ahead of the first prompt. */
  #preface: string | null;
  #program: Program | null = null;
  #exchange: Exchange | null = null;
  #usage: Usage | null = null;
  #onReady: (() => void) | null = null;
  /** How the current exchange ends if the program is stopped. */
  #stopReason: { reason: TurnEndReason; message: string | null } | null = null;
  #isEnding = false;
  #hasOutputEnded = false;
  /** Everything that happens after the program exits. */
  #aftermath: Promise<void> = Promise.resolve();
  #detach: (() => void) | null = null;

  private constructor(tools: DriverTools, rules: LineRules, capabilities: AgentCapabilities) {
    this.#tools = tools;
    this.#rules = rules;
    this.capabilities = capabilities;
    this.#preface = null;
    this.#quiet = new QuietTimer(tools.clock);
    this.#feed = new LineFeed(
      (line) => this.#takeLine(line),
      (bytes) =>
        this.#exchange?.push({ type: 'error', message: `left out a line of ${bytes} bytes`, status: null }),
    );
  }

  /** Starts the program. Throws PROGRAM_NOT_STARTED, AGENT_NOT_STARTED; then nothing is left running. */
  static async start(
    tools: DriverTools,
    rules: LineRules,
    capabilities: AgentCapabilities,
    options: StartOptions,
  ): Promise<LineConnection> {
    const connection = new LineConnection(tools, rules, capabilities);
    connection.#preface = options.systemPrompt ?? null;
    const program = await startProgram(tools, connection.#spec(options));
    connection.#program = program;
    connection.#aftermath = program.exited.then((exit) => connection.#afterExit(program, exit));
    if (connection.#hasOutputEnded) void connection.#leaveOrStop(program, 'it closed its output');
    if (rules.showsMarkerWhenReady) await connection.#untilReady(program, options);
    return connection;
  }

  get pid(): number | null {
    return this.#program === null || this.#program.exit !== undefined ? null : this.#program.pid;
  }

  prompt(
    text: string,
    options: { readonly signal?: AbortSignal | undefined } = {},
  ): AsyncIterable<AgentEvent> {
    const program = this.#program;
    if (program === null || program.exit !== undefined || this.#isEnding) throw new AgentEndedError();
    if (this.#exchange !== null) throw new AgentBusyError();
    const exchange = new Exchange(() => void this.cancel());
    const whole = formatPrompt(this.#preface === null ? text : `${this.#preface}\n\n${text}`, this.#rules);
    if (whole === null) {
      exchange.finish('failed', 'one line of the prompt is the line that ends a prompt');
      return exchange;
    }
    this.#preface = null;
    // Output since the last answer does not belong to this one.
    this.#feed.flush();
    this.#exchange = exchange;
    this.#obey(options.signal);
    if (!this.#isEnding) void this.#send(program, whole);
    return exchange;
  }

  async cancel(): Promise<void> {
    if (this.#exchange !== null) await this.#stop(CANCEL_GRACE, 'cancelled');
  }

  end(): Promise<ProgramExit | null> {
    return this.#stop(STOP_GRACE, 'cancelled');
  }

  terminate(): Promise<ProgramExit | null> {
    return this.#stop(AT_ONCE, 'cancelled');
  }

  #spec(options: StartOptions): ProgramSpec {
    return {
      command: options.command,
      args: options.args,
      workingDirectory: options.workingDirectory,
      environment: options.environment,
      logPath: options.logPath,
      isAgent: true,
      input: 'open',
      // Lines are split here instead, because the unfinished last one matters too.
      onLine: () => {},
      maxLineBytes: 0,
      onOutput: (stream, chunk) => {
        options.onOutput?.(stream, chunk);
        if (stream === 'stdout') this.#takeChunk(chunk);
      },
      onOutputEnd: () => {
        this.#hasOutputEnded = true;
        if (this.#program !== null) void this.#leaveOrStop(this.#program, 'it closed its output');
      },
    };
  }

  /** Cancels the exchange when the signal fires, but not after its end. */
  #obey(signal: AbortSignal | undefined): void {
    const onAbort = () => void this.cancel();
    this.#detach = () => signal?.removeEventListener('abort', onAbort);
    signal?.addEventListener('abort', onAbort, { once: true });
    if (signal?.aborted) onAbort();
  }

  async #send(program: Program, text: string): Promise<void> {
    try {
      await program.writeLine(text);
    } catch (error) {
      await this.#leaveOrStop(program, messageOf(error));
    }
  }

  #takeChunk(chunk: Buffer): void {
    this.#quiet.stop();
    this.#feed.push(chunk);
    const isAwaited = this.#exchange !== null || this.#onReady !== null;
    const { openLine } = this.#feed;
    if (isAwaited && openLine !== null && readAnswerLine(openLine, this.#rules).end !== null) {
      this.#quiet.restart(SETTLE_MS, () => this.#feed.flush());
    } else if (this.#exchange !== null && this.#rules.idleMs !== null) {
      this.#quiet.restart(this.#rules.idleMs, () => {
        this.#feed.flush();
        this.#finish('completed');
      });
    }
  }

  #takeLine(line: string): void {
    const { text, end } = readAnswerLine(line, this.#rules);
    if (end !== null) this.#onReady?.();
    const exchange = this.#exchange;
    if (exchange === null) return;
    this.#usage = readContext(line, this.#rules) ?? this.#usage;
    if (text !== null) exchange.push({ type: 'text', text: `${text}\n` });
    if (end !== null) this.#finish(end, end === 'failed' ? text : null);
  }

  #finish(reason: TurnEndReason, message: string | null = null): void {
    const exchange = this.#exchange;
    this.#exchange = null;
    this.#quiet.stop();
    this.#detach?.();
    this.#detach = null;
    if (this.#usage !== null) exchange?.push({ type: 'usage', usage: this.#usage });
    this.#usage = null;
    exchange?.finish(reason, message);
  }

  /** Stops the program; a second call can only be more urgent. The current exchange ends for the given reason. */
  async #stop(
    grace: { readonly graceMs: number; readonly termMs: number },
    reason: TurnEndReason,
    message: string | null = null,
  ): Promise<ProgramExit | null> {
    const program = this.#program;
    if (program === null) return null;
    this.#isEnding = true;
    this.#stopReason ??= { reason, message };
    const { goodbye } = this.#rules;
    const sayGoodbye = () => {
      // A program that does not hear it is stopped anyway.
      if (goodbye !== null) program.writeLine(goodbye).catch(() => {});
    };
    const exit = await program.stop({ ...grace, goodbye: sayGoodbye });
    await this.#aftermath;
    return exit;
  }

  /** A program that has closed one of its ends is about to leave, or of no more use. */
  async #leaveOrStop(program: Program, message: string): Promise<void> {
    const waiting = new AbortController();
    void program.exited.then(() => waiting.abort());
    await this.#tools.clock.sleep(LEAVE_MS, waiting.signal).catch(() => {});
    if (program.exit === undefined) await this.#stop(AT_ONCE, 'died', message);
  }

  /** Ends whatever the program left behind first, so that nothing still runs once the exchange has ended. */
  async #afterExit(program: Program, exit: ProgramExit): Promise<void> {
    this.#feed.flush();
    try {
      await program.stop(AT_ONCE);
    } catch (error) {
      this.#tools.log.warn('line.not-swept', { pid: program.pid, error: messageOf(error) });
    }
    this.#onReady?.();
    const { reason, message } = this.#stopReason ?? this.#reasonOf(exit, program);
    this.#finish(reason, message);
  }

  #reasonOf(exit: ProgramExit, program: Program): { reason: TurnEndReason; message: string | null } {
    if (this.#rules.exitCompletes && exit.code === 0) return { reason: 'completed', message: null };
    const message = describeDeath('the program', exit, program);
    return { reason: this.#rules.exitCompletes && exit.code !== null ? 'failed' : 'died', message };
  }

  async #untilReady(program: Program, { name, command, signal }: StartOptions): Promise<void> {
    const waiting = new AbortController();
    const stopWaiting = () => waiting.abort();
    let isReady = false;
    this.#onReady = () => {
      isReady = program.exit === undefined;
      stopWaiting();
    };
    signal?.addEventListener('abort', stopWaiting, { once: true });
    await this.#tools.clock.sleep(READY_MS, waiting.signal).catch(() => {});
    signal?.removeEventListener('abort', stopWaiting);
    this.#onReady = null;
    if (isReady && signal?.aborted !== true) return;
    const reason = program.exit === undefined ? 'it showed no end marker' : 'it ended';
    await this.terminate();
    throwIfAborted(signal, 'Starting the agent');
    throw new AgentNotStartedError(name ?? command, reason, { output: program.stderrTail });
  }
}
