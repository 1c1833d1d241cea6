/** Below this much text, saying the same again is more likely meant than a repetition (`ha` + `ha`). */
const MIN_REPEATED = 12;

/**
 * Lets text through once when an agent, after a broken stream, says it again from the beginning without a mark.
 *
 * Compared is what was said since the last tool call, because that is one answer of the model: a piece that begins
 * just as that text did is held back while it goes on the same. Once it reaches further than what was said before, it
 * was a repetition and only what is new comes out; as soon as it differs, it was not, and all of it comes out. What is
 * still held when the answer ends comes out too, unless it is the whole text again. A model that answers differently
 * after the break cannot be told from one that goes on, so then both texts are shown.
 */
export class RepeatedText {
  #said = '';
  #head = '';
  #held = '';

  /** The part of a piece that is new; may be empty, may hold earlier pieces. */
  push(piece: string): string {
    if (this.#held === '' && !this.#mayBeginAgain(piece)) return this.#say(piece);
    const held = this.#held + piece;
    if (held.length <= this.#said.length && this.#said.startsWith(held)) {
      this.#held = held;
      return '';
    }
    this.#held = '';
    if (!held.startsWith(this.#said)) return this.#say(held);
    return this.#say(held.slice(this.#said.length));
  }

  /** The answer is over, another one may begin: what was held back for nothing. */
  flush(): string {
    const rest = this.#held === this.#said ? '' : this.#held;
    this.#said = '';
    this.#head = '';
    this.#held = '';
    return rest;
  }

  /** Looks at the first few characters only, so that long texts are not compared with every piece. */
  #mayBeginAgain(piece: string): boolean {
    if (this.#head.length < MIN_REPEATED || piece === '') return false;
    return piece.startsWith(this.#head) || this.#head.startsWith(piece);
  }

  #say(text: string): string {
    this.#said += text;
    if (this.#head.length < MIN_REPEATED) this.#head = this.#said.slice(0, MIN_REPEATED);
    return text;
  }
}
