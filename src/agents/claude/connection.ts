import { messageOf, throwIfAborted } from '../../foundation/index.js';
import { type Program, type ProgramExit, type StopOptions, startProgram } from '../../programs/index.js';
import { describeDeath } from '../describe-exit.js';
import {
  type AgentCapabilities,
  type AgentConnection,
  CANCEL_GRACE_MS,
  type DriverTools,
  type ResumeHandle,
  STOP_GRACE,
  type StartOptions,
} from '../driver.js';
import { AgentBusyError, AgentEndedError } from '../errors.js';
import type { AgentEvent, TurnEnd } from '../events.js';
import { Exchange } from '../exchange.js';
import { onGround } from '../permission.js';
import { claudeArguments } from './command.js';
import { Permissions } from './permissions.js';
import { type ClaudeOutput, ClaudeReader } from './read.js';

const AT_ONCE = { graceMs: 0, termMs: 0 } as const;

/** A running exchange and its end, for those who wait for it. */
interface Turn {
  readonly exchange: Exchange;
  readonly over: Promise<void>;
  settle(): void;
  cancelling: Promise<void> | undefined;
}

/** A conversation with one Claude Code process. */
export class ClaudeConnection implements AgentConnection {
  readonly capabilities: AgentCapabilities;
  readonly #tools: DriverTools;
  readonly #options: StartOptions;
  readonly #sessionId: string;
  readonly #reader: ClaudeReader;
  readonly #permissions: Permissions;
  #program: Program | undefined;
  #turn: Turn | undefined;
  /** We ended it, or its death was told. */
  #isEnded = false;
  /** How a turn ended that nobody asked for: of a process that gives up before its first prompt, this is the reason. */
  #unaskedEnd: TurnEnd | undefined;

