/** A piece of a message to pass on. */
export interface Piece {
  readonly messageId: string;
  readonly text: string;
}

interface Message {
  messageId: string;
  /** What the reader has seen of it, over all attempts. */
  seen: string;
  /** The text of it from this attempt. */
  text: string;
}

/**
 * What was passed on of the current reply. A reply that broke off is requested again and restarts under new ids. What the
 * reader already has is not passed on again, and the rest continues the message it belongs to.
 */
export class RetriedReply {
  #messages = new Map<string, Message>();
  #earlier: Message[] = [];

  /** Takes a piece of a message and returns its new part. */
  add(id: string, text: string): Piece | undefined {
    const message = this.#messageOf(id);
    message.text += text;
    if (message.seen.startsWith(message.text)) return undefined;
    // An attempt that takes a different course becomes a message of its own: what was seen cannot be taken back.
    const goesOn = message.text.startsWith(message.seen);
    if (!goesOn) message.messageId = id;
    const fresh = goesOn ? message.text.slice(message.seen.length) : message.text;
    message.seen = message.text;
    return { messageId: message.messageId, text: fresh };
  }

  /** Takes the finished message and returns what did not come in pieces. */
  complete(id: string, whole: string): Piece | undefined {
    const { text } = this.#messageOf(id);
    return whole.startsWith(text) && whole !== text ? this.add(id, whole.slice(text.length)) : undefined;
  }

  /** The reply broke off and is being requested again. */
  beginAgain(): void {
    this.#earlier = [...this.#messages.values(), ...this.#earlier];
    this.#messages.clear();
  }

  /** The reply is complete. */
  endReply(): void {
    this.#earlier = [];
    this.#messages.clear();
  }

  #messageOf(id: string): Message {
    const known = this.#messages.get(id);
    if (known !== undefined) return known;
    const earlier = this.#earlier.shift();
    const message = { messageId: earlier?.messageId ?? id, seen: earlier?.seen ?? '', text: '' };
    this.#messages.set(id, message);
    return message;
  }
}
