import { messageOf } from '../../foundation/index.js';
import { type Program, type ProgramExit, type StopOptions, startProgram } from '../../programs/index.js';
import { describeDeath, tailOf } from '../describe-exit.js';
import {
  type AgentCapabilities,
  type AgentConnection,
  type DriverTools,
  type ResumeHandle,
  STOP_GRACE,
  type StartOptions,
} from '../driver.js';
import { AgentBusyError, AgentEndedError } from '../errors.js';
import type { TurnEnd } from '../events.js';
import { Exchange } from '../exchange.js';
import { codexCommand } from './command.js';
import { CodexReader } from './read.js';
import { UsageMeter } from './usage.js';

/** Codex does not look at its input while it works, so waiting for it to leave would be in vain. */
const CANCEL = { graceMs: 1, termMs: STOP_GRACE.termMs } as const;
const AT_ONCE = { graceMs: 0, termMs: 0 } as const;
const UNKNOWN_THREAD = /no rollout found/i;

/** The process of an exchange; it may take a moment to leave after the end of it. */
interface Running {
  readonly program: Program;
  readonly exchange: Exchange;
  /** We ended it. */
  isStopped: boolean;
}

/** A conversation with Codex; a process runs only while it answers. */
export class CodexConnection implements AgentConnection {
  readonly capabilities: AgentCapabilities;
  readonly facts: { readonly version: string | null; readonly model: string | null };
  readonly #tools: DriverTools;
  readonly #options: StartOptions;
  readonly #usage: UsageMeter;
  #threadId: string | null;
  #exchange: Exchange | undefined;
  #running: Running | undefined;
  /** Until the process of the exchange before is gone: two of them must not write to one thread. */
  #last: Promise<void> = Promise.resolve();
  #lastExit: ProgramExit | null = null;
  #isEnded = false;
  #mustTellAsk: boolean;
  #processes = 0;

  constructor(
    tools: DriverTools,
    options: StartOptions,
    known: { readonly capabilities: AgentCapabilities; readonly version: string | null },
  ) {
    this.capabilities = known.capabilities;
    this.facts = { version: known.version, model: options.model ?? null };
    this.#tools = tools;
    this.#options = options;
    this.#usage = new UsageMeter({ isResumed: options.resume !== undefined });
    this.#threadId = options.resume?.id ?? null;
    this.#mustTellAsk = options.permissions.mode === 'ask';
  }

  get resumeHandle(): ResumeHandle | null {
    return this.#threadId === null ? null : { driver: 'codex', id: this.#threadId };
  }

