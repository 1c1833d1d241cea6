/** A repetition shorter than this is more likely meant (`ha` + `ha`). */
const MIN_REPEATED = 12;

/**
 * Lets text through only once when an agent repeats it from the beginning after a broken stream, without marking it.
 *
 *
 * It compares with what was said since the last tool call, because that is one answer of the model. Pieces that begin
 * like that text are held back for as long as they match it. Once they reach beyond it they were a repetition, and only
 * the new part comes out. As soon as they differ, the first piece was no repetition and comes out; but a later piece may
 * be where the stream broke, so the rest is examined again. Whatever is still held when the answer ends comes out too,
 * unless it is the whole text again. A model that answers differently after the break looks the same as one that
 * continues, so both texts are shown; and an answer that repeats its own beginning in the middle looks the same as a
 * break.
 */
export class RepeatedText {
  #said = '';
  #head = '';
  #held: string[] = [];
  #heldLength = 0;

  /** The new part of a piece; may be empty, may include earlier pieces. */
  push(piece: string): string {
    if (this.#heldLength + piece.length <= this.#said.length && this.#goesOnTheSame(piece)) {
      this.#hold(piece);
      return '';
    }
    const pieces = [...this.#held, piece];
    this.#dropHeld();
    return this.#sortOut(pieces);
  }

  /** The answer is over and another may begin. Returns what was held back needlessly. */
  flush(): string {
    const held = this.#held.join('');
    const rest = held === this.#said ? '' : held;
    this.#said = '';
    this.#head = '';
    this.#dropHeld();
    return rest;
  }

  /** Finds the piece at which the repetition may begin, given pieces that were held back because they matched. */
  #sortOut(pieces: readonly string[]): string {
    let before = '';
    for (const [index, piece] of pieces.entries()) {
      // The beginning, and then the beginning again: the stream broke during the repetition too.
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

  /** Compares only the first few characters, so that long texts are not compared with every piece. */
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
