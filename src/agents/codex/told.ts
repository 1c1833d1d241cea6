/** A piece of a message that is to be passed on. */
export interface Piece {
  readonly messageId: string;
  readonly text: string;
}

interface Message {
  messageId: string;
  /** What the reader has of it, over all attempts. */
  seen: string;
  /** What this attempt said of it. */
  text: string;
}

/**
 * What of the current reply was passed on. A reply that broke off is asked for again and begins from its beginning, under
 * new ids: what the reader has already is not passed on again, and the rest goes on in the message it belongs to.
 */
export class Told {
  #messages = new Map<string, Message>();
  #earlier: Message[] = [];

  /** Takes a piece of a message; what of it is new. */
  add(id: string, text: string): Piece | undefined {
    const message = this.#messageOf(id);
    message.text += text;
    if (message.seen.startsWith(message.text)) return undefined;
    // An attempt that takes another turn is a message of its own: what was seen cannot be taken back.
    const goesOn = message.text.startsWith(message.seen);
    if (!goesOn) message.messageId = id;
    const fresh = goesOn ? message.text.slice(message.seen.length) : message.text;
    message.seen = message.text;
    return { messageId: message.messageId, text: fresh };
  }

  /** Takes a message as it is in the end; what of it did not come in pieces. */
  complete(id: string, whole: string): Piece | undefined {
    const { text } = this.#messageOf(id);
    return whole.startsWith(text) && whole !== text ? this.add(id, whole.slice(text.length)) : undefined;
  }

  /** The reply broke off and is asked for again. */
  beginAgain(): void {
    this.#earlier = [...this.#messages.values(), ...this.#earlier];
    this.#messages.clear();
  }

  /** The reply is whole. */
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
