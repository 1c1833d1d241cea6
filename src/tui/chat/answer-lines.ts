import { BAR, visibleBlock, wrapText } from '../../foundation/index.js';
import { MarkdownReader } from '../markdown.js';
import { type Span, widthOf } from '../wrap.js';

/** Where the rows of an answer go. */
export interface AnswerTarget {
  /** Writes rows that will not change. */
  keep(rows: readonly string[]): void;
  /** Shows the rows of the line still being written, replacing the previous ones; none when the line is over. */
  show(rows: readonly string[]): void;
  readonly columns: number;
  /** How many rows may be redrawn. */
  readonly rows: number;
}

/** Styles a span; without it, the text is shown as the agent wrote it, marks included. */
export type Paint = (span: Span) => string;

/**
 * An agent's answer as it arrives: each line as Markdown, wrapped between words, with a bar before every row. The last line
 * is redrawn with every piece until it is complete.
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
    // Rows beyond the height of the screen cannot be redrawn; they are shown once the line is complete.
    this.#target.show(rows.slice(0, Math.max(1, this.#target.rows - 2)));
  }

  /** Ends the line, because the answer is over or something else is about to be written. */
  end(): void {
    this.#target.show([]);
    if (this.#line !== '') this.#target.keep(this.#rowsOf(this.#line, true));
    this.#line = '';
  }

  /** Begins a new answer, which ends any unclosed block of code. */
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