  get pid(): number | null {
    if (this.#running === undefined || this.#running.exchange.isOver) return null;
    return this.#running.program.pid;
  }

  prompt(text: string, { signal }: { readonly signal?: AbortSignal | undefined } = {}): Exchange {
    if (this.#isEnded) throw new AgentEndedError();
    if (this.#exchange?.isOver === false) throw new AgentBusyError();
    const exchange = new Exchange(() => void this.cancel());
    this.#exchange = exchange;
    if (signal?.aborted) {
      exchange.finish('cancelled');
      return exchange;
    }
    const onAbort = () => void this.cancel();
    signal?.addEventListener('abort', onAbort, { once: true });
    this.#last = this.#last
      .then(() => this.#answer(exchange, text))
      .finally(() => signal?.removeEventListener('abort', onAbort));
    return exchange;
  }

  async cancel(): Promise<void> {
    if (this.#exchange?.isOver !== false) return;
    if (this.#running?.exchange === this.#exchange) await this.#stop(CANCEL);
    else this.#exchange.finish('cancelled');
  }

  async end(): Promise<ProgramExit | null> {
    this.#isEnded = true;
    return await this.#endAll(STOP_GRACE);
  }

  async terminate(): Promise<ProgramExit | null> {
    this.#isEnded = true;
    return await this.#endAll(AT_ONCE);
  }

  async #endAll(options: StopOptions): Promise<ProgramExit | null> {
    await this.#stop(options);
    await this.#last;
    return this.#lastExit;
  }

  async #stop(options: StopOptions): Promise<void> {
    const running = this.#running;
    // Its process has not started yet, and will not.
    if (running?.exchange !== this.#exchange) this.#exchange?.finish('cancelled');
    if (running === undefined) return;
    running.isStopped = true;
    await this.#stopQuietly(options);
    running.exchange.finish('cancelled');
  }

  /** Never throws: whatever goes wrong ends the exchange. */
  async #answer(exchange: Exchange, text: string): Promise<void> {
    if (exchange.isOver) return; // cancelled before its turn came
    try {
      this.#tellAsk(exchange);
      await this.#run(exchange, text);
    } catch (error) {
      exchange.finish('failed', messageOf(error));
    }
  }

  async #run(exchange: Exchange, text: string): Promise<void> {
    const reader = new CodexReader(this.#usage);
    const running = await this.#start(exchange, reader, text);
    const exit = await running.program.exited;
    this.#lastExit = exit;
    if (!exchange.isOver) exchange.push(endWithoutWord(running, exit, reader));
    // Ends what it left running and forgets it.
    await running.program.stop(AT_ONCE);
    this.#running = undefined;
  }

  async #start(exchange: Exchange, reader: CodexReader, text: string): Promise<Running> {
    const { command, workingDirectory, environment, onOutput } = this.#options;
    const { args, input } = codexCommand(this.#options, this.#threadId, text);
    const program = await startProgram(this.#tools, {
      command,
      args,
      workingDirectory,
      environment,
      input: input === undefined ? 'closed' : 'open',
      onOutput,
      logPath: this.#nextLogPath(),
      onLine: (line) => {
        for (const event of reader.read(line)) exchange.push(event);
        this.#threadId = reader.threadId ?? this.#threadId;
        if (exchange.isOver) void this.#stopQuietly(STOP_GRACE);
      },
      onOversizedLine: ({ bytes }) =>
        exchange.push({ type: 'error', message: `A line of ${bytes} bytes was left out`, status: null }),
      // Without its output there is no turn that could end.
      onOutputEnd: () => void this.#stopQuietly(STOP_GRACE),
    });
    this.#running = { program, exchange, isStopped: false };
    if (exchange.isOver)
      void this.#stopQuietly(AT_ONCE); // cancelled while it started
    // A program that does not read any more leaves, and that ends the turn.
    else if (input !== undefined) program.closeInput(input);
    return this.#running;
  }

  /** A log begins anew with its program, so each has its own. */
  #nextLogPath(): string | undefined {
    this.#processes += 1;
    const { logPath } = this.#options;
    return logPath === undefined || this.#processes === 1 ? logPath : `${logPath}-${this.#processes}`;
  }

  #tellAsk(exchange: Exchange): void {
    if (!this.#mustTellAsk) return;
    this.#mustTellAsk = false;
    const message = 'Codex cannot ask for permission over `exec`: it runs with the permissions `edits`';
    exchange.push({ type: 'error', message, status: null });
  }

  /** For when nobody waits for it who could be told. */
  async #stopQuietly(options: StopOptions): Promise<void> {
    try {
      await this.#running?.program.stop(options);
    } catch (error) {
      this.#tools.log.warn('agent.stop-failed', { error: messageOf(error) });
    }
  }
}

/** Exit codes prove nothing: without a last word the process died, unless it could not find the thread. */
function endWithoutWord({ program, isStopped }: Running, exit: ProgramExit, reader: CodexReader): TurnEnd {
  const tail = tailOf(program);
  const isUnknown = reader.threadId === null && UNKNOWN_THREAD.test(tail);
  const message = isUnknown ? tail : describeDeath('Codex', exit, program);
  if (isStopped) return { type: 'turn-end', reason: 'cancelled', message };
  return { type: 'turn-end', reason: isUnknown ? 'failed' : 'died', message };
}
