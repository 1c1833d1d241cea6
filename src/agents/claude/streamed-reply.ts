interface Block {
  readonly kind: 'text' | 'thinking';
  readonly index: number;
  text: string;
}

/**
 * What of the current reply was already passed on in pieces. The whole block comes behind them on a line of its own,
 * and only what is missing of it may be passed on then.
 */
export class StreamedReply {
  #messageId: string | undefined;
  #blocks: Block[] = [];

  begin(messageId: string | undefined): void {
    this.#messageId = messageId;
    this.#blocks = [];
  }

  beginBlock(index: number): void {
    this.#blocks = this.#blocks.filter((block) => block.index !== index);
  }

  add(kind: Block['kind'], index: number, text: string): void {
    const last = this.#blocks.at(-1);
    if (last?.kind === kind && last.index === index) last.text += text;
    else this.#blocks.push({ kind, index, text });
  }

  /** What of a whole block was not passed on yet: blocks come in the order of their pieces. */
  missingOf(kind: Block['kind'], messageId: string | undefined, whole: string): string {
    const at = this.#blocks.findIndex((block) => block.kind === kind);
    const streamed = this.#blocks[at]?.text;
    if (streamed === undefined) return whole;
    const hasStarted = whole.startsWith(streamed);
    // Pieces of another reply that broke off: this one came without any.
    if (!hasStarted && messageId !== this.#messageId) return whole;
    this.#blocks.splice(at, 1);
    return hasStarted ? whole.slice(streamed.length) : '';
  }
}
