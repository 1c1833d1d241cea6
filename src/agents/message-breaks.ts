import type { AgentEvent } from './events.js';

type Text = Extract<AgentEvent, { type: 'text' }>;

const BETWEEN_MESSAGES = 2;

/**
 * Separates the messages of one exchange: the text that begins a message gets a blank line in front. Joining the texts of
 * an exchange then yields paragraphs, and the first line of a message stands alone.
 *
 *
 * A message ends where the driver's `messageId` changes; without ids, where the agent used a tool.
 */
export class MessageBreaks {
  #last: { messageId: string | undefined; lineEnds: number } | undefined;
  #hasActed = false;

  /** The event with the blank line added if it begins a message. */
  apply(event: AgentEvent): AgentEvent {
    if (event.type === 'text') return this.#say(event);
    if (ACTS.includes(event.type)) this.#hasActed = true;
    return event;
  }

  #say(event: Text): Text {
    const lead = this.#isNewMessage(event) ? BETWEEN_MESSAGES - (this.#last?.lineEnds ?? 0) : 0;
    const text = `${'\n'.repeat(lead)}${event.text}`;
    const lineEnds = lineEndsOf(text, this.#last?.lineEnds ?? BETWEEN_MESSAGES);
    this.#last = { messageId: event.messageId, lineEnds };
    this.#hasActed = false;
    return lead === 0 ? event : { ...event, text };
  }

  #isNewMessage({ messageId }: Text): boolean {
    if (this.#last === undefined) return false;
    if (messageId === undefined || this.#last.messageId === undefined) return this.#hasActed;
    return messageId !== this.#last.messageId;
  }
}

const ACTS: readonly AgentEvent['type'][] = ['tool-call', 'tool-result', 'permission'];

/** How many line ends the text so far ends with, two at most. */
function lineEndsOf(text: string, before: number): number {
  const own = /\n*$/.exec(text)?.[0].length ?? 0;
  return Math.min(BETWEEN_MESSAGES, own === text.length ? own + before : own);
}
