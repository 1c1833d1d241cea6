import { throwIfAborted } from '../../foundation/index.js';
import { type ProgramExit, startProgram } from '../../programs/index.js';
import {
  type AgentCapabilities,
  type AgentConnection,
  type DriverTools,
  type ResumeHandle,
  STOP_GRACE,
  type StartOptions,
} from '../driver.js';
import type { AgentEvent, TurnEnd } from '../events.js';
import type { Exchange } from '../exchange.js';
import { AT_ONCE, ExchangeGate } from '../exchange-gate.js';
import { onGround } from '../permission.js';
import { claudeArguments } from './command.js';
import { Permissions } from './permissions.js';
import { type ClaudeOutput, ClaudeReader } from './read.js';

/** A conversation with one Claude Code process. */
export class ClaudeConnection implements AgentConnection {
  readonly capabilities: AgentCapabilities;
  readonly #tools: DriverTools;
  readonly #options: StartOptions;
  readonly #sessionId: string;
  readonly #reader: ClaudeReader;
  readonly #permissions: Permissions;
  readonly #gate: ExchangeGate<object>;
  /** The end of a turn we did not start: for a process that gives up before its first prompt, this is the reason. */
  #unaskedEnd: TurnEnd | undefined;

  constructor(tools: DriverTools, options: StartOptions, capabilities: AgentCapabilities) {
    this.capabilities = capabilities;
    this.#tools = tools;
    this.#options = options;
    this.#sessionId = options.resume?.id ?? tools.ids.uuid();
    const { resume } = options;
    this.#reader = new ClaudeReader({ isResumed: resume !== undefined });
    this.#gate = new ExchangeGate({
      tools,
      name: 'Claude Code',
      interrupt: () => this.#interrupt(),
      beforeEvent: (event) => this.#noteUnasked(event),
      onExit: () => {
        this.#take(this.#reader.end());
        this.#permissions.denyAll('the agent has ended');
      },
      explainDeath: () => this.#unaskedEnd,
    });
    this.#permissions = new Permissions({
      policy: onGround(options.permissions, {
        fileSystem: tools.fileSystem,
        workingDirectory: options.workingDirectory,
      }),
      mcpServers: options.mcpServers,
      send: (message) => this.#send(message),
      onEvent: (event) => this.#gate.push(event),
    });
  }

  get resumeHandle(): ResumeHandle {
    return { driver: 'claude', id: this.#reader.sessionId ?? this.#sessionId };
  }

  get pid(): number | null {
    return this.#gate.pid;
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
        this.#gate.push({ type: 'error', message: `A line of ${bytes} bytes was left out`, status: null }),
      // Without its output no turn could end.
      onOutputEnd: () => void this.#gate.stopQuietly(STOP_GRACE),
    });
    this.#gate.attach(program);
    if (signal?.aborted) await this.terminate();
    throwIfAborted(signal, 'The start of the agent');
  }

  prompt(text: string, { signal }: { readonly signal?: AbortSignal | undefined } = {}): Exchange {
    const open = this.#gate.begin(signal, {});
    if (open.exchange.isOver) return open.exchange;
    const line = JSON.stringify({ type: 'user', message: { role: 'user', content: text } });
    // A program that does not read our prompt will not answer it either.
    this.#gate.program
      ?.writeLine(line)
      .catch(() => (this.#gate.open === open ? this.#gate.stopQuietly(AT_ONCE) : undefined));
    return open.exchange;
  }

  cancel(): Promise<void> {
    return this.#gate.cancel();
  }

  end(): Promise<ProgramExit | null> {
    return this.#gate.end();
  }

  terminate(): Promise<ProgramExit | null> {
    return this.#gate.terminate();
  }

  #interrupt(): void {
    if (this.#gate.open === undefined) return;
    this.#reader.isCancelling = true;
    const request = { subtype: 'interrupt' };
    this.#send({ type: 'control_request', request_id: this.#tools.ids.uuid(), request });
    // After the interrupt: an agent that hears the denial first may continue its turn and complete it.
    this.#permissions.denyAll('the turn was cancelled');
  }

  /** A failed write to a program that no longer reads changes nothing: its exit ends the turn. */
  #send(message: object): void {
    this.#gate.program?.writeLine(JSON.stringify(message)).catch(() => {});
  }

  #take(outputs: readonly ClaudeOutput[]): void {
    for (const output of outputs) {
      if (output.type === 'control-request') void this.#permissions.answer(output);
      else if (output.type === 'control-withdrawal') this.#permissions.withdraw(output.id);
      else this.#gate.push(output);
    }
  }

  #noteUnasked(event: AgentEvent): void {
    if (this.#gate.open !== undefined) this.#unaskedEnd = undefined;
    else if (event.type === 'turn-end' && event.reason !== 'completed') this.#unaskedEnd = event;
  }
}
