import { type AgentEvent, type PriceOf, serviceTroubleOf, type TurnEnd } from '../../agents/index.js';
import { type Logger, messageOf } from '../../foundation/index.js';
import {
  type Conversation,
  replayText,
  type TurnRef,
  trimContext,
} from '../../sessions/conversation/index.js';
import {
  type AgentLaunch,
  type ExecuteOptions,
  isOver,
  NotResumableError,
  ProcessNotReadyError,
  type ProcessSession,
  type ProcessSessions,
  ProcessStartError,
  type PromptResponse,
} from '../../sessions/process/index.js';
import { UsageLedger } from './usage-ledger.js';

/** How an agent came to know what was said before. */
export type Continuation =
  /** There was nothing before. */
  | { readonly how: 'new' }
  /** It continues in its own conversation. */
  | { readonly how: 'resumed' }
  /** It cannot, so what was said is put before the next prompt. */
  | { readonly how: 'replayed'; readonly reason: string };

export interface TurnTakerOptions {
  readonly processes: ProcessSessions;
  readonly conversation: Conversation;
  readonly launch: AgentLaunch;
  readonly log: Logger;
  /** How many tokens the context may take when it is replayed. */
  readonly maxTokens?: number | undefined;
  /** Whether the agent may be started with other options than before; otherwise LAUNCH_DIFFERS. */
  readonly acceptsChanges?: boolean | undefined;
  /** What tokens of a model cost, for agents that do not report it; null or absent = unknown. */
  readonly priceOf?: PriceOf | undefined;
  /** Called each time the agent is started: the first time, and again after it ended. */
  readonly onContinuation?: ((continuation: Continuation) => void) | undefined;
}

export interface TurnOutcome {
  readonly response: PromptResponse;
  readonly user: TurnRef;
  /** Null if the agent said nothing. */
  readonly assistant: TurnRef | null;
}

/** The limits of a turn, and who is told what happens. */
export type TurnOptions = ExecuteOptions;

/**
 * An agent whose exchanges are recorded. The user's turn is durable before it is sent; if the agent does not answer it, it
 * is marked as failed and left out of later contexts. An agent that ended is started again for the next turn, in its own
 * conversation if it has one.
 */
export class TurnTaker {
  readonly #options: TurnTakerOptions;
  #session: ProcessSession | undefined;
  /** What must be put before the next prompt. */
  #preamble: string | null = null;
  /** Whether it is still unknown if the agent found the conversation it was asked to resume. */
  #isUnproven = false;
  /** Whether the agent did anything about the last prompt. */
  #hasActed = false;
  /** The end of the exchange, which is not reported before the answer is stored. */
  #end: TurnEnd | undefined;
  #noted = '';
  readonly #ledger: UsageLedger;

  constructor(options: TurnTakerOptions) {
    this.#options = options;
    this.#ledger = new UsageLedger(options);
  }

  get session(): ProcessSession | undefined {
    return this.#session;
  }

  /** Starts the agent now rather than with the first turn. Throws PROCESS_START_FAILED, LOCKED, LAUNCH_DIFFERS. */
  async start(): Promise<void> {
    await this.#agent(undefined);
  }

  /**
   * One recorded exchange. When its end (`turn-end`) is reported, the answer would survive power loss. Throws what the start
   * of the agent and `ProcessSession.execute` throw; the turn is then marked as failed. The signal ends the start of the
   * agent as well: PROCESS_START_FAILED.
   */
  async take(prompt: string, options: TurnOptions = {}): Promise<TurnOutcome> {
    const { conversation } = this.#options;
    const user = conversation.addUserTurn(prompt);
    this.#end = undefined;
    try {
      const session = await this.#agent(options.signal, user.turn);
      const first = await this.#sendIfThere(session, user, prompt, options);
      const isLost = first === null || (this.#isUnproven && !this.#hasActed && isUnheard(first));
      const response = isLost ? await this.#tellAgain(first, user, prompt, options) : first;
      this.#isUnproven = false;
      if (response.usage === null || response.reason === 'died') await this.#settle(user, this.#hasActed);
      const assistant = this.#record(user, response);
      this.#tellEnd(options);
      return { response, user, assistant };
    } catch (error) {
      this.#markFailed(user, error);
      this.#tellEnd(options, error);
      throw error;
    }
  }

  /** A turn that cannot be marked must not hide the reason for the failure. */
  #markFailed(user: TurnRef, error: unknown): void {
    const { conversation, log } = this.#options;
    try {
      conversation.markFailed(user, messageOf(error));
    } catch (second) {
      log.warn('turn.not-marked', { sessionId: conversation.id, error: messageOf(second) });
    }
  }

