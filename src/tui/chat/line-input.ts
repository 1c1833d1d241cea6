import { holdTerminal, type TerminalStreams } from '../hold-terminal.js';
import { type Key, KeyDecoder } from '../keys.js';
import { type EditorState, edit, editorText, editorWith, layOutEditor } from '../text-editor.js';
import { widthOf } from '../wrap.js';

/** What a person did at the prompt. */
export type Input =
  | { readonly type: 'message'; readonly text: string }
  /** Ctrl+C at an empty prompt. */
  | { readonly type: 'interrupt' }
  /** Ctrl+D at an empty prompt, or the end of the terminal's input. */
  | { readonly type: 'end' }
  /** The question was withdrawn. */
  | { readonly type: 'withdrawn' };

interface InputOptions extends TerminalStreams {
  /** Called on Ctrl+C while no prompt is open. */
  readonly onInterrupt: () => void;
  /** Called when a message is finished while no prompt is open; it is sent when its turn comes. */
  readonly onQueued: (text: string) => void;
  /** Called when this many queued messages will not be sent after all. */
  readonly onDropped: (count: number) => void;
  /** Called with text that would otherwise have been written across the screen. */
  readonly onNote: (text: string) => void;
  /** Receives signs that the person is looking at the screen. */
  readonly attention?: { typed(): void; focus(isFocused: boolean): void } | undefined;
}

/** A question asked in the middle of something else. */
export interface Aside {
  /** Withdraws the question. */
  readonly signal: AbortSignal;
  /** Whether an empty line is an answer. */
  readonly canBeEmpty?: boolean;
}

/**
 * The line editor of the chat: several lines, history, paste. It draws only while a prompt is open. What is typed in between
 * is kept for the next prompt, and each Enter finishes a separate message. The terminal is restored on every way out.
 */
export class LineInput implements Disposable {
  readonly #options: InputOptions;
  readonly #decoder: KeyDecoder;
  readonly #history: string[] = [];
  /** Messages finished while no prompt was open, oldest first. */
  readonly #queue: string[] = [];
  #editor: EditorState = editorWith('');
  /** The person's place in the history; at its end they write something new. */
  #place = 0;
  #unsent = '';
  #prompt = '';
  #rowsAbove = 0;
  #answer: ((input: Input) => void) | undefined;
  /** The message being written to the agent, while an aside is open. */
  #setAside: EditorState | undefined;
  #canBeEmpty = false;
  #isClosed = false;
  readonly #putBack: () => void;

