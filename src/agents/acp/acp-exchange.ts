import { type Clock, visibleExcerpt } from '../../foundation/index.js';
import type { AgentEvent, TurnEndReason } from '../events.js';
import { Exchange } from '../exchange.js';
import type { ExchangeOutcome } from './outcome.js';
import type { AcpPreset } from './presets.js';
import type { SessionUpdate } from './schema.js';
import { Translator } from './translator.js';

/** How many lines that are not messages are reported; an agent that logs to stdout would drown everything else. */
const MAX_NOISE = 10;

/** Updates that show the agent is alive, not that it makes progress: an endless loop sends them too. */
const IDLE_KINDS = new Set([
  'usage_update',
  'session_info_update',
  'available_commands_update',
  'config_option_update',
  'current_mode_update',
]);

/** What an exchange reports about itself while it runs. */
export interface AcpExchangeListener {
  /** Its reader left before the end. */
  onAbandon(): void;
  /** The agent writes one message after another and does nothing. */
  onCircling(messages: number): void;
}

/** Why we ended an exchange that had not ended on its own. */
export interface Interruption {
  readonly reason: TurnEndReason;
  readonly message: string | null;
}

/** One exchange while it runs. */
export class AcpExchange {
  readonly exchange: Exchange;
  readonly translator: Translator;
  /** Resolves when the exchange has ended. */
  readonly over: Promise<void>;
  /** Resolves when the agent has answered the prompt, or can no longer do so; the rest is up to us. */
  readonly answered: Promise<void>;
  #onAnswered: () => void = () => {};
  interruption: Interruption | undefined;
  readonly #clock: Clock;
  readonly #interrupter = new AbortController();
  readonly #ender = new AbortController();
  #lastSignMs: number;
  #questions = 0;
  readonly #listener: AcpExchangeListener;
  readonly #maxMessagesInARow: number;
  #messageId: string | undefined;
  #messagesInARow = 0;
  #noise = 0;

  constructor(clock: Clock, preset: AcpPreset, listener: AcpExchangeListener) {
    this.exchange = new Exchange(() => listener.onAbandon());
    this.#listener = listener;
    this.#maxMessagesInARow = preset.maxMessagesInARow ?? Number.POSITIVE_INFINITY;
    this.translator = new Translator(preset);
    this.#clock = clock;
    this.#lastSignMs = clock.monotonicMs();
    this.answered = new Promise((resolve) => {
      this.#onAnswered = resolve;
    });
    this.over = new Promise((resolve) => {
      this.#ender.signal.addEventListener('abort', () => resolve(), { once: true });
    });
  }

  /** Fires when the exchange is about to end: a question still open no longer needs an answer. */
  get interrupted(): AbortSignal {
    return this.#interrupter.signal;
  }

  receive(update: SessionUpdate): void {
    if (!IDLE_KINDS.has(update.sessionUpdate)) this.#lastSignMs = this.#clock.monotonicMs();
    for (const event of this.translator.apply(update)) this.exchange.push(event);
    this.#countMessages(update);
  }

  #countMessages({ sessionUpdate, messageId }: SessionUpdate): void {
    if (sessionUpdate === 'tool_call' || sessionUpdate === 'tool_call_update') this.#messagesInARow = 0;
    if (sessionUpdate !== 'agent_message_chunk' || messageId === this.#messageId) return;
    this.#messageId = messageId;
    this.#messagesInARow += 1;
    if (this.#messagesInARow === this.#maxMessagesInARow) this.#listener.onCircling(this.#messagesInARow);
  }

  /** Reports a line that is not a message. */
  hear(line: string): void {
    this.#noise += 1;
    if (this.#noise > MAX_NOISE) return;
    const what = `The agent wrote a line that is not a message: ${visibleExcerpt(line, 120)}`;
    const message = this.#noise < MAX_NOISE ? what : `${what} (further ones are not shown)`;
    this.exchange.push({ type: 'error', message, status: null });
  }

  /** Waits for a person; meanwhile the agent's silence means nothing. */
  async question<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
    this.#questions += 1;
    try {
      return await ask();
    } finally {
      this.#questions -= 1;
      this.#lastSignMs = this.#clock.monotonicMs();
    }
  }

  noteAnswer(): void {
    this.#onAnswered();
  }

  interrupt(interruption: Interruption): void {
    this.interruption = interruption;
    this.#interrupter.abort();
  }

  /** Resolves to true once the agent has been silent for this long with nothing under way; to false when the exchange ends. */
  async isSilentFor(silenceMs: number): Promise<boolean> {
    while (!this.#ender.signal.aborted) {
      if (this.#questions > 0 || this.translator.hasOpenToolCall)
        this.#lastSignMs = this.#clock.monotonicMs();
      const leftMs = silenceMs - (this.#clock.monotonicMs() - this.#lastSignMs);
      if (leftMs <= 0) return true;
      await this.#clock.sleep(leftMs, this.#ender.signal).catch(() => {});
    }
    return false;
  }

  /** Ends the exchange. Our own interruption takes precedence over what the agent made of it. */
  settle(outcome: ExchangeOutcome, usage: readonly AgentEvent[]): void {
    const { exchange } = this;
    for (const event of this.translator.finish()) exchange.push(event);
    for (const event of usage) exchange.push(event);
    if (this.interruption === undefined) for (const event of outcome.events) exchange.push(event);
    const { reason, message } = this.interruption ?? outcome;
    exchange.finish(reason, message);
    this.#interrupter.abort();
    this.#ender.abort();
  }
}
