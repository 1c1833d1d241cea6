import type { AgentEvent, TurnEnd, TurnEndReason } from './events.js';
import { MessageBreaks } from './message-breaks.js';
import { checkedUsage } from './usage.js';

/**
 * One exchange as a queue between a protocol and its reader: events come in as they arrive and go out in order. The first
 * `turn-end` closes it; whatever comes later does not belong to this exchange. For every protocol and reader, it
 * separates messages and drops numbers that make no sense.
 */
export class Exchange implements AsyncIterable<AgentEvent> {
  readonly #events: AgentEvent[] = [];
  readonly #onAbandon: () => void;
  readonly #breaks = new MessageBreaks();
  #wake: (() => void) | undefined;
  #end: TurnEnd | undefined;

  /** `onAbandon` is called when the reader leaves before the end. */
  constructor(onAbandon: () => void) {
    this.#onAbandon = onAbandon;
  }

  get isOver(): boolean {
    return this.#end !== undefined;
  }

  push(event: AgentEvent): void {
    if (this.#end !== undefined) return;
    if (event.type === 'turn-end') this.#end = event;
    const checked = event.type === 'usage' ? { ...event, usage: checkedUsage(event.usage) } : event;
    this.#events.push(this.#breaks.apply(checked));
    this.#wake?.();
  }

  finish(reason: TurnEndReason, message: string | null = null): void {
    this.push({ type: 'turn-end', reason, message });
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<AgentEvent> {
    try {
      for (;;) {
        const event = this.#events.shift();
        if (event === undefined) {
          await new Promise<void>((resolve) => {
            this.#wake = resolve;
          });
          continue;
        }
        yield event;
        if (event.type === 'turn-end') return;
      }
    } finally {
      if (!this.isOver) this.#onAbandon();
    }
  }
}