  constructor(options: InputOptions) {
    this.#options = options;
    this.#decoder = new KeyDecoder((key) => this.#press(key));
    const { attention } = options;
    this.#putBack = holdTerminal(options, 'line', {
      onData: (chunk) => {
        this.#decoder.push(chunk);
        attention?.typed();
      },
      onFocus: attention && ((isFocused) => attention.focus(isFocused)),
      onEnd: () => this.#finish({ type: 'end' }),
      onResize: () => this.#draw(),
      onNote: options.onNote,
    });
  }

  /** Adds earlier messages to the history, oldest first. */
  remember(messages: readonly string[]): void {
    this.#history.push(...messages.filter((message) => message !== this.#history.at(-1)));
    this.#place = this.#history.length;
  }

  /** Queues a message after those already waiting to be sent. */
  enqueue(text: string): void {
    this.remember([text]);
    this.#queue.push(text);
  }

  /** Drops the queued messages; they stay in the history. */
  dropQueued(): void {
    const count = this.#queue.length;
    this.#queue.length = 0;
    if (count > 0) this.#options.onDropped(count);
  }

  /** Asks for the next message; a queued one is shown and taken unchanged. */
  ask(prompt: string): Promise<Input> {
    const queued = this.#isClosed ? undefined : this.#queue.shift();
    if (queued === undefined) return this.#askLine(prompt);
    this.#prompt = prompt;
    this.#options.stdout.write(`${this.#lines(this.#rows(editorWith(queued))).join('\r\n')}\r\n`);
    return Promise.resolve({ type: 'message', text: queued });
  }

  #askLine(prompt: string): Promise<Input> {
    if (this.#isClosed) return Promise.resolve({ type: 'end' });
    this.#prompt = prompt;
    this.#rowsAbove = 0;
    return new Promise((resolve) => {
      this.#answer = resolve;
      this.#draw();
    });
  }

  /**
   * Asks something in between. It starts with an empty line, whatever was typed before: nobody can have meant that as the
   * answer to a question they had not seen.
   */
  async askAside(prompt: string, { signal, canBeEmpty = false }: Aside): Promise<Input> {
    if (signal.aborted) return { type: 'withdrawn' };
    this.#setAside ??= this.#editor;
    this.#editor = editorWith('');
    this.#canBeEmpty = canBeEmpty;
    const withdraw = () => this.#finish({ type: 'withdrawn' });
    signal.addEventListener('abort', withdraw, { once: true });
    try {
      return await this.#askLine(prompt);
    } finally {
      signal.removeEventListener('abort', withdraw);
      this.#canBeEmpty = false;
      this.#editor = this.#setAside ?? this.#editor;
      this.#setAside = undefined;
    }
  }

  /** Writes whole lines above the open prompt. */
  writeAbove(text: string): void {
    const { stdout } = this.#options;
    if (this.#answer === undefined) {
      stdout.write(text);
      return;
    }
    const up = this.#rowsAbove > 0 ? `\x1b[${this.#rowsAbove}A` : '';
    stdout.write(`${up}\r\x1b[J${text}`);
    this.#rowsAbove = 0;
    this.#draw();
  }

  [Symbol.dispose](): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#finish({ type: 'end' });
    this.#decoder.close();
    this.#putBack();
  }

  #press(key: Key): void {
    if (key.name === 'ctrl-c') this.#interrupt();
    else if (this.#answer === undefined) this.#keep(key);
    else if (key.name === 'enter') this.#submit();
    else if (key.name === 'ctrl-d' && this.#text === '') this.#finish({ type: 'end' });
    else if (key.name === 'up' && this.#isAtEdge(-1)) this.#recall(-1);
    else if (key.name === 'down' && this.#isAtEdge(1)) this.#recall(1);
    else if (key.name === 'ctrl-l') this.#clearScreen();
    else this.#edit(key);
  }

  /** While no prompt is open, only text counts, and Enter after it. */
  #keep(key: Key): void {
    if (key.name === 'enter') this.#finishQueued();
    else if (key.name === 'text' || key.name === 'paste' || key.name === 'backspace')
      this.#editor = edit(this.#editor, key);
  }

  #finishQueued(): void {
    if (this.#goOnInNextLine()) return;
    const text = this.#text;
    if (text.trim() === '') return;
    this.#editor = editorWith('');
    this.enqueue(text);
    this.#options.onQueued(text);
  }

  #interrupt(): void {
    if (this.#answer === undefined) {
      this.dropQueued();
      this.#options.onInterrupt();
    } else if (this.#text === '') this.#finish({ type: 'interrupt' });
    else {
      this.#leaveRows();
      this.#replace('');
    }
  }

  #submit(): void {
    if (this.#goOnInNextLine()) return;
    const text = this.#text;
    if (text.trim() === '' && !this.#canBeEmpty) return;
    if (this.#setAside === undefined) this.remember([text]);
    this.#finish({ type: 'message', text });
  }

  /** A line that ends with a backslash continues in the next one. */
  #goOnInNextLine(): boolean {
    const text = this.#text;
    if (!text.endsWith('\\') || this.#editor.cursor !== this.#editor.graphemes.length) return false;
    this.#replace(`${text.slice(0, -1)}\n`);
    return true;
  }

  #finish(input: Input): void {
    const answer = this.#answer;
    if (answer === undefined) return;
    this.#answer = undefined;
    this.#leaveRows();
    if (input.type === 'message') this.#editor = editorWith('');
    answer(input);
  }

  #edit(key: Key): void {
    this.#editor = edit(this.#editor, key);
    this.#draw();
  }

  #replace(text: string): void {
    this.#editor = editorWith(text);
    this.#draw();
  }

  /** Steps through the history; what is being written is kept at its end. */
  #recall(step: -1 | 1): void {
    const place = this.#place + step;
    if (this.#setAside !== undefined) return;
    if (place < 0 || place > this.#history.length) return;
    if (this.#place === this.#history.length) this.#unsent = this.#text;
    this.#place = place;
    this.#replace(this.#history[place] ?? this.#unsent);
  }

  #isAtEdge(step: -1 | 1): boolean {
    const rows = this.#rows();
    const at = rows.findIndex((row) => row.cursorAt !== null);
    return step === -1 ? at <= 0 : at === rows.length - 1;
  }

  get #text(): string {
    return editorText(this.#editor);
  }

  #rows(editor = this.#editor) {
    const width = Math.max(10, (this.#options.stdout.columns || 80) - widthOf(this.#prompt));
    return layOutEditor(editor, width);
  }

  /** The rows, indented by the prompt. */
  #lines(rows: readonly { readonly text: string }[]): string[] {
    const indent = ' '.repeat(widthOf(this.#prompt));
    return rows.map((row, index) => `${index === 0 ? this.#prompt : indent}${row.text}`);
  }

  #clearScreen(): void {
    this.#options.stdout.write('\x1b[H\x1b[2J');
    this.#rowsAbove = 0;
    this.#draw();
  }

  /** Moves the cursor below what is drawn, so that later output goes there. */
  #leaveRows(): void {
    const rows = this.#rows();
    const at = rows.findIndex((row) => row.cursorAt !== null);
    const below = rows.length - 1 - at;
    this.#options.stdout.write(`${below > 0 ? `\x1b[${below}B` : ''}\r\n`);
    this.#rowsAbove = 0;
  }

  readonly #draw = () => {
    if (this.#answer === undefined) return;
    const rows = this.#rows();
    const up = this.#rowsAbove > 0 ? `\x1b[${this.#rowsAbove}A` : '';
    const lines = this.#lines(rows);
    const at = rows.findIndex((row) => row.cursorAt !== null);
    const back = rows.length - 1 - at;
    const column = widthOf(this.#prompt) + widthOf((rows[at]?.text ?? '').slice(0, rows[at]?.cursorAt ?? 0));
    this.#options.stdout.write(
      `${up}\r\x1b[J${lines.join('\r\n')}${back > 0 ? `\x1b[${back}A` : ''}\r${column > 0 ? `\x1b[${column}C` : ''}`,
    );
    this.#rowsAbove = at;
  };
}
