import { type AgentEvent, describeEvent } from '../../agents/index.js';
import { visibleBlock } from '../../foundation/index.js';
import type { ChatView } from './chat.js';
import type { ChatStyle } from './screen.js';

/** Text as it comes, for a pipe or a file: nothing is redrawn, wrapped or made beautiful. */
export class PlainScreen implements Omit<ChatView, 'asked'> {
  readonly #write: (text: string) => void;
  readonly #style: ChatStyle;
  #isAtLineStart = true;

  constructor(write: (text: string) => void, style: ChatStyle) {
    this.#write = write;
    this.#style = style;
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
    if (!isWorking) this.#startLine();
  }

  #print(text: string): void {
    if (text === '') return;
    this.#write(text);
    this.#isAtLineStart = text.endsWith('\n');
  }

  #line(text: string): void {
    this.#startLine();
    this.#write(`${text}\n`);
  }

  #startLine(): void {
    if (!this.#isAtLineStart) this.#write('\n');
    this.#isAtLineStart = true;
  }
}
