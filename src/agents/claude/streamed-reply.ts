type BlockKind = 'text' | 'thinking';

/**
 * What of the current reply was already passed on in pieces. The whole block comes behind them on a line of its own,
 * and only what is missing of it may be passed on then.
 */
export class StreamedReply {
  #messageId: string | undefined;
  readonly #blocks = new Map<string, string>();

  begin(messageId: string | undefined): void {
    this.#messageId = messageId;
    this.#blocks.clear();
  }

  beginBlock(index: number): void {
    this.#blocks.delete(`text ${index}`);
    this.#blocks.delete(`thinking ${index}`);
  }

  add(kind: BlockKind, index: number, text: string): void {
    const key = `${kind} ${index}`;
    this.#blocks.set(key, (this.#blocks.get(key) ?? '') + text);
  }

  /** What of a whole block was not passed on yet: blocks come in the order of their pieces. */
  missingOf(kind: BlockKind, messageId: string | undefined, whole: string): string {
    const key = [...this.#blocks.keys()].find((name) => name.startsWith(kind));
    if (key === undefined) return whole;
    const streamed = this.#blocks.get(key) ?? '';
    if (whole.startsWith(streamed)) {
      this.#blocks.delete(key);
      return whole.slice(streamed.length);
    }
    // Pieces of another reply that broke off: this one came without any.
    if (messageId !== this.#messageId) return whole;
    this.#blocks.delete(key);
    return '';
  }
}
