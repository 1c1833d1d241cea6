import { type AgentEvent, describeEvent } from '../../agents/index.js';
import { BarredStream, rowsOf, visibleBlock } from '../../foundation/index.js';
import type { ChatView } from './chat.js';
import type { ChatStyle } from './screen.js';

export interface PlainStream {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

/**
 * Text as it arrives: nothing is redrawn or styled. On a screen each row from the agent has a bar; in a pipe or a file its
 * lines are only made visible.
 */
export class PlainScreen implements Omit<ChatView, 'asked'> {
  readonly #stream: PlainStream;
  readonly #style: ChatStyle;
  readonly #barred: BarredStream | undefined;
  #isAtLineStart = true;

  constructor(stream: PlainStream, style: ChatStyle) {
    this.#stream = stream;
    this.#style = style;
    if (stream.isTTY === true)
      this.#barred = new BarredStream({
        write: (text) => void stream.write(text),
        columns: () => this.#columns(),
      });
  }

  say(text: string): void {
    this.#line(text);
  }

  note(text: string): void {
    this.#line(text, this.#style.dim);
  }

  warn(text: string): void {
    this.#line(text, this.#style.yellow);
  }

  event(event: AgentEvent): void {
    if (event.type === 'text') this.#print(event.text);
    else {
      const line = describeEvent(event);
      if (line !== undefined) this.note(line);
    }
  }

  working(isWorking: boolean): void {
    if (!isWorking) this.#startLine();
  }

  /** Something else is about to be written: on a screen, the row ends here. */
  pause(): void {
    this.#barred?.end();
  }

  #print(text: string): void {
    if (text === '') return;
    if (this.#barred !== undefined) {
      this.#barred.push(text);
      return;
    }
    this.#stream.write(visibleBlock(text));
    this.#isAtLineStart = text.endsWith('\n');
  }

  #line(text: string, paint: (row: string) => string = (row) => row): void {
    this.#startLine();
    const rows = rowsOf(text, this.#columns());
    this.#stream.write(`${rows.map((row) => paint(row)).join('\n')}\n`);
  }

  #startLine(): void {
    this.#barred?.end();
    if (!this.#isAtLineStart) this.#stream.write('\n');
    this.#isAtLineStart = true;
  }

  /** A pipe has no columns: there, lines are not wrapped. */
  #columns(): number {
    return this.#stream.isTTY === true ? this.#stream.columns || 80 : Number.POSITIVE_INFINITY;
  }
}
