interface Block {
  readonly kind: 'text' | 'thinking';
  readonly index: number;
  text: string;
}

/**
 * Which part of the current reply was already passed on in pieces. The whole block follows on a line of its own, and only
 * the part still missing may be passed on then.
 */
export class StreamedReply {
  #messageId: string | undefined;
  #blocks: Block[] = [];
  #passedOn = { text: new PassedOn(), thinking: new PassedOn() };
  #isBroken = false;

  /** A reply begins, or begins again: one that did not finish is requested once more. */
  begin(messageId: string | undefined): void {
    this.#messageId = messageId;
    this.#blocks = [];
    if (this.#isBroken) for (const passedOn of Object.values(this.#passedOn)) passedOn.beginAgain();
    else this.#passedOn = { text: new PassedOn(), thinking: new PassedOn() };
    this.#isBroken = true;
  }

  /** The reply is complete, or no longer needed. */
  end(): void {
    this.#isBroken = false;
  }

  beginBlock(index: number): void {
    this.#blocks = this.#blocks.filter((block) => block.index !== index);
  }

  /** Takes a piece and returns its new part: a reply that begins again repeats itself. */
  add(kind: Block['kind'], index: number, text: string): string {
    const last = this.#blocks.at(-1);
    if (last?.kind === kind && last.index === index) last.text += text;
    else this.#blocks.push({ kind, index, text });
    return this.#passedOn[kind].add(text);
  }

  /** The part of a whole block that was not passed on yet: blocks arrive in the order of their pieces. */
  missingOf(kind: Block['kind'], messageId: string | undefined, whole: string): string {
    const at = this.#blocks.findIndex((block) => block.kind === kind);
    const streamed = this.#blocks[at]?.text;
    if (streamed === undefined) return whole;
    const hasStarted = whole.startsWith(streamed);
    // The pieces belong to another reply that broke off: this one came without any.
    if (!hasStarted && messageId !== this.#messageId) return whole;
    this.#blocks.splice(at, 1);
    return hasStarted ? whole.slice(streamed.length) : '';
  }
}

/** What a reader has seen of one reply, over all attempts at it. */
class PassedOn {
  #seen = '';
  #attempt = '';

  beginAgain(): void {
    this.#attempt = '';
  }

  /** An attempt that takes a different course is passed on from its beginning: what was seen cannot be taken back. */
  add(piece: string): string {
    const isNew = this.#attempt.length === this.#seen.length;
    this.#attempt += piece;
    if (isNew) {
      this.#seen = this.#attempt;
      return piece;
    }
    if (this.#seen.startsWith(this.#attempt)) return '';
    const fresh = this.#attempt.startsWith(this.#seen)
      ? this.#attempt.slice(this.#seen.length)
      : this.#attempt;
    this.#seen = this.#attempt;
    return fresh;
  }
}
