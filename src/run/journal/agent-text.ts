import type { AgentEvent } from '../../agents/index.js';
import { openPrivateKey, redact } from '../../foundation/index.js';

type TextEvent = Extract<AgentEvent, { type: 'text' | 'thinking' }>;

/** A line that grows beyond this is not held back until it ends. */
const MAX_LINE = 8_192;

/**
 * Joins the pieces an agent writes into whole lines. A secret split across two pieces shows only in the whole line, so a
 * partial line is held back until it ends, something else happens or the agent pauses.
 */
export class AgentText {
  #held = '';
  #kind: TextEvent | undefined;

  get isHolding(): boolean {
    return this.#held !== '';
  }

  /** The events that can be written down now. */
  add(event: TextEvent): TextEvent[] {
    const before = isSameText(this.#kind, event) ? [] : this.release();
    this.#kind = event;
    this.#held += event.text;
    const end = endOfWhole(this.#held);
    if (end === 0) return before;
    const whole = { ...event, text: this.#held.slice(0, end) };
    this.#held = this.#held.slice(end);
    return [...before, whole];
  }

  /** Whatever is held back, even if it is only part of a line. */
  release(): TextEvent[] {
    const [kind, text] = [this.#kind, this.#held];
    this.#held = '';
    return kind === undefined || text === '' ? [] : [{ ...kind, text }];
  }
}

function isSameText(a: TextEvent | undefined, b: TextEvent): boolean {
  return a?.type === b.type && messageOf(a) === messageOf(b);
}

function messageOf(event: TextEvent): string | undefined {
  return event.type === 'text' ? event.messageId : undefined;
}

/** The offset just after the last whole line. A private key counts as one line, however many it has. */
function endOfWhole(text: string): number {
  const key = openPrivateKey(text);
  const end = text.lastIndexOf('\n', key === -1 ? text.length : key) + 1;
  if (text.length - end <= MAX_LINE || key !== -1) return end;
  return Math.max(end, text.lastIndexOf(' ') + 1) || text.length;
}

/** The longest text in one event; an agent may be given whole files. */
const MAX_STRING = 16_384;

/** A value whose texts hold no secrets and are cut if they are too long. */
export function fitForDisk<Value>(value: Value): Value {
  return fitting(value) as Value;
}

function fitting(value: unknown): unknown {
  if (typeof value === 'string') return fitText(value);
  if (Array.isArray(value)) return value.map(fitting);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, fitting(inner)]));
}

function fitText(text: string): string {
  const shown = redact(text);
  if (shown.length <= MAX_STRING) return shown;
  return `${shown.slice(0, MAX_STRING)}… (${shown.length - MAX_STRING} more characters)`;
}
