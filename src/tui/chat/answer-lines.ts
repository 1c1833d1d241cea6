import { BAR, visibleBlock, wrapText } from '../../foundation/index.js';
import { MarkdownReader } from '../markdown.js';
import { type Span, widthOf } from '../wrap.js';

/** Where rows of an answer go. */
export interface AnswerTarget {
  /** Rows that stay as they are. */
  keep(rows: readonly string[]): void;
  /** The rows of the line that is still being written, in place of the ones before; none when it is over. */
  show(rows: readonly string[]): void;
  readonly columns: number;
  /** How many rows may be redrawn. */
  readonly rows: number;
}

/** How a span looks; without looks the text stands as the agent wrote it, marks included. */
export type Paint = (span: Span) => string;

/**
 * The answer of an agent as it comes: each line as Markdown, wrapped between words, a bar before every row. The last line is drawn again with every
 * piece until it is whole.
 */
export class AnswerLines {
  readonly #target: AnswerTarget;
  readonly #paint: Paint | undefined;
  #reader = new MarkdownReader();
  #line = '';

  constructor(target: AnswerTarget, paint: Paint | undefined) {
    this.#target = target;
    this.#paint = paint;
  }

  push(text: string): void {
    const lines = `${this.#line}${visibleBlock(text)}`.split('\n');
    this.#line = lines.pop() ?? '';
    if (lines.length > 0) {
      this.#target.show([]);
      this.#target.keep(lines.flatMap((line) => this.#rowsOf(line, true)));
    }
    const rows = this.#line === '' ? [] : this.#rowsOf(this.#line, false);
    // What is higher than the screen cannot be drawn again: it is shown when it is whole.
    this.#target.show(rows.slice(0, Math.max(1, this.#target.rows - 2)));
  }

  /** The answer is over, or something else is to be written: the line ends here. */
  end(): void {
    this.#target.show([]);
    if (this.#line !== '') this.#target.keep(this.#rowsOf(this.#line, true));
    this.#line = '';
  }

  /** A new answer: code that was not closed is over. */
  begin(): void {
    this.end();
    this.#reader = new MarkdownReader();
  }

  #rowsOf(line: string, isWhole: boolean): string[] {
    const width = Math.max(10, this.#target.columns - widthOf(BAR));
    return this.#unbarred(line, width, isWhole).map((row) => (row === '' ? BAR.trimEnd() : BAR + row));
  }

  #unbarred(line: string, width: number, isWhole: boolean): string[] {
    const paint = this.#paint;
    if (paint === undefined) return wrapText(line, width);
    const rows = isWhole ? this.#reader.take(line, width) : this.#reader.peek(line, width);
    return rows.map((row) => row.map(paint).join(''));
  }
}