  /** An exchange whose answer could not be stored is not reported as completed. */
  #tellEnd({ onEvent }: TurnOptions, error?: unknown): void {
    const end = this.#end;
    this.#end = undefined;
    if (end === undefined) return;
    const isKept = error === undefined || end.reason !== 'completed';
    onEvent?.(isKept ? end : { ...end, reason: 'failed', message: messageOf(error) });
  }

  /** Records what an agent used for a prompt whose sender did not live to hear it. */
  async settleUsage(): Promise<void> {
    const last = this.#options.conversation.view.turns.at(-1);
    if (last?.role === 'user' && last.failure === null) await this.#ledger.settle(last);
  }

  async #settle({ turn }: TurnRef, hasActed: boolean): Promise<void> {
    const sent = this.#options.conversation.view.turns.find(({ number }) => number === turn);
    if (sent !== undefined) await this.#ledger.settle(sent, hasActed);
  }

  /** Cancels the current turn, if any. */
  async cancel(): Promise<void> {
    await this.#session?.cancel();
  }

  /** Ends the agent's process. The conversation continues with the next agent. */
  async end(options: { readonly isUrgent?: boolean } = {}): Promise<void> {
    await (options.isUrgent ? this.#session?.terminate() : this.#session?.end());
  }

  /** Makes the agent forget everything; the next one is told what is in the context by then. */
  async forget(): Promise<void> {
    const { conversation, launch } = this.#options;
    await this.#session?.end();
    this.#session = undefined;
    this.#noted = '';
    conversation.noteAgent({ driver: launch.launch.driver, resumeId: null });
  }

  /** Null if a resumed agent had ended before it could be asked. */
  async #sendIfThere(
    session: ProcessSession,
    user: TurnRef,
    prompt: string,
    options: TurnOptions,
  ): Promise<PromptResponse | null> {
    try {
      return await this.#send(session, user, prompt, options);
    } catch (error) {
      if (this.#isUnproven && error instanceof ProcessNotReadyError) return null;
      throw error;
    }
  }

  /** Sends the prompt to a new agent, with everything said before. */
  async #tellAgain(
    first: PromptResponse | null,
    user: TurnRef,
    prompt: string,
    options: TurnOptions,
  ): Promise<PromptResponse> {
    const why = first?.message ?? 'it ended before it was asked anything';
    const reason = `the agent no longer knows its conversation: ${why}`;
    const fresh = await this.#startOver(reason, options.signal, user.turn);
    return this.#send(fresh, user, prompt, options);
  }

  async #send(
    session: ProcessSession,
    user: TurnRef,
    prompt: string,
    options: TurnOptions,
  ): Promise<PromptResponse> {
    const text = this.#preamble === null ? prompt : `${this.#preamble}\n\n${prompt}`;
    this.#hasActed = false;
    const onEvent = (event: AgentEvent) => {
      this.#hasActed ||= ACTS.includes(event.type);
      this.#noteHandle(session);
      if (event.type === 'usage') this.#ledger.add(user.turn, event, session.model);
      if (event.type === 'turn-end') this.#end = event;
      else options.onEvent?.(event);
    };
    const response = await session.execute(text, { ...options, onEvent });
    if (response.reason === 'completed') this.#preamble = null;
    this.#noteHandle(session);
    return response;
  }

  #record(user: TurnRef, response: PromptResponse): TurnRef | null {
    const { conversation } = this.#options;
    const isAnswered = response.reason === 'completed';
    const assistant =
      response.stdout === '' && !isAnswered
        ? null
        : conversation.addAssistantTurn(response.stdout, {
            ...(response.usage === null
              ? {}
              : { tokens: response.usage.outputTokens, usage: { ...response.usage } }),
            ...(isAnswered ? {} : { reason: response.reason }),
          });
    if (isAnswered) return assistant;
    const why = response.message === null ? response.reason : `${response.reason}: ${response.message}`;
    conversation.markFailed(user, why);
    if (assistant !== null) conversation.markFailed(assistant, why);
    return assistant;
  }

  async #agent(signal: AbortSignal | undefined, before?: number): Promise<ProcessSession> {
    this.#session?.checkAlive();
    if (this.#session !== undefined && !isOver(this.#session.state)) return this.#session;
    const session = (await this.#resumed(signal)) ?? (await this.#startOver(null, signal, before));
    this.#session = session;
    this.#noteHandle(session);
    return session;
  }

  /** The agent in its own conversation; undefined if it has none or does not find it. */
  async #resumed(signal: AbortSignal | undefined): Promise<ProcessSession | undefined> {
    const { conversation, launch, processes, log, acceptsChanges } = this.#options;
    const handle = conversation.view.agentHandle;
    if (handle === null || handle.resumeId === null || handle.driver !== launch.launch.driver)
      return undefined;
    try {
      const session = await reopenOrStart(processes, endedBy(signal, launch), {
        processId: handle.processId ?? null,
        resume: { driver: handle.driver, id: handle.resumeId },
        acceptsChanges,
      });
      this.#isUnproven = true;
      this.#preamble = null;
      this.#options.onContinuation?.({ how: 'resumed' });
      return session;
    } catch (error) {
      if (!(error instanceof ProcessStartError) || signal?.aborted) throw error;
      log.warn('turn.not-resumed', { sessionId: conversation.id, error: messageOf(error) });
      return undefined;
    }
  }

  /** The agent in a new conversation; what was said before this turn goes before the next prompt. */
  async #startOver(
    reason: string | null,
    signal: AbortSignal | undefined,
    before = Number.POSITIVE_INFINITY,
  ): Promise<ProcessSession> {
    const { conversation, launch, processes, maxTokens, onContinuation } = this.#options;
    await this.#session?.terminate();
    const said = conversation.context.filter(({ number }) => number < before);
    const context = trimContext(said, { maxTokens: maxTokens ?? DEFAULT_MAX_TOKENS });
    const session = await processes.create(endedBy(signal, launch));
    this.#isUnproven = false;
    this.#session = session;
    this.#preamble = context.turns.length === 0 ? null : replayText(context.turns);
    onContinuation?.(
      this.#preamble === null ? { how: 'new' } : { how: 'replayed', reason: reason ?? this.#whyNotResumed() },
    );
    return session;
  }

  /** Why the agent could not simply be started in its own conversation. */
  #whyNotResumed(): string {
    const { conversation, launch } = this.#options;
    const handle = conversation.view.agentHandle;
    if (handle === null) return 'it records no conversation of the agent itself';
    if (handle.driver !== launch.launch.driver) return 'it was held with another kind of agent';
    if (handle.resumeId !== null) return 'the agent did not start in its own conversation';
    return 'the agent has no conversation of its own to resume';
  }

  /** Notes the agent's conversation once, as soon as it has a name. */
  #noteHandle(session: ProcessSession): void {
    const { conversation, launch } = this.#options;
    const resumeId = session.record.resume?.id ?? null;
    const noted = `${session.id} ${resumeId}`;
    if (noted === this.#noted) return;
    this.#noted = noted;
    conversation.noteAgent({ driver: launch.launch.driver, resumeId, processId: session.id });
  }
}

