import type { AgentEvent } from '../events.js';
import type { FileChange } from '../permission.js';
import type { AcpPreset } from './presets.js';
import { RepeatedText } from './repeated-text.js';
import { ContentBlock, type SessionUpdate, type ToolCallFields } from './schema.js';
import { ToolCalls } from './tool-calls.js';

/** How much of the text is kept, to look for a reason in it. */
const TAIL_LENGTH = 2_000;

type Quirks = Pick<AcpPreset, 'repeatsTextAfterBreak' | 'statusText'>;

/** Turns the updates of one exchange into events, in order. Knows nothing of time or processes. */
export class Translator {
  readonly #quirks: Quirks;
  readonly #toolCalls = new ToolCalls();
  readonly #text = new RepeatedText();
  readonly #thinking = new RepeatedText();
  #tail = '';
  #retries = 0;
  #trouble: string | null = null;

  constructor(quirks: Quirks) {
    this.#quirks = quirks;
  }

  get hasOpenToolCall(): boolean {
    return this.#toolCalls.hasOpen;
  }

  /** The end of what was said. */
  get tail(): string {
    return this.#tail;
  }

  /** What the agent could not get over, as far as it said so; null once it continued. */
  get trouble(): string | null {
    return this.#trouble;
  }

  /** The events of an update; kinds that we do not know or do not show have none. */
  apply(update: SessionUpdate): AgentEvent[] {
    switch (update.sessionUpdate) {
      case 'agent_message_chunk':
        return this.#say('text', update);
      case 'agent_thought_chunk':
        return this.#say('thinking', update);
      case 'tool_call':
      case 'tool_call_update':
        this.#trouble = null;
        return [...this.#flushText(), ...this.#toolCalls.apply(update, update.content)];
      case 'usage_update':
        this.#trouble = null;
        return [];
      case 'session_info_update':
        return this.#noteRetry(update);
      case 'notice':
        return noticeOf(update);
      default:
        return [];
    }
  }

  /** What the agent asks permission for, and the events to report before that. */
  ask(
    fields: ToolCallFields,
    content: unknown,
  ): { call: ToolCallFields; changes: readonly FileChange[]; events: AgentEvent[] } {
    const { fields: call, changes } = this.#toolCalls.merge(fields, content);
    return { call, changes, events: this.finish() };
  }

  /** What was held back, at the end of the exchange. */
  finish(): AgentEvent[] {
    return [...this.#flushText(), ...this.#toolCalls.flush()];
  }

  #say(type: 'text' | 'thinking', update: SessionUpdate): AgentEvent[] {
    const block = ContentBlock.safeParse(update.content);
    const text = block.success && block.data.type === 'text' ? (block.data.text ?? '') : '';
    if (type === 'text' && this.#quirks.statusText?.test(text)) return [];
    // Codex reports its last error as a message without an id; the model's own messages have one.
    if (type === 'thinking' || update.messageId !== undefined) this.#trouble = null;
    if (type === 'text') this.#tail = (this.#tail + text).slice(-TAIL_LENGTH);
    const filter = type === 'text' ? this.#text : this.#thinking;
    return spoken(type, this.#quirks.repeatsTextAfterBreak ? filter.push(text) : text);
  }

  #flushText(): AgentEvent[] {
    if (!this.#quirks.repeatsTextAfterBreak) return [];
    return [...spoken('thinking', this.#thinking.flush()), ...spoken('text', this.#text.flush())];
  }

  /** codex-acp reports its retries in the metadata of an otherwise empty update. */
  #noteRetry(update: SessionUpdate): AgentEvent[] {
    const error = propertyOf(update._meta?.codex, 'error');
    if (error === undefined || error === null) return [];
    const message = typeof error === 'string' ? error : stringOf(propertyOf(error, 'message'));
    this.#trouble = message ?? 'the model could not be reached';
    this.#retries += 1;
    const status = statusIn(error);
    return [{ type: 'retry', attempt: this.#retries, delayMs: null, status, message: this.#trouble }];
  }
}

/** The HTTP status anywhere in an error, however the agent wraps it. */
export function statusIn(value: unknown, depth = 0): number | null {
  if (typeof value !== 'object' || value === null || depth > 4) return null;
  for (const [key, inner] of Object.entries(value)) {
    if (/^(http_?)?status(_?code)?$/i.test(key) && typeof inner === 'number') return inner;
    const found = statusIn(inner, depth + 1);
    if (found !== null) return found;
  }
  return null;
}

function spoken(type: 'text' | 'thinking', text: string): AgentEvent[] {
  return text === '' ? [] : [{ type, text }];
}

function noticeOf(update: SessionUpdate): AgentEvent[] {
  if (update.severity !== 'error' && update.severity !== 'warning') return [];
  const message = [update.title, update.description].filter((part) => part !== undefined).join(': ');
  return [{ type: 'error', message, status: null }];
}

function propertyOf(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[key] : undefined;
}

function stringOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
