import type { AgentEvent } from './events.js';

type Text = Extract<AgentEvent, { type: 'text' }>;

const BETWEEN_MESSAGES = 2;

/**
 * Keeps the messages of one exchange apart: the text that begins a message is led by a blank line, so that whoever joins
 * the texts of an exchange gets paragraphs, and the first line of a message is a line of its own.
 *
 * A message ends where the driver's `messageId` changes; without ids, where the agent used a tool.
 */
export class MessageBreaks {
  #last: { messageId: string | undefined; lineEnds: number } | undefined;
  #hasActed = false;

  /** The event as it is to be told. */
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

/** How many line ends stand at the end of what was said so far, two at most. */
function lineEndsOf(text: string, before: number): number {
  const own = /\n*$/.exec(text)?.[0].length ?? 0;
  return Math.min(BETWEEN_MESSAGES, own === text.length ? own + before : own);
}
