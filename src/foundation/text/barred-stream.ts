import { visibleBlock } from './visible-text.js';
import { BAR, breakWord, columnsOf } from './wrap.js';

export interface BarredStreamOptions {
  readonly write: (text: string) => void;
  /** The current width of the terminal. */
  readonly columns: () => number;
  readonly bar?: string | undefined;
}

/** A word longer than this is shown before it is complete. */
const MAX_HELD = 4_096;
const MIN_COLUMNS = 4;

/**
 * Foreign text on a terminal as it arrives in pieces: a bar before every row, wrapped between words. What is on screen
 * is never rewritten. The last word is held back until it is complete, so no character or line break is ever shown
 * half-finished.
 */
export class BarredStream {
  readonly #options: BarredStreamOptions;
  readonly #bar: string;
  /** The beginning of a word, as it arrived. */
  #held = '';
  #isRowOpen = false;
  #column = 0;
  /** Blanks that are written only when something follows them in the same row. */
  #blanks = '';

  constructor(options: BarredStreamOptions) {
    this.#options = options;
    this.#bar = options.bar ?? BAR;
  }

  push(text: string): void {
    const all = this.#held + text;
    const end =
      all.length > MAX_HELD ? endOfWhole(all) : Math.max(all.lastIndexOf(' '), all.lastIndexOf('\n')) + 1;
    this.#held = all.slice(end);
    this.#show(all.slice(0, end));
  }

  /** Ends the text, or makes room for other output: shows what was held back and ends the row. */
  end(): void {
    this.#show(this.#held);
    this.#held = '';
    if (this.#isRowOpen) this.#endRow();
  }

  #show(text: string): void {
    if (text === '') return;
    const lines = visibleBlock(text).split('\n');
    for (const [index, line] of lines.entries()) {
      if (index > 0) this.#breakLine();
      for (const word of line.match(/ +|[^ ]+/g) ?? []) this.#showWord(word);
    }
  }

  #showWord(word: string): void {
    if (word.startsWith(' ')) {
      this.#openRow();
      this.#blanks += word;
      return;
    }
    const room = this.#room();
    const size = columnsOf(word);
    for (const piece of size > room ? breakWord(word, room) : [word]) {
      if (this.#isRowOpen && this.#column + this.#blanks.length + columnsOf(piece) > room) this.#endRow();
      this.#openRow();
      this.#options.write(this.#blanks + piece);
      this.#column += this.#blanks.length + columnsOf(piece);
      this.#blanks = '';
    }
  }

  #room(): number {
    return Math.max(MIN_COLUMNS, this.#options.columns() - columnsOf(this.#bar));
  }

  #openRow(): void {
    if (this.#isRowOpen) return;
    this.#isRowOpen = true;
    this.#options.write(this.#bar);
  }

  #breakLine(): void {
    this.#openRow();
    this.#endRow();
  }

  #endRow(): void {
    this.#options.write('\n');
    this.#isRowOpen = false;
    this.#column = 0;
    this.#blanks = '';
  }
}

/** The offset after the last character that is surely complete: marks and joiners may still follow the final one. */
function endOfWhole(text: string): number {
  let end = text.length - 1;
  while (
    end > 0 &&
    /\p{M}|\p{Cs}|\p{Cf}|\r|\p{Emoji_Modifier}/u.test(String.fromCodePoint(text.codePointAt(end) ?? 0))
  )
    end -= 1;
  return isLowSurrogate(text, end) ? end - 1 : end;
}

function isLowSurrogate(text: string, at: number): boolean {
  const unit = text.charCodeAt(at);
  return unit >= 0xdc00 && unit <= 0xdfff;
}
