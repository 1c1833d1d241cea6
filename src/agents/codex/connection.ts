import { messageOf, throwIfAborted, visibleExcerpt } from '../../foundation/index.js';
import { type ProgramExit, startProgram } from '../../programs/index.js';
import { describeDeath, tailOf } from '../describe-exit.js';
import {
  type AgentCapabilities,
  type AgentConnection,
  type DriverTools,
  type ResumeHandle,
  STOP_GRACE,
  type StartOptions,
} from '../driver.js';
import { AgentEndedError, AgentNotStartedError } from '../errors.js';
import type { AgentEvent } from '../events.js';
import type { Exchange } from '../exchange.js';
import { ExchangeGate, type OpenExchange } from '../exchange-gate.js';
import { onGround } from '../permission.js';
import { LATE, within } from '../time-limit.js';
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

/** How long one step of the start may take: MCP servers can be slow. */
const STEP_LIMIT_MS = 60_000;
/** How long the agent may take to notice what it is told in the middle of a turn. */
const STEER_LIMIT_MS = 2_000;
/** How many lines that are not messages are reported in one turn. */
const MAX_NOISE = 10;

/** What is known about a turn, which is what Codex calls an exchange. */
interface TurnFacts {
  readonly reader: TurnReader;
  /** Known once it has begun; until then it cannot be interrupted. */
  id: string | undefined;
  hasBegun: boolean;
  noise: number;
}
type OpenTurn = OpenExchange & TurnFacts;

/** A conversation with one `codex app-server` process, in one thread. */
export class CodexConnection implements AgentConnection {
  readonly capabilities: AgentCapabilities;
  readonly #tools: DriverTools;
  readonly #options: StartOptions;
  readonly #rpc: Rpc;
  readonly #approvals: Approvals;
  readonly #usage = new UsageMeter();
  readonly #gate: ExchangeGate<TurnFacts>;
  #threadId: string | null;
  #facts: { readonly version: string | null; readonly model: string | null };
  #config: ReadConfig = { config: {} };