  constructor(tools: DriverTools, options: StartOptions, capabilities: AgentCapabilities) {
    this.capabilities = capabilities;
    this.#tools = tools;
    this.#options = options;
    this.#sessionId = options.resume?.id ?? tools.ids.uuid();
    const { resume } = options;
    this.#reader = new ClaudeReader({ isResumed: resume !== undefined });
    this.#permissions = new Permissions({
      policy: onGround(options.permissions, {
        fileSystem: tools.fileSystem,
        workingDirectory: options.workingDirectory,
      }),
      mcpServers: options.mcpServers,
      send: (message) => this.#send(message),
      onEvent: (event) => this.#push(event),
    });
  }

  get resumeHandle(): ResumeHandle {
    return { driver: 'claude', id: this.#reader.sessionId ?? this.#sessionId };
  }

  get pid(): number | null {
    return this.#program?.exit === undefined ? (this.#program?.pid ?? null) : null;
  }

  get facts(): { readonly version: string | null; readonly model: string | null } {
    return this.#reader.facts;
  }

  /** Throws PROGRAM_NOT_STARTED, ABORTED. */
  async start(): Promise<void> {
    const { command, workingDirectory, environment, onOutput, logPath, signal } = this.#options;
    const program = await startProgram(this.#tools, {
      command,
      args: claudeArguments(this.#options, this.#sessionId),
      workingDirectory,
      environment,
      isAgent: true,
      input: 'open',
      onOutput,
      logPath,
      onLine: (line) => this.#take(this.#reader.read(line)),
      onOversizedLine: ({ bytes }) =>
        this.#push({ type: 'error', message: `A line of ${bytes} bytes was left out`, status: null }),
      // Without its output there is no turn that could end.
      onOutputEnd: () => void this.#stopQuietly(STOP_GRACE),
    });
    this.#program = program;
    void program.exited.then((exit) => this.#onExit(program, exit));
    if (signal?.aborted) await this.terminate();
    throwIfAborted(signal, 'The start of the agent');
  }

  prompt(text: string, { signal }: { readonly signal?: AbortSignal | undefined } = {}): Exchange {
    const program = this.#program;
    if (this.#isEnded || program === undefined) throw new AgentEndedError();
    if (this.#turn !== undefined) throw new AgentBusyError();
    const exchange = new Exchange(() => void this.cancel());
    const turn = this.#begin(exchange, signal);
    if (signal?.aborted) this.#push({ type: 'turn-end', reason: 'cancelled', message: null });
    else if (program.exit !== undefined) this.#tellDeath(program, program.exit);
    else {
      const line = JSON.stringify({ type: 'user', message: { role: 'user', content: text } });
      // Whoever does not read our prompt will not answer it either.
      program.writeLine(line).catch(() => (this.#turn === turn ? this.#stopQuietly(AT_ONCE) : undefined));
    }
    return exchange;
  }

  async cancel(): Promise<void> {
    const turn = this.#turn;
    if (turn === undefined) return;
    turn.cancelling ??= this.#cancel(turn);
    await turn.cancelling;
  }

  async end(): Promise<ProgramExit | null> {
    this.#isEnded = true;
    const exit = await this.#program?.stop({ ...STOP_GRACE, goodbye: () => this.#interrupt() });
    return exit ?? null;
  }

  async terminate(): Promise<ProgramExit | null> {
    this.#isEnded = true;
    return (await this.#program?.stop(AT_ONCE)) ?? null;
  }

  #begin(exchange: Exchange, signal: AbortSignal | undefined): Turn {
    const onAbort = () => void this.cancel();
    let resolve = () => {};
    const over = new Promise<void>((settle) => {
      resolve = settle;
    });
    const settle = () => {
      signal?.removeEventListener('abort', onAbort);
      resolve();
    };
    signal?.addEventListener('abort', onAbort, { once: true });
    this.#turn = { exchange, over, settle, cancelling: undefined };
    return this.#turn;
  }

  async #cancel(turn: Turn): Promise<void> {
    this.#interrupt();
    const timer = new AbortController();
    const tooLate = this.#tools.clock.sleep(CANCEL_GRACE_MS, timer.signal).catch(() => {});
    await Promise.race([turn.over, tooLate]);
    timer.abort();
    if (!turn.exchange.isOver) await this.#stopQuietly(AT_ONCE);
  }

  #interrupt(): void {
    if (this.#turn === undefined) return;
    this.#reader.isCancelling = true;
    const request = { subtype: 'interrupt' };
    this.#send({ type: 'control_request', request_id: this.#tools.ids.uuid(), request });
    // Behind the interrupt: an agent that hears the denial first may go on with its turn and complete it.
    this.#permissions.denyAll('the turn was cancelled');
  }

  /** Writing to a program that does not read any more changes nothing: its exit ends the turn. */
  #send(message: object): void {
    this.#program?.writeLine(JSON.stringify(message)).catch(() => {});
  }

  #take(outputs: readonly ClaudeOutput[]): void {
    for (const output of outputs) {
      if (output.type === 'control-request') void this.#permissions.answer(output);
      else if (output.type === 'control-withdrawal') this.#permissions.withdraw(output.id);
      else this.#push(output);
    }
  }

  #push(event: AgentEvent): void {
    const turn = this.#turn;
    if (turn !== undefined) this.#unaskedEnd = undefined;
    else if (event.type === 'turn-end' && event.reason !== 'completed') this.#unaskedEnd = event;
    if (event.type === 'turn-end') this.#turn = undefined;
    turn?.exchange.push(event);
    if (event.type === 'turn-end') turn?.settle();
  }

  #onExit(program: Program, exit: ProgramExit): void {
    this.#take(this.#reader.end());
    this.#permissions.denyAll('the agent has ended');
    if (this.#turn !== undefined) this.#tellDeath(program, exit);
    // Ends what it left running and forgets it.
    void this.#stopQuietly(AT_ONCE);
  }

  /** For when nobody waits for it who could be told. */
  async #stopQuietly(options: StopOptions): Promise<void> {
    try {
      await this.#program?.stop(options);
    } catch (error) {
      this.#tools.log.warn('agent.stop-failed', { pid: this.#program?.pid, error: messageOf(error) });
    }
  }

  #tellDeath(program: Program, exit: ProgramExit): void {
    const isOurs = this.#isEnded || this.#turn?.cancelling !== undefined;
    const message = describeDeath('Claude Code', exit, program);
    const died = { type: 'turn-end', reason: isOurs ? 'cancelled' : 'died', message } as const;
    this.#isEnded = true;
    this.#push(isOurs ? died : (this.#unaskedEnd ?? died));
  }
}