/** The published default. */
const DEFAULT_MAX_TOKENS = 100_000;

/** The same launch, with a start that a signal ends. */
function endedBy(signal: AbortSignal | undefined, launch: AgentLaunch): AgentLaunch {
  if (signal === undefined) return launch;
  return {
    ...launch,
    start: (hooks) => launch.start({ ...hooks, signal: AbortSignal.any([hooks.signal, signal]) }),
  };
}

/** The session that was left; if that one is over, a new one in the same conversation. */
async function reopenOrStart(
  processes: ProcessSessions,
  launch: AgentLaunch,
  known: {
    readonly processId: string | null;
    readonly resume: { driver: string; id: string };
    readonly acceptsChanges: boolean | undefined;
  },
): Promise<ProcessSession> {
  if (known.processId !== null) {
    try {
      return await processes.reopen(known.processId, launch, { acceptsChanges: known.acceptsChanges });
    } catch (error) {
      const isGone =
        error instanceof NotResumableError || (error as { code?: string }).code === 'SESSION_NOT_FOUND';
      if (!isGone) throw error;
    }
    const left = processes.handleOf(known.processId);
    if (left?.id === known.resume.id) return processes.create(launch, left);
  }
  return processes.create(launch, known.resume);
}

const ACTS: readonly AgentEvent['type'][] = ['text', 'thinking', 'tool-call', 'permission'];

/**
 * Whether an agent itself turned a prompt away. One that was killed may have heard it, and a prompt is never sent twice.
 */
function isUnheard(response: PromptResponse): boolean {
  const tokens = response.usage?.outputTokens ?? 0;
  if (response.stdout !== '' || tokens > 0) return false;
  // A service that does not answer says nothing about the conversation.
  if (serviceTroubleOf({ service: 'other', reason: response.reason, words: response.message ?? '' }))
    return false;
  return response.reason === 'failed' || (response.reason === 'died' && response.signal === null);
}
