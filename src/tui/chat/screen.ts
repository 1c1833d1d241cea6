import { type AgentEvent, describeEvent } from '../../agents/index.js';
import { visibleBlock } from '../../foundation/index.js';
import type { ChatView } from './chat.js';

/** Colours for lines; the same text where there are none. */
export interface ChatStyle {
  dim(text: string): string;
  yellow(text: string): string;
}

const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const FRAME_MS = 100;

/** The chat as it scrolls by: answers as they come, a line for each tool, a spinner while nothing comes. */
export class ChatScreen implements ChatView, Disposable {
  readonly #write: (text: string) => void;
  readonly #style: ChatStyle;
  readonly #hasSpinner: boolean;
  #isAtLineStart = true;
  #spinner: NodeJS.Timeout | undefined;
  #frame = 0;
  #startedAt = 0;
  #isSpinnerShown = false;

  constructor(
    write: (text: string) => void,
    options: { readonly style: ChatStyle; readonly hasSpinner: boolean },
  ) {
    this.#write = write;
    this.#style = options.style;
    this.#hasSpinner = options.hasSpinner;
  }

  say(text: string): void {
    this.#line(text);
  }

  note(text: string): void {
    this.#line(this.#style.dim(text));
  }

  warn(text: string): void {
    this.#line(this.#style.yellow(text));
  }

  event(event: AgentEvent): void {
    if (event.type === 'text') this.#print(visibleBlock(event.text));
    else {
      const line = describeEvent(event);
      if (line !== undefined) this.note(line);
    }
  }

  working(isWorking: boolean): void {
    clearInterval(this.#spinner);
    this.#spinner = undefined;
    this.#hideSpinner();
    if (!isWorking) this.#startLine();
    else if (this.#hasSpinner) {
      this.#startedAt = performance.now();
      this.#spinner = setInterval(() => this.#spin(), FRAME_MS);
    }
  }

  [Symbol.dispose](): void {
    this.working(false);
  }

  #spin(): void {
    // Only where nothing else stands: an answer that pauses in a line is not written over.
    if (!this.#isAtLineStart && !this.#isSpinnerShown) return;
    const seconds = Math.floor((performance.now() - this.#startedAt) / 1_000);
    this.#frame += 1;
    this.#isSpinnerShown = true;
    this.#write(
      `\r\x1b[K${this.#style.dim(`${FRAMES[this.#frame % FRAMES.length]} ${seconds} s (Ctrl+C cancels)`)}`,
    );
  }

  #hideSpinner(): void {
    if (this.#isSpinnerShown) this.#write('\r\x1b[K');
    this.#isSpinnerShown = false;
  }

  #print(text: string): void {
    if (text === '') return;
    this.#hideSpinner();
    this.#write(text);
    this.#isAtLineStart = text.endsWith('\n');
  }

  #line(text: string): void {
    this.#hideSpinner();
    this.#startLine();
    this.#write(`${text}\n`);
  }

  #startLine(): void {
    if (!this.#isAtLineStart) this.#write('\n');
    this.#isAtLineStart = true;
  }
}
