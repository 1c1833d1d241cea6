import { type AgentEvent, describeEvent } from '../../agents/index.js';
import { rowsOf } from '../../foundation/index.js';
import { AnswerLines, type Paint } from './answer-lines.js';
import type { ChatView } from './chat.js';

/** Colours for lines; the text unchanged if there are none. */
export interface ChatStyle {
  bold(text: string): string;
  dim(text: string): string;
  yellow(text: string): string;
  cyan(text: string): string;
}

export interface ChatScreenOptions {
  readonly style: ChatStyle;
  /** Styles for the agent's text; undefined shows it as written. */
  readonly paint: Paint | undefined;
  /** The size of the terminal now. */
  readonly size: () => { readonly columns: number; readonly rows: number };
}

/** How Markdown looks in these colours. */
export function paintWith(style: ChatStyle): Paint {
  return ({ text, look }) => {
    if (look === 'bold' || look === 'heading') return style.bold(text);
    if (look === 'code') return style.cyan(text);
    return look === 'dim' ? style.dim(text) : text;
  };
}

const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const FRAME_MS = 100;

/** The chat as it scrolls by: answers as they arrive, a line for each tool, a spinner while nothing arrives. */
export class ChatScreen implements Omit<ChatView, 'asked'>, Disposable {
  readonly #write: (text: string) => void;
  readonly #options: ChatScreenOptions;
  readonly #answer: AnswerLines;
  #spinner: NodeJS.Timeout | undefined;
  #frame = 0;
  #startedAt = 0;
  /** Whether a prompt is open; then nothing may be drawn below it. */
  #isAsking = false;
  /** How many rows at the end get redrawn: those of the line the agent is writing, or the spinner. */
  #drawnRows = 0;
  #isSpinnerShown = false;

  constructor(write: (text: string) => void, options: ChatScreenOptions) {
    this.#write = write;
    this.#options = options;
    const show = (rows: readonly string[]) => this.#show(rows);
    this.#answer = new AnswerLines(
      {
        keep: (rows) => this.#keep(rows),
        show,
        get columns() {
          return options.size().columns;
        },
        get rows() {
          return options.size().rows;
        },
      },
      options.paint,
    );
  }

  say(text: string): void {
    this.#lines(text, (row) => row);
  }

  note(text: string): void {
    this.#lines(text, (row) => this.#options.style.dim(row));
  }

  warn(text: string): void {
    this.#lines(text, (row) => this.#options.style.yellow(row));
  }

  /** Writes rows unchanged. */
  rows(rows: readonly string[]): void {
    this.#answer.end();
    this.#keep(rows);
  }

  /** Shows something that was said earlier. */
  recall(text: string): void {
    this.#answer.begin();
    this.#answer.push(text);
    this.#answer.end();
  }

  event(event: AgentEvent): void {
    if (event.type === 'text') this.#answer.push(event.text);
    else {
      const line = describeEvent(event);
      if (line !== undefined) this.note(line);
    }
  }

  working(isWorking: boolean): void {
    clearInterval(this.#spinner);
    this.#spinner = undefined;
    if (!isWorking) {
      this.#answer.end();
      this.#show([]);
      return;
    }
    this.#answer.begin();
    this.#startedAt = performance.now();
    this.#spinner = setInterval(() => this.#spin(), FRAME_MS);
  }

  /** Begins or ends a prompt below what is shown. */
  asking(isAsking: boolean): void {
    this.#answer.end();
    this.#show([]);
    this.#isAsking = isAsking;
  }

  [Symbol.dispose](): void {
    this.working(false);
  }

  #spin(): void {
    // Only on a free row: an answer that pauses within a line is not overwritten.
    if (this.#isAsking || (this.#drawnRows > 0 && !this.#isSpinnerShown)) return;
    const seconds = Math.floor((performance.now() - this.#startedAt) / 1_000);
    this.#frame += 1;
    const frame = FRAMES[this.#frame % FRAMES.length];
    this.#show([this.#options.style.dim(`${frame} ${seconds} s (Ctrl+C cancels)`)]);
    this.#isSpinnerShown = true;
  }

  /** Draws rows over those drawn last; the cursor stays in the last one. */
  #show(rows: readonly string[]): void {
    if (this.#isAsking) return;
    const up = this.#drawnRows > 1 ? `\x1b[${this.#drawnRows - 1}A` : '';
    const erase = this.#drawnRows === 0 ? '' : `${up}\r\x1b[J`;
    if (erase !== '' || rows.length > 0) this.#write(`${erase}${rows.join('\r\n')}`);
    this.#drawnRows = rows.length;
    this.#isSpinnerShown = false;
  }

  #keep(rows: readonly string[]): void {
    this.#show([]);
    if (rows.length > 0) this.#write(`${rows.join('\n')}\n`);
  }

  #lines(text: string, paint: (row: string) => string): void {
    const { columns } = this.#options.size();
    this.rows(rowsOf(text, columns).map(paint));
  }
}
