import { type AgentConnection, type AgentEvent, dollarsOf, type ResumeHandle } from '../../agents/index.js';
import {
  allows,
  type Clock,
  type Logger,
  messageOf,
  next,
  redact,
  timestamp,
} from '../../foundation/index.js';
import { isRunning, type ProgramExit } from '../../programs/index.js';
import type { DirectoryWatch, FileSystem } from '../../storage/index.js';
import { type ContextLevel, type ContextThresholds, ContextTracker } from './context-tracker.js';
import { ProcessNotReadyError, ProcessStartError, PromptTimedOutError, type TimeoutKind } from './errors.js';
import { Gatherer } from './gatherer.js';
import { canExecute, isOver, type ProcessEvent, type ProcessState, processLifecycle } from './lifecycle.js';
import { Measuring, type Workbench } from './measure.js';
import { ExchangeWatch, type Patience } from './patience.js';
import { type PromptResponse, responseOf } from './response.js';
import { handleIn, type ProcessFile, type StopMode } from './schema.js';
import type { HeldProcess } from './store.js';

/** What a session needs from its surroundings. */
export interface ProcessTools {
  readonly clock: Clock;
  readonly log: Logger;
  readonly fileSystem: FileSystem;
  readonly workbench?: Workbench | undefined;
}

export interface ProcessOptions {
  readonly patience?: Patience | undefined;
  /** How long the whole session may last; 0 or absent = forever. */
  readonly lifetimeMs?: number | undefined;
  readonly context?: ContextThresholds | undefined;
  /** For a reopened session: its previous record, which is restored if the agent does not start. */
  readonly before?: ProcessFile | undefined;
}

/** Starts the agent of a session; `onOutput` receives everything its program writes. */
export type StartConnection = (hooks: {
  readonly resume: ResumeHandle | undefined;
  readonly outputPath: string | undefined;
  readonly onOutput: (stream: 'stdout' | 'stderr', chunk: Buffer) => void;
  readonly signal: AbortSignal;
}) => Promise<AgentConnection>;

export interface ExecuteOptions extends Patience {
  readonly signal?: AbortSignal | undefined;
  readonly onEvent?: ((event: AgentEvent) => void) | undefined;
}

/** A change of a session, for its listeners. */
export type ProcessNotice =
  | { readonly type: 'state'; readonly from: ProcessState; readonly to: ProcessState }
  | { readonly type: 'context'; readonly level: ContextLevel; readonly percent: number };

/**
 * One agent process and its conversation. Only `ready` takes a prompt, one at a time. Every change of state is recorded
 * before it is acted on and reported to listeners; a terminal state is final.
 */
export class ProcessSession {
  readonly #tools: ProcessTools;
  readonly #options: ProcessOptions;
  readonly #owned: HeldProcess | undefined;
  readonly #context: ContextTracker;
  readonly #listeners = new Set<(notice: ProcessNotice) => void>();
  readonly #startedAtMs: number;
  readonly #firstPrompt: number;
  readonly #starting = new AbortController();
  /** Settles when nothing is being started any more. */
  #started: Promise<void> = Promise.resolve();
  #record: ProcessFile;
  #connection: AgentConnection | undefined;
  #gatherer: Gatherer | undefined;
  /** The state of the directory before the next prompt, if it was requested ahead of time. */
  #begun: Promise<Measuring> | undefined;
  #stopWatch: DirectoryWatch | undefined;
  #closing: Promise<ProgramExit | null> | undefined;
  #isLeft = false;

