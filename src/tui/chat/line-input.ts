import { type Key, KeyDecoder } from '../keys.js';
import { type EditorState, edit, editorWith, layOutEditor, textOf } from '../text-editor.js';
import { widthOf } from '../wrap.js';

/** Bracketed paste on, and all of it back. */
const ENTER = '\x1b[?2004h';
const LEAVE = '\x1b[?2004l\x1b[?25h';

/** What a person did at the prompt. */
export type Input =
  | { readonly type: 'message'; readonly text: string }
  /** Ctrl+C at an empty prompt. */
  | { readonly type: 'interrupt' }
  /** Ctrl+D at an empty prompt, or the end of the terminal. */
  | { readonly type: 'end' };

interface InputOptions {
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  /** Ctrl+C while nothing is asked. */
  readonly onInterrupt: () => void;
}

/**
 * The line editor of the chat: several lines, history, paste. It draws only while something is asked; what is typed
 * meanwhile is kept for the next time. The terminal is put back on every way out.
 */
export class LineInput implements Disposable {
  readonly #options: InputOptions;
  readonly #decoder: KeyDecoder;
  readonly #history: string[] = [];
  #editor: EditorState = editorWith('');
  /** Where in the history the person is; at its end they write something new. */
  #place = 0;
  #unsent = '';
  #prompt = '';
  #rowsAbove = 0;
  #answer: ((input: Input) => void) | undefined;
  #isClosed = false;

  constructor(options: InputOptions) {
    this.#options = options;
    const { stdin, stdout } = options;
    this.#decoder = new KeyDecoder((key) => this.#press(key));
    stdin.setRawMode(true);
    stdin.on('data', this.#onData).on('end', this.#onEnd).resume();
    stdout.on('resize', this.#draw);
    stdout.write(ENTER);
    process.once('exit', this.#restore);
  }

  /** What was said before, oldest first. */
  remember(messages: readonly string[]): void {
    this.#history.push(...messages.filter((message) => message !== this.#history.at(-1)));
    this.#place = this.#history.length;
  }

  /** Asks for the next message. */
  ask(prompt: string): Promise<Input> {
    if (this.#isClosed) return Promise.resolve({ type: 'end' });
    this.#prompt = prompt;
    this.#rowsAbove = 0;
    return new Promise((resolve) => {
      this.#answer = resolve;
      this.#draw();
    });
  }

  [Symbol.dispose](): void {
    process.off('exit', this.#restore);
    this.#restore();
    this.#finish({ type: 'end' });
  }

  readonly #onData = (chunk: Buffer) => this.#decoder.push(chunk);
  readonly #onEnd = () => this.#finish({ type: 'end' });

  readonly #restore = () => {
    if (this.#isClosed) return;
    this.#isClosed = true;
    const { stdin, stdout } = this.#options;
    stdin.off('data', this.#onData).off('end', this.#onEnd);
    stdout.off('resize', this.#draw);
    this.#decoder.close();
    if (stdin.isTTY) stdin.setRawMode(false);
    stdin.pause();
    stdout.write(LEAVE);
  };

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

  /** While nothing is asked, only text counts; Enter would send what nobody looked at. */
  #keep(key: Key): void {
    if (key.name === 'text' || key.name === 'paste' || key.name === 'backspace')
      this.#editor = edit(this.#editor, key);
  }

  #interrupt(): void {
    if (this.#answer === undefined) this.#options.onInterrupt();
    else if (this.#text === '') this.#finish({ type: 'interrupt' });
    else {
      this.#leaveRows();
      this.#replace('');
    }
  }

  #submit(): void {
    const text = this.#text;
    // A line that ends with a backslash goes on.
    if (text.endsWith('\\') && this.#editor.cursor === this.#editor.graphemes.length) {
      this.#replace(`${text.slice(0, -1)}\n`);
      return;
    }
    if (text.trim() === '') return;
    this.remember([text]);
    this.#finish({ type: 'message', text });
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

  /** Goes through what was said before; what is being written is kept at its end. */
  #recall(step: -1 | 1): void {
    const place = this.#place + step;
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
    return textOf(this.#editor);
  }

  #rows() {
    const width = Math.max(10, (this.#options.stdout.columns ?? 80) - widthOf(this.#prompt));
    return layOutEditor(this.#editor, width);
  }

  #clearScreen(): void {
    this.#options.stdout.write('\x1b[H\x1b[2J');
    this.#rowsAbove = 0;
    this.#draw();
  }

  /** Puts the cursor below what is drawn, so that what comes next stands there. */
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
    const indent = ' '.repeat(widthOf(this.#prompt));
    const up = this.#rowsAbove > 0 ? `\x1b[${this.#rowsAbove}A` : '';
    const lines = rows.map((row, index) => `${index === 0 ? this.#prompt : indent}${row.text}`);
    const at = rows.findIndex((row) => row.cursorAt !== null);
    const back = rows.length - 1 - at;
    const column = widthOf(this.#prompt) + widthOf((rows[at]?.text ?? '').slice(0, rows[at]?.cursorAt ?? 0));
    this.#options.stdout.write(
      `${up}\r\x1b[J${lines.join('\r\n')}${back > 0 ? `\x1b[${back}A` : ''}\r${column > 0 ? `\x1b[${column}C` : ''}`,
    );
    this.#rowsAbove = at;
  };
}
