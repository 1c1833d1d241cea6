import { messageOf, throwIfAborted, visibleExcerpt } from '../../foundation/index.js';
import { type Program, type ProgramExit, type StopOptions, startProgram } from '../../programs/index.js';
import { describeDeath, tailOf } from '../describe-exit.js';
import {
  type AgentCapabilities,
  type AgentConnection,
  CANCEL_GRACE_MS,
  type DriverTools,
  type ResumeHandle,
  STOP_GRACE,
  type StartOptions,
} from '../driver.js';
import { AgentBusyError, AgentEndedError, AgentNotStartedError } from '../errors.js';
import type { AgentEvent } from '../events.js';
import { Exchange } from '../exchange.js';
import { onGround } from '../permission.js';
import { LATE, within } from '../within.js';
import { Approvals } from './approvals.js';
import { TurnReader } from './read.js';
import { LostAgent, Rpc } from './rpc.js';
import {
  Initialized,
  type Notification,
  OpenedThread,
  ReadConfig,
  readNotification,
  StartedTurn,
} from './schema.js';
import { threadParams, turnPolicy } from './settings.js';
import { UsageMeter } from './usage.js';

const AT_ONCE = { graceMs: 0, termMs: 0 } as const;
/** How long it may take for one step of the start: MCP servers may take their time. */
const STEP_LIMIT_MS = 60_000;
/** How long it may take to notice what it is told in the middle of a turn. */
const STEER_LIMIT_MS = 2_000;
/** So many lines that are no messages are told of in one turn. */
const MAX_NOISE = 10;

/** A running exchange and its end, for those who wait for it. */
interface Turn {
  readonly exchange: Exchange;
  readonly reader: TurnReader;
  readonly over: Promise<void>;
  settle(): void;
  /** Known when it has begun; before that it cannot be interrupted. */
  id: string | undefined;
  hasBegun: boolean;
  cancelling: Promise<void> | undefined;
  noise: number;
}

/** A conversation with one `codex app-server` process, in one thread. */
export class CodexConnection implements AgentConnection {
  readonly capabilities: AgentCapabilities;
  readonly #tools: DriverTools;
  readonly #options: StartOptions;
  readonly #rpc: Rpc;
  readonly #approvals: Approvals;
  readonly #usage = new UsageMeter();
  #program: Program | undefined;
  #threadId: string | null;
  #facts: { readonly version: string | null; readonly model: string | null };
  #config: ReadConfig = { config: {} };
  #turn: Turn | undefined;
  /** We ended it, or its death was told. */
  #isEnded = false;