  /** `owned` is absent for a session that is not kept on disk. */
  constructor(
    tools: ProcessTools,
    record: ProcessFile,
    owned: HeldProcess | undefined,
    options: ProcessOptions = {},
  ) {
    this.#tools = tools;
    this.#record = record;
    this.#owned = owned;
    this.#options = options;
    this.#startedAtMs = tools.clock.monotonicMs();
    this.#firstPrompt = record.promptCount + 1;
    this.#context = new ContextTracker(options.context, (level, percent) => {
      this.#tell({ type: 'context', level, percent });
    });
  }

  get id(): string {
    return this.#record.id;
  }

  get state(): ProcessState {
    return this.#record.state;
  }

  /** The session's record. */
  get record(): Readonly<ProcessFile> {
    return this.#record;
  }

  /** Where everything the agent's program writes goes; null for a session that is not kept. */
  get outputPath(): string | null {
    return this.#owned?.outputPathFrom(this.#firstPrompt) ?? null;
  }

  get contextLevel(): ContextLevel {
    return this.#context.level;
  }

  /** How full the agent's context is, as far as known. */
  get contextPercent(): number {
    return this.#context.usagePercent();
  }

  get pid(): number | null {
    return this.#connection?.pid ?? null;
  }

  /** The model that answers, as reported by the agent or its launch; null if neither names one. */
  get model(): string | null {
    return this.#connection?.facts.model ?? this.#record.launch.model;
  }

  /** Calls back on every change of state and of the context level, until the returned function is called. */
  subscribe(listener: (notice: ProcessNotice) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Starts the agent. Throws PROCESS_START_FAILED; the record then says why, and nothing is left running. */
  start(start: StartConnection): Promise<void> {
    const started = this.#start(start);
    this.#started = started.catch(() => {});
    return started;
  }

  async #start(start: StartConnection): Promise<void> {
    if (this.state !== 'creating' || this.#connection !== undefined)
      throw new ProcessNotReadyError(this.id, this.state, 'start');
    try {
      this.#stopWatch = this.#owned?.onStop((mode) => this.#stop(mode));
      this.#connection = await start({
        resume: handleIn(this.#record) ?? undefined,
        outputPath: this.outputPath ?? undefined,
        onOutput: (stream, chunk) => this.#onOutput(stream, chunk),
        signal: this.#starting.signal,
      });
    } catch (error) {
      this.#recordFailedStart(messageOf(error));
      this.#leave();
      throw new ProcessStartError(this.id, error);
    }
    // The session may have been ended in the meantime; then the agent is no longer needed.
    if (isOver(this.state)) {
      await this.#connection.terminate();
      throw new ProcessStartError(this.id, new Error(`it was ${this.state} while it started`));
    }
    this.#move('start', { resume: this.#connection.resumeHandle ?? this.#record.resume });
  }

  /**
   * Takes the snapshot of the working directory for the next prompt now, while its sender is still recording things.
   * Changes from now on count as the agent's. Resolves once the snapshot is taken; nobody needs to wait for that.
   */
  async lookAhead(): Promise<void> {
    this.#begun = this.#look();
    await this.#begun;
  }

  #look(): Promise<Measuring> {
    return Measuring.begin(this.#tools, this.id, this.#record.launch.workingDirectory);
  }

  /**
   * Sends one prompt and waits for the end of its answer. Throws PROCESS_NOT_READY (nothing was sent),
   * PROMPT_TIMED_OUT (cancelled), STORAGE_FAILED (nothing was sent).
   */
  async execute(prompt: string, options: ExecuteOptions = {}): Promise<PromptResponse> {
    this.checkAlive();
    const connection = this.#connection;
    if (this.#isLeft || connection === undefined || !canExecute(this.state))
      throw new ProcessNotReadyError(this.id, this.state);
    const number = this.#record.promptCount + 1;
    this.#move('prompt', {
      promptCount: number,
      prompt: { number, sentAt: timestamp(this.#tools.clock), characters: prompt.length },
    });
    const gatherer = new Gatherer();
    this.#gatherer = gatherer;
    const startedAt = this.#tools.clock.monotonicMs();
    const patience = { ...this.#options.patience, ...options };
    using watch = new ExchangeWatch(this.#tools.clock, patience, this.#lifetimeLeftMs());
    const begun = this.#begun ?? this.#look();
    this.#begun = undefined;
    const measuring = await begun;
    let thrown: { error: unknown } | undefined;
    try {
      const signals = [watch.signal, ...(options.signal === undefined ? [] : [options.signal])];
      for await (const event of connection.prompt(prompt, { signal: AbortSignal.any(signals) })) {
        watch.notice();
        gatherer.add(event);
        this.#noteResumeHandle(connection);
        // The end is reported once it is recorded.
        if (event.type !== 'turn-end') options.onEvent?.(event);
      }
    } catch (error) {
      thrown = { error };
    } finally {
      this.#gatherer = undefined;
    }
    const response = await this.#settle(gatherer, startedAt, measuring);
    if (gatherer.end !== undefined) options.onEvent?.(gatherer.end);
    if (thrown !== undefined) throw thrown.error;
    if (watch.expired !== undefined) await this.#throwTimedOut(watch.expired, patience, response);
    return response;
  }

  /** Cancels the prompt that is being answered, if any. */
  async cancel(): Promise<void> {
    await this.#connection?.cancel();
  }

  /** Refuses prompts until the session is resumed. Sends no signal. Throws PROCESS_NOT_READY. */
  pause(): void {
    this.#moveOrRefuse('pause');
  }

  resume(): void {
    this.#moveOrRefuse('resume');
  }

  /** Ends the session: goodbye, end of input, grace period, SIGTERM, SIGKILL. Cancels whatever is running. */
  end(reason = 'ended'): Promise<ProgramExit | null> {
    return this.#close('end', reason, (connection) => connection.end());
  }

  /** Ends the session at once. */
  terminate(reason = 'terminated'): Promise<ProgramExit | null> {
    return this.#close('terminate', reason, (connection) => connection.terminate());
  }

  /**
   * Ends the process but not the session: a later process may continue it, if the agent can. If the process cannot be
   * ended, the session stays ours.
   */
  async detach({ isUrgent = false } = {}): Promise<void> {
    if (this.#isLeft || isOver(this.state)) return;
    if (this.#record.resume === null || this.state !== 'ready') {
      await (isUrgent ? this.terminate() : this.end());
      return;
    }
    this.#isLeft = true;
    const exit = await this.#endConnection(isUrgent);
    const left = leftIn(exit);
    if (left.leftBehind !== undefined) this.#write({ ...this.#record, ...left });
    this.#leave();
  }

  async #endConnection(isUrgent: boolean): Promise<ProgramExit | null | undefined> {
    try {
      return await (isUrgent ? this.#connection?.terminate() : this.#connection?.end());
    } catch (error) {
      // The agent may still be running: it keeps its owner, who can try again.
      this.#isLeft = false;
      throw error;
    }
  }

  /** Notices a process that died while it had nothing to do. */
  checkAlive(): void {
    const { pid } = this;
    const isExpected = this.#connection?.capabilities.conversation === 'live' && !this.#isLeft;
    if (!isExpected || isOver(this.state) || this.state === 'executing' || this.state === 'creating') return;
    if (pid === null || !isRunning(this.#tools.fileSystem, pid)) {
      this.#finish('fail', 'the agent ended by itself', null);
      this.#leave();
    }
  }

  /** A reopened session gets its previous record back; a new one has failed. */
  #recordFailedStart(reason: string): void {
    if (isOver(this.state)) return;
    if (this.#options.before === undefined) this.#finish('fail', reason, null);
    else this.#write(this.#options.before);
  }

  async #settle(gatherer: Gatherer, startedAt: number, measuring: Measuring): Promise<PromptResponse> {
    const durationMs = Math.round(this.#tools.clock.monotonicMs() - startedAt);
    const exit = await this.#exitAfter(gatherer.end?.reason ?? 'cancelled');
    this.#context.update({ usage: gatherer.usage, text: gatherer.text });
    const response = responseOf(gatherer, {
      exit: exit ?? null,
      durationMs,
      ...(await measuring.end(gatherer)),
      contextUsage: this.#context.usagePercent(),
    });
    this.#recordAnswer(response, exit);
    return response;
  }

  /** How the process ended, if it ended with the exchange; undefined while it can take the next prompt. */
  async #exitAfter(reason: string): Promise<ProgramExit | null | undefined> {
    const connection = this.#connection;
    if (connection === undefined) return undefined;
    if (this.#closing !== undefined) return this.#closing;
    const isGone =
      connection.capabilities.conversation === 'live' &&
      (connection.pid === null || !isRunning(this.#tools.fileSystem, connection.pid));
    return reason === 'died' || isGone ? connection.terminate() : undefined;
  }

  #recordAnswer(response: PromptResponse, exit: ProgramExit | null | undefined): void {
    const facts = {
      prompt: null,
      totalExecutionMs: this.#record.totalExecutionMs + Math.max(0, response.durationMs),
      contextUsage: response.contextUsage,
      resume: this.#connection?.resumeHandle ?? this.#record.resume,
      ...this.#costSoFar(),
    };
    if (isOver(this.state)) {
      this.#write({ ...this.#record, ...facts });
      return;
    }
    if (exit === undefined) {
      this.#move('answer', facts);
      return;
    }
    this.#record = { ...this.#record, ...facts };
    this.#finish('fail', response.message ?? `the agent's process ended (${response.reason})`, exit);
    this.#leave();
  }

  #costSoFar(): Pick<ProcessFile, 'resumeCostUsd'> {
    const costUsd = dollarsOf(this.#connection?.conversationCostUsd);
    return costUsd === null ? {} : { resumeCostUsd: costUsd };
  }

  async #throwTimedOut(kind: TimeoutKind, patience: Patience, response: PromptResponse): Promise<never> {
    const limits = {
      prompt: patience.promptMs,
      idle: patience.idleMs,
      total: this.#options.lifetimeMs,
    };
    if (kind === 'total') await this.end('its time was up');
    throw new PromptTimedOutError(this.id, kind, limits[kind] ?? 0, response);
  }

  #lifetimeLeftMs(): number {
    const limit = this.#options.lifetimeMs ?? 0;
    if (limit <= 0) return Number.POSITIVE_INFINITY;
    return this.#startedAtMs + limit - this.#tools.clock.monotonicMs();
  }

  /** Records a conversation as soon as it has a name: from then on a crash does not lose it. */
  #noteResumeHandle(connection: AgentConnection): void {
    const handle = connection.resumeHandle;
    if (handle === null || handle.id === this.#record.resume?.id) return;
    this.#write({ ...this.#record, resume: handle });
  }

  #onOutput(stream: 'stdout' | 'stderr', chunk: Buffer): void {
    if (stream === 'stderr') this.#gatherer?.addError(chunk);
  }

  #stop(mode: StopMode): void {
    const reason = 'stopped from outside';
    const stopped = mode === 'end' ? this.end(reason) : this.terminate(reason);
    stopped.catch((error) => {
      this.#tools.log.warn('process.stop-failed', { sessionId: this.id, error: messageOf(error) });
    });
  }

  /** Closes at once, whatever is running: the exchange ends when its process does. */
  async #close(
    event: 'end' | 'terminate',
    reason: string,
    act: (connection: AgentConnection) => Promise<ProgramExit | null>,
  ): Promise<ProgramExit | null> {
    if (this.#isLeft || isOver(this.state)) return (await this.#closing) ?? null;
    // A second call can only speed things up.
    if (this.#closing !== undefined && event === 'end') return this.#closing;
    this.#closing = this.#connection === undefined ? this.#callOff(event, reason) : act(this.#connection);
    const exit = await this.#closing;
    if (!isOver(this.state)) this.#finish(event, reason, exit);
    this.#leave();
    return exit;
  }

  /** Ends a session whose agent is being started; returns when that agent is gone, too. */
  async #callOff(event: 'end' | 'terminate', reason: string): Promise<null> {
    this.#starting.abort(reason);
    this.#finish(event, reason, null);
    await this.#started;
    return null;
  }

  #finish(event: 'end' | 'fail' | 'terminate', reason: string, exit: ProgramExit | null): void {
    const ended = {
      at: timestamp(this.#tools.clock),
      // A program's words may contain secrets that must not be kept.
      reason: redact(reason),
      exitCode: exit?.code ?? null,
      signal: exit?.signal ?? null,
    };
    this.#move(event, { ended, ...leftIn(exit) });
  }

  #leave(): void {
    this.#isLeft = true;
    this.#stopWatch?.close();
    this.#owned?.[Symbol.dispose]();
  }

  #moveOrRefuse(event: 'pause' | 'resume'): void {
    this.checkAlive();
    if (this.#isLeft || !allows(processLifecycle, this.state, event))
      throw new ProcessNotReadyError(this.id, this.state, event);
    this.#move(event, {});
  }

  /** Records the new state, then enters it. If it cannot be recorded, nothing is begun, but an end still happens. */
  #move(event: ProcessEvent, facts: Partial<ProcessFile>): void {
    const from = this.state;
    const to = next(processLifecycle, from, event);
    const record = {
      ...this.#record,
      ...facts,
      state: to,
      lastActivity: timestamp(this.#tools.clock),
    };
    if (event === 'prompt' || event === 'pause') this.#owned?.write(record);
    else this.#write(record);
    this.#record = record;
    this.#tell({ type: 'state', from, to });
  }

  #write(record: ProcessFile): void {
    this.#record = record;
    try {
      this.#owned?.write(record);
    } catch (error) {
      this.#tools.log.warn('process.record-not-written', { sessionId: this.id, error: messageOf(error) });
    }
  }

  #tell(notice: ProcessNotice): void {
    for (const listener of this.#listeners) listener(notice);
  }
}

/** The processes that an agent may have left running, for the record. */
function leftIn(exit: ProgramExit | null | undefined): Pick<ProcessFile, 'leftBehind'> {
  return exit?.leftBehind === undefined ? {} : { leftBehind: exit.leftBehind.map((left) => ({ ...left })) };
}
