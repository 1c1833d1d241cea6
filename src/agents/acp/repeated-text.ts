/** Below this much text, saying the same again is more likely meant than a repetition (`ha` + `ha`). */
const MIN_REPEATED = 12;

/**
 * Lets text through once when an agent, after a broken stream, says it again from the beginning without a mark.
 *
 * Compared is what was said since the last tool call, because that is one answer of the model: pieces that begin just
 * as that text did are held back while they go on the same. Once they reach further than what was said before, they
 * were a repetition and only what is new comes out. As soon as they differ, the first of them was not, and comes out;
 * but a later one may be where the stream broke, so the rest is looked at again. What is still held when the answer
 * ends comes out too, unless it is the whole text again. A model that answers differently after the break cannot be
 * told from one that goes on, so then both texts are shown; and an answer that says its own beginning again in its
 * middle cannot be told from a break.
 */
export class RepeatedText {
  #said = '';
  #head = '';
  #held: string[] = [];
  #heldLength = 0;

  /** The part of a piece that is new; may be empty, may hold earlier pieces. */
  push(piece: string): string {
    if (this.#heldLength + piece.length <= this.#said.length && this.#goesOnTheSame(piece)) {
      this.#hold(piece);
      return '';
    }
    const pieces = [...this.#held, piece];
    this.#dropHeld();
    return this.#sortOut(pieces);
  }

  /** The answer is over, another one may begin: what was held back for nothing. */
  flush(): string {
    const held = this.#held.join('');
    const rest = held === this.#said ? '' : held;
    this.#said = '';
    this.#head = '';
    this.#dropHeld();
    return rest;
  }

  /** Finds the piece with which everything may begin again; those before it were held back and went on the same. */
  #sortOut(pieces: readonly string[]): string {
    let before = '';
    for (const [index, piece] of pieces.entries()) {
      // So much of the beginning, and then the beginning once more: the stream broke while it was repeated.
      const isBrokenAgain = before.length >= MIN_REPEATED;
      const said = isBrokenAgain ? this.#said : this.#said + before;
      const again = this.#mayBeginAgain(piece) ? pieces.slice(index).join('') : '';
      const isRepeated = again.length > said.length ? again.startsWith(said) : said.startsWith(again);
      if (again !== '' && isRepeated) {
        const fresh = isBrokenAgain ? '' : this.#say(before);
        if (again.length > said.length) return fresh + this.#say(again.slice(said.length));
        for (const later of pieces.slice(index)) this.#hold(later);
        return fresh;
      }
      before += piece;
    }
    return this.#say(before);
  }

  #goesOnTheSame(piece: string): boolean {
    return this.#heldLength > 0 && this.#said.startsWith(piece, this.#heldLength);
  }

  /** Looks at the first few characters only, so that long texts are not compared with every piece. */
  #mayBeginAgain(piece: string): boolean {
    if (this.#head.length < MIN_REPEATED || piece === '') return false;
    return piece.startsWith(this.#head) || this.#head.startsWith(piece);
  }

  #hold(piece: string): void {
    this.#held.push(piece);
    this.#heldLength += piece.length;
  }

  #dropHeld(): void {
    this.#held = [];
    this.#heldLength = 0;
  }

  #say(text: string): string {
    this.#said += text;
    if (this.#head.length < MIN_REPEATED) this.#head = this.#said.slice(0, MIN_REPEATED);
    return text;
  }
}
