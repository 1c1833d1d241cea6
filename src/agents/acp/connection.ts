import type { ProgramExit } from '../../programs/index.js';
import { tailOf } from '../describe-exit.js';
import {
  type AgentCapabilities,
  type AgentConnection,
  CANCEL_GRACE_MS,
  type DriverTools,
  type KeptReply,
  type ResumeHandle,
  STOP_GRACE,
} from '../driver.js';
import { AgentBusyError, AgentEndedError } from '../errors.js';
import type { AgentEvent } from '../events.js';
import { LATE, within } from '../time-limit.js';
import { countOf, NO_TOKENS, plusTokens } from '../usage.js';
import { AcpExchange, type Interruption } from './acp-exchange.js';
import type { AcpSession } from './handshake.js';
import type { Incoming } from './incoming.js';
import { type AcpLink, bury } from './link.js';
import { type ExchangeOutcome, isAnsweredError, outcomeOfError, outcomeOfResult } from './outcome.js';
import type { AcpPreset } from './presets.js';
import { PromptResult } from './schema.js';
import type { UsageMeter } from './usage.js';

/** How long an agent may take to close the session. */
const CLOSE_LIMIT_MS = 1_000;
/** How often at most the transcript is read after the end of a turn, and the pause between two reads. */
const MAX_LOOKS = 20;
const LOOK_AGAIN_MS = 50;

export interface ConnectionParts {
  readonly tools: DriverTools;
  readonly preset: AcpPreset;
  readonly silenceMs: number | null;
  readonly capabilities: AgentCapabilities;
  readonly link: AcpLink;
  readonly session: AcpSession;
  readonly incoming: Incoming;
  readonly meter: UsageMeter;
  /** Reads the agent's own transcript; null if it is not needed. */
  readonly readReplies: ((since: Date) => Promise<readonly KeptReply[] | null>) | null;
}

/** A conversation with an ACP agent: one process, one session, one exchange at a time. */
export class AcpConnection implements AgentConnection {
  readonly capabilities: AgentCapabilities;
  readonly resumeHandle: ResumeHandle | null;
  readonly facts: { readonly version: string | null; readonly model: string | null };
  readonly #parts: ConnectionParts;
  #preamble: string | null;
  #isEnding = false;
  readonly #toldReplies = new Set<string>();

  constructor(parts: ConnectionParts) {
    const { id, canResume, preamble, version, model } = parts.session;
    this.capabilities = parts.capabilities;
    this.resumeHandle = canResume ? { driver: 'acp', id } : null;
    this.facts = { version, model };
    this.#parts = parts;
    this.#preamble = preamble;
  }

  get conversationCostUsd(): number | null {
    return this.#parts.meter.totalCost;
  }

  get pid(): number | null {
    const { program } = this.#parts.link;
    return program.exit === undefined ? program.pid : null;
  }

  prompt(
    text: string,
    options: { readonly signal?: AbortSignal | undefined } = {},
  ): AsyncIterable<AgentEvent> {
    const { tools, preset, silenceMs, incoming, meter } = this.#parts;
    if (this.#isEnding || this.pid === null) throw new AgentEndedError();
    if (incoming.turn !== undefined) throw new AgentBusyError();
    const turn: AcpExchange = new AcpExchange(tools.clock, preset, {
      onAbandon: () => void this.cancel(),
      onCircling: (messages) => void this.#interrupt(turn, overflowAfter(messages)),
    });
    incoming.turn = turn;
    meter.startTurn();
    void this.#run(turn, text, tools.clock.now());
    if (silenceMs !== null) void this.#guard(turn, silenceMs);
    this.#cancelOn(options.signal, turn);
    return turn.exchange;
  }

  async cancel(): Promise<void> {
    const { turn } = this.#parts.incoming;
    if (turn !== undefined) await this.#interrupt(turn, { reason: 'cancelled', message: null });
  }

  async end(): Promise<ProgramExit | null> {
    const { tools, link, session } = this.#parts;
    this.#isEnding = true;
    await this.cancel();
    if (session.canClose && this.pid !== null) {
      const closed = link.peer.request('session/close', { sessionId: session.id }).catch(() => {});
      await within(tools.clock, CLOSE_LIMIT_MS, closed);
    }
    const exit = await link.program.stop(STOP_GRACE);
    link.peer.close();
    return exit;
  }

  async terminate(): Promise<ProgramExit | null> {
    const { incoming, link } = this.#parts;
    this.#isEnding = true;
    incoming.turn?.interrupt({ reason: 'cancelled', message: null });
    const exit = await link.program.stop({ graceMs: 0, termMs: 0 });
    await incoming.turn?.over;
    return exit;
  }

  async #run(turn: AcpExchange, text: string, since: Date): Promise<void> {
    const { link, session, preset, incoming, meter } = this.#parts;
    const blocks = [this.#takePreamble(), incoming.takeUntold(), text].filter((part) => part !== null);
    const prompt = blocks.map((block) => ({ type: 'text', text: block }));
    let result: PromptResult | null = null;
    let outcome: ExchangeOutcome;
    try {
      const answer = await link.peer.request('session/prompt', { sessionId: session.id, prompt });
      result = PromptResult.safeParse(answer).data ?? {};
      outcome = outcomeOfResult(result, preset, turn.translator.trouble);
    } catch (error) {
      if (isAnsweredError(error)) outcome = outcomeOfError(error, turn.translator.tail);
      else outcome = await this.#outcomeOfLoss();
    }
    turn.noteAnswer();
    const replies = await this.#repliesSince(since, result);
    incoming.turn = undefined;
    const usage = meter.endTurn(result, replies);
    turn.settle(outcome, [...meter.takeOdd(), ...usage]);
  }

  /**
   * The replies in the transcript that were not reported yet. The end of a turn may arrive a moment before it is written
   * there.
   */
  async #repliesSince(since: Date, result: PromptResult | null): Promise<readonly KeptReply[] | null> {
    const { readReplies, tools } = this.#parts;
    if (readReplies === null) return null;
    const quota = result?._meta?.quota?.token_count;
    const expected = countOf(quota?.input_tokens) + countOf(quota?.output_tokens);
    for (let looks = 1; ; looks += 1) {
      const replies = (await readReplies(since))?.filter(
        ({ reply }) => reply === null || !this.#toldReplies.has(reply),
      );
      if (replies === undefined) return null;
      const found = replies.map(({ tokens }) => tokens).reduce(plusTokens, NO_TOKENS);
      const isWhole = found.inputTokens + found.cacheReadTokens + found.outputTokens >= expected;
      if (!isWhole && looks < MAX_LOOKS) {
        await tools.clock.sleep(LOOK_AGAIN_MS);
        continue;
      }
      for (const { reply } of replies) if (reply !== null) this.#toldReplies.add(reply);
      return replies;
    }
  }