  constructor(tools: DriverTools, options: StartOptions, capabilities: AgentCapabilities) {
    this.capabilities = capabilities;
    this.#tools = tools;
    this.#options = options;
    this.#threadId = options.resume?.id ?? null;
    this.#facts = { version: null, model: options.model ?? null };
    this.#gate = new ExchangeGate({
      tools,
      name: 'Codex',
      interrupt: () => this.#interrupt(),
      beforeEvent: ({ type }) => {
        if (type === 'turn-end') this.#approvals.denyAll('the turn is over');
      },
      onExit: () => {
        this.#rpc.close();
        this.#approvals.denyAll('the agent has ended');
      },
    });
    this.#rpc = new Rpc({
      // A failed write to a program that no longer reads changes nothing: its exit ends the turn.
      write: (line) => void this.#gate.program?.writeLine(line).catch(() => {}),
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
      onEvent: (event) => this.#gate.push(event),
      openItems: () => this.#gate.open?.reader.open ?? new Map(),
    });
  }

  get resumeHandle(): ResumeHandle | null {
    return this.#threadId === null ? null : { driver: 'codex', id: this.#threadId };
  }

  get pid(): number | null {
    return this.#gate.pid;
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
      // Without its output no turn could end.
      onOutputEnd: () => void this.#gate.stopQuietly(STOP_GRACE),
    });
    this.#gate.attach(program);
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
    const threadId = this.#threadId;
    if (threadId === null) throw new AgentEndedError();
    const reader = new TurnReader(threadId, this.#usage);
    const turn = this.#gate.begin(signal, { reader, id: undefined, hasBegun: false, noise: 0 });
    if (!turn.exchange.isOver) void this.#run(turn, threadId, text);
    return turn.exchange;
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

  /** The user's settings. Older versions do not answer; then the defaults apply. */
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
    const { program } = this.#gate;
    if (program === undefined) return 'it has ended';
    return describeDeath('it', await program.exited, program);
  }

  #refusal(reason: string, cause?: unknown): AgentNotStartedError {
    const { program } = this.#gate;
    const output = program === undefined || reason.includes('\n') ? '' : tailOf(program);
    return new AgentNotStartedError(this.#options.name ?? 'codex', reason, { cause, output });
  }

  async #run(turn: OpenTurn, threadId: string, text: string): Promise<void> {
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
      // If the agent is gone, its exit reports that.
      if (error instanceof LostAgent || this.#gate.open !== turn) return;
      for (const event of turn.reader.readFailure({ message: messageOf(error) })) this.#gate.push(event);
    }
  }

  /** A turn that has not begun yet is interrupted when it does. */
  #interrupt(): void {
    const turn = this.#gate.open;
    if (turn?.hasBegun) {
      const params = { threadId: this.#threadId, turnId: turn.id };
      this.#rpc.request('turn/interrupt', params).catch(() => {});
    }
    // After the interrupt: an agent that hears the denial first may continue its turn and complete it.
    this.#approvals.denyAll('the turn was cancelled');
  }

  /** Tells the agent something in the middle of its turn; does nothing if the turn is over. */
  async #steer(words: string): Promise<void> {
    const { id, hasBegun } = this.#gate.open ?? {};
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
    else if (this.#gate.open === undefined || this.#isOfEarlier(this.#gate.open, notification))
      this.#hearBetween(notification);
    else this.#hearIn(this.#gate.open, notification);
  }

  /** A resumed thread reports its old total again, which does not count towards the next turn. */
  #hearBetween({ method, params }: Notification): void {
    if (method === 'thread/tokenUsage/updated') {
      this.#usage.report(params, params.threadId === this.#threadId);
    }
  }

  /**
   * Whether a total belongs to an earlier turn: it may arrive during the next one, before that has begun or with its own
   * turn's id.
   */
  #isOfEarlier(turn: OpenTurn, { method, params }: Notification): boolean {
    if (method !== 'thread/tokenUsage/updated' || params.threadId !== this.#threadId) return false;
    return !turn.hasBegun || (params.turnId != null && turn.id !== undefined && params.turnId !== turn.id);
  }

  #hearIn(turn: OpenTurn, notification: Notification): void {
    const { method, params } = notification;
    const isOurs = params.threadId == null || params.threadId === this.#threadId;
    if (isOurs && method === 'turn/started') {
      turn.id = params.turn.id;
      turn.hasBegun = true;
      if (this.#gate.isWantedToEnd) this.#interrupt();
    }
    for (const event of turn.reader.read(notification)) this.#gate.push(event);
    if (!isOurs || method !== 'turn/completed') return;
    if (turn.id !== undefined && params.turn.id !== turn.id) return;
    for (const event of this.#usage.takeOdd()) this.#gate.push(event);
    for (const event of this.#endOf(turn, params.turn)) this.#gate.push(event);
  }

  #endOf(
    turn: OpenTurn,
    { status, error }: Extract<Notification, { method: 'turn/completed' }>['params']['turn'],
  ): AgentEvent[] {
    if (status === 'completed') return [{ type: 'turn-end', reason: 'completed', message: null }];
    if (status === 'interrupted' && this.#gate.isWantedToEnd) {
      return [{ type: 'turn-end', reason: 'cancelled', message: null }];
    }
    return turn.reader.readFailure(error ?? (status === 'interrupted' ? INTERRUPTED : null));
  }

  #tellNoise(line: string): void {
    const turn = this.#gate.open;
    if (turn === undefined || ++turn.noise > MAX_NOISE) return;
    const what = `Codex wrote a line that is not a message: ${visibleExcerpt(line, 160)}`;
    const message = turn.noise < MAX_NOISE ? what : `${what} (further ones are not shown)`;
    this.#gate.push({ type: 'error', message, status: null });
  }
}

const INTERRUPTED = { message: 'Codex interrupted the turn on its own' };