  constructor(tools: DriverTools, options: StartOptions, capabilities: AgentCapabilities) {
    this.capabilities = capabilities;
    this.#tools = tools;
    this.#options = options;
    this.#threadId = options.resume?.id ?? null;
    this.#facts = { version: null, model: options.model ?? null };
    this.#rpc = new Rpc({
      // Writing to a program that does not read any more changes nothing: its exit ends the turn.
      write: (line) => void this.#program?.writeLine(line).catch(() => {}),
      onNotification: (method, params) => this.#hear(method, params),
      onRequest: (id, method, params) => void this.#approvals.take(id, method, params),
      onNoise: (line) => this.#tellNoise(line),
    });
    const ground = { fileSystem: tools.fileSystem, workingDirectory: options.workingDirectory };
    this.#approvals = new Approvals({
      start: { ...options, permissions: onGround(options.permissions, ground) },
      answer: (id, result) => this.#rpc.answer(id, result),
      refuse: (id, message) => this.#rpc.refuse(id, message),
      explain: (words) => this.#steer(words),
      onEvent: (event) => this.#push(event),
      openItems: () => this.#turn?.reader.open ?? new Map(),
    });
  }

  get resumeHandle(): ResumeHandle | null {
    return this.#threadId === null ? null : { driver: 'codex', id: this.#threadId };
  }

  get pid(): number | null {
    return this.#program?.exit === undefined ? (this.#program?.pid ?? null) : null;
  }

  get facts(): { readonly version: string | null; readonly model: string | null } {
    return this.#facts;
  }

  /** Throws PROGRAM_NOT_STARTED, AGENT_NOT_STARTED, ABORTED; then nothing is left running. */
  async start(): Promise<void> {
    const { command, args, workingDirectory, environment, onOutput, logPath, signal } = this.#options;
    const program = await startProgram(this.#tools, {
      command,
      args: [...args, 'app-server'],
      workingDirectory,
      environment,
      isAgent: true,
      input: 'open',
      onOutput,
      logPath,
      onLine: (line) => this.#rpc.receive(line),
      onOversizedLine: ({ bytes }) => this.#tellNoise(`(${bytes} bytes)`),
      // Without its output there is no turn that could end.
      onOutputEnd: () => void this.#stopQuietly(STOP_GRACE),
    });
    this.#program = program;
    void program.exited.then((exit) => this.#onExit(program, exit));
    const onAbort = () => void this.terminate();
    signal?.addEventListener('abort', onAbort, { once: true });
    try {
      await this.#open();
    } catch (error) {
      await this.terminate();
      throwIfAborted(signal, 'The start of the agent');
      throw error;
    } finally {
      signal?.removeEventListener('abort', onAbort);
    }
    throwIfAborted(signal, 'The start of the agent');
  }

  prompt(text: string, { signal }: { readonly signal?: AbortSignal | undefined } = {}): Exchange {
    const program = this.#program;
    if (this.#isEnded || program === undefined || this.#threadId === null) throw new AgentEndedError();
    if (this.#turn !== undefined) throw new AgentBusyError();
    const turn = this.#begin(signal);
    if (signal?.aborted) this.#push({ type: 'turn-end', reason: 'cancelled', message: null });
    else if (program.exit !== undefined) this.#tellDeath(program, program.exit);
    else void this.#run(turn, this.#threadId, text);
    return turn.exchange;
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

  /** Greets the agent and opens the thread, new or known. */
  async #open(): Promise<void> {
    const { resume, model } = this.#options;
    const clientInfo = { name: 'holdfast', title: 'Holdfast', version: '1' };
    const capabilities = { experimentalApi: true, requestAttestation: false };
    const greeted = Initialized.safeParse(await this.#ask('initialize', { clientInfo, capabilities })).data;
    this.#rpc.notify('initialized');
    this.#config = await this.#readConfig();
    const method = resume === undefined ? 'thread/start' : 'thread/resume';
    const opened = OpenedThread.safeParse(await this.#ask(method, threadParams(this.#options))).data;
    if (opened === undefined) throw this.#refusal('it opened no conversation');
    this.#threadId = opened.thread.id;
    const version = /\/(\d+\.\d+\.\d+\S*)/.exec(greeted?.userAgent ?? '')?.[1] ?? null;
    this.#facts = { version, model: model ?? opened.model ?? opened.thread.model ?? null };
  }

  /** Older versions cannot be asked; then nobody's settings are widened. */
  async #readConfig(): Promise<ReadConfig> {
    const params = { cwd: this.#options.workingDirectory, includeLayers: false };
    const answer = await within(
      this.#tools.clock,
      STEP_LIMIT_MS,
      this.#rpc.request('config/read', params),
    ).catch(() => LATE);
    return ReadConfig.safeParse(answer).data ?? { config: {} };
  }

  async #ask(method: string, params: object): Promise<unknown> {
    try {
      const answer = await within(this.#tools.clock, STEP_LIMIT_MS, this.#rpc.request(method, params));
      if (answer !== LATE) return answer;
    } catch (error) {
      throw this.#refusal(error instanceof LostAgent ? await this.#describeExit() : messageOf(error), error);
    }
    throw this.#refusal(`no answer to ${method} in ${STEP_LIMIT_MS / 1_000} s`);
  }

  async #describeExit(): Promise<string> {
    const program = this.#program;
    if (program === undefined) return 'it has ended';
    return describeDeath('it', await program.exited, program);
  }

  #refusal(reason: string, cause?: unknown): AgentNotStartedError {
    const output = this.#program === undefined || reason.includes('\n') ? '' : tailOf(this.#program);
    return new AgentNotStartedError(this.#options.name ?? 'codex', reason, { cause, output });
  }

  #begin(signal: AbortSignal | undefined): Turn {
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
    this.#turn = {
      exchange: new Exchange(() => void this.cancel()),
      reader: new TurnReader(this.#threadId ?? '', this.#usage),
      over,
      settle,
      id: undefined,
      hasBegun: false,
      cancelling: undefined,
      noise: 0,
    };
    return this.#turn;
  }

  async #run(turn: Turn, threadId: string, text: string): Promise<void> {
    const { permissions, model } = this.#options;
    try {
      const answer = await this.#rpc.request('turn/start', {
        threadId,
        input: [{ type: 'text', text }],
        ...(model === undefined ? {} : { model }),
        ...turnPolicy(permissions.mode, this.#config),
      });
      turn.id ??= StartedTurn.safeParse(answer).data?.turn.id;
    } catch (error) {
      // Of an agent that is gone its exit tells.
      if (error instanceof LostAgent || this.#turn !== turn) return;
      for (const event of turn.reader.readFailure({ message: messageOf(error) })) this.#push(event);
    }
  }

  async #cancel(turn: Turn): Promise<void> {
    this.#interrupt();
    if ((await within(this.#tools.clock, CANCEL_GRACE_MS, turn.over)) === LATE)
      await this.#stopQuietly(AT_ONCE);
    await turn.over;
  }

  /** A turn that has not begun is interrupted when it does. */
  #interrupt(): void {
    const turn = this.#turn;
    if (turn?.hasBegun) {
      const params = { threadId: this.#threadId, turnId: turn.id };
      this.#rpc.request('turn/interrupt', params).catch(() => {});
    }
    // Behind the interrupt: an agent that hears the denial first may go on with its turn and complete it.
    this.#approvals.denyAll('the turn was cancelled');
  }

  /** Says something to the agent in the middle of its turn; one that is over does not need it. */
  async #steer(words: string): Promise<void> {
    const { id, hasBegun } = this.#turn ?? {};
    if (id === undefined || !hasBegun) return;
    const input = [{ type: 'text', text: words }];
    const params = { threadId: this.#threadId, expectedTurnId: id, input };
    try {
      await within(this.#tools.clock, STEER_LIMIT_MS, this.#rpc.request('turn/steer', params));
    } catch (error) {
      this.#tools.log.debug('codex.not-steered', { error: messageOf(error) });
    }
  }

  #hear(method: string, params: unknown): void {
    const notification = readNotification(method, params);
    if (notification === null) return;
    if (notification === undefined) this.#tellNoise(`${method} ${JSON.stringify(params)}`);
    else if (notification.method === 'serverRequest/resolved')
      this.#approvals.withdraw(notification.params.requestId);
    else if (this.#turn === undefined || this.#isOfEarlier(this.#turn, notification))
      this.#hearBetween(notification);
    else this.#hearIn(this.#turn, notification);
  }

  /** A resumed thread tells its total once more: what was used before is not of the next turn. */
  #hearBetween({ method, params }: Notification): void {
    if (method === 'thread/tokenUsage/updated') {
      this.#usage.report(params, params.threadId === this.#threadId);
    }
  }

  /** That total may come as late as in the next turn: before it has begun, or with the id of its own turn. */
  #isOfEarlier(turn: Turn, { method, params }: Notification): boolean {
    if (method !== 'thread/tokenUsage/updated' || params.threadId !== this.#threadId) return false;
    return !turn.hasBegun || (params.turnId != null && turn.id !== undefined && params.turnId !== turn.id);
  }

  #hearIn(turn: Turn, notification: Notification): void {
    const { method, params } = notification;
    const isOurs = params.threadId == null || params.threadId === this.#threadId;
    if (isOurs && method === 'turn/started') {
      turn.id = params.turn.id;
      turn.hasBegun = true;
      if (turn.cancelling !== undefined || this.#isEnded) this.#interrupt();
    }
    for (const event of turn.reader.read(notification)) this.#push(event);
    if (!isOurs || method !== 'turn/completed') return;
    if (turn.id !== undefined && params.turn.id !== turn.id) return;
    for (const event of this.#usage.takeOdd()) this.#push(event);
    for (const event of this.#endOf(turn, params.turn)) this.#push(event);
  }

  #endOf(
    turn: Turn,
    { status, error }: Extract<Notification, { method: 'turn/completed' }>['params']['turn'],
  ): AgentEvent[] {
    if (status === 'completed') return [{ type: 'turn-end', reason: 'completed', message: null }];
    const isOurs = turn.cancelling !== undefined || this.#isEnded;
    if (status === 'interrupted' && isOurs) {
      return [{ type: 'turn-end', reason: 'cancelled', message: null }];
    }
    return turn.reader.readFailure(error ?? (status === 'interrupted' ? INTERRUPTED : null));
  }

  #push(event: AgentEvent): void {
    const turn = this.#turn;
    if (event.type === 'turn-end') {
      this.#approvals.denyAll('the turn is over');
      this.#turn = undefined;
    }
    turn?.exchange.push(event);
    if (event.type === 'turn-end') turn?.settle();
  }

  #tellNoise(line: string): void {
    const turn = this.#turn;
    if (turn === undefined || ++turn.noise > MAX_NOISE) return;
    const what = `Codex wrote a line that is no message: ${visibleExcerpt(line, 160)}`;
    const message = turn.noise < MAX_NOISE ? what : `${what} (further ones are not shown)`;
    this.#push({ type: 'error', message, status: null });
  }

  #onExit(program: Program, exit: ProgramExit): void {
    this.#rpc.close();
    this.#approvals.denyAll('the agent has ended');
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
    this.#isEnded = true;
    const message = describeDeath('Codex', exit, program);
    this.#push({ type: 'turn-end', reason: isOurs ? 'cancelled' : 'died', message });
  }
}

const INTERRUPTED = { message: 'Codex interrupted the turn by itself' };