  /** The connection is gone, and the agent with it. */
  async #outcomeOfLoss(): Promise<ExchangeOutcome> {
    const { program } = this.#parts.link;
    const how = await bury(this.#parts.tools.clock, program);
    const stderr = tailOf(program);
    const message = `the agent ${how} in the middle of the exchange${stderr === '' ? '' : `\n${stderr}`}`;
    return { reason: 'died', message, events: [] };
  }

  /** Asks the agent to end the exchange, and kills it if it does not do so in time. */
  async #interrupt(turn: AcpExchange, interruption: Interruption): Promise<void> {
    const { tools, link, session } = this.#parts;
    if (turn.interruption === undefined) {
      turn.interrupt(interruption);
      link.peer.notify('session/cancel', { sessionId: session.id });
      if ((await within(tools.clock, CANCEL_GRACE_MS, turn.answered)) === LATE) {
        tools.log.warn('acp.cancel-ignored', { pid: link.program.pid });
        await link.program.stop({ graceMs: 0, termMs: 0 });
      }
    }
    await turn.over;
  }

  /** Ends an exchange in which nothing happens any more. */
  async #guard(turn: AcpExchange, silenceMs: number): Promise<void> {
    if (!(await turn.isSilentFor(silenceMs))) return;
    const silence = `the agent gave no sign of progress for ${Math.round(silenceMs / 1_000)} s`;
    const { preset, link, tools } = this.#parts;
    const since = new Date(tools.clock.now().getTime() - silenceMs);
    const trouble = troubleLogged(preset, link.program.stderrTail, since);
    const message = trouble === null ? silence : `${silence}; its log says: ${trouble}`;
    await this.#interrupt(turn, { reason: 'failed', message });
  }

  #cancelOn(signal: AbortSignal | undefined, turn: AcpExchange): void {
    if (signal === undefined) return;
    const onAbort = () => void this.#interrupt(turn, { reason: 'cancelled', message: null });
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });
    void turn.over.then(() => signal.removeEventListener('abort', onAbort));
  }

  /** The system prompt, if it has to go with the first prompt. */
  #takePreamble(): string | null {
    const preamble = this.#preamble;
    this.#preamble = null;
    return preamble;
  }
}

/** What a silent agent has written to its log since then. */
function troubleLogged({ loggedTrouble }: AcpPreset, log: string, since: Date): string | null {
  if (loggedTrouble === null) return null;
  const told = [...log.matchAll(loggedTrouble)].map(({ groups }) => groups ?? {});
  // The decisive line was written just before the silence began.
  const recent = told.filter(({ at = '' }) => Date.parse(at) >= since.getTime() - SILENT_AFTER_MS);
  return recent.at(-1)?.words ?? null;
}

/** How long before its silence an agent may have logged the cause. */
const SILENT_AFTER_MS = 5_000;

/** Of all the causes that make an agent start over and over, this is the only one we know. */
function overflowAfter(messages: number): Interruption {
  const message = `the agent began to answer ${messages} times in a row without doing anything: its context is probably full`;
  return { reason: 'context-overflow', message };
}
