import { StringDecoder } from 'node:string_decoder';

/** What a person pressed. Text is what was typed in one go; a paste is separate, so that it presses no keys. */
export type Key =
  | { readonly name: 'text'; readonly text: string }
  | { readonly name: 'paste'; readonly text: string }
  | { readonly name: NamedKey };

export type NamedKey =
  | 'enter'
  | 'newline'
  | 'escape'
  | 'tab'
  | 'shift-tab'
  | 'backspace'
  | 'delete'
  | 'up'
  | 'down'
  | 'left'
  | 'right'
  | 'home'
  | 'end'
  | 'page-up'
  | 'page-down'
  | 'word-left'
  | 'word-right'
  | `ctrl-${string}`
  | 'unknown';

const SEQUENCES: Readonly<Record<string, NamedKey>> = {
  '[A': 'up',
  '[B': 'down',
  '[C': 'right',
  '[D': 'left',
  OA: 'up',
  OB: 'down',
  OC: 'right',
  OD: 'left',
  '[H': 'home',
  '[F': 'end',
  OH: 'home',
  OF: 'end',
  OM: 'enter',
  '[1~': 'home',
  '[4~': 'end',
  '[7~': 'home',
  '[8~': 'end',
  '[3~': 'delete',
  '[5~': 'page-up',
  '[6~': 'page-down',
  '[Z': 'shift-tab',
  '[1;5C': 'word-right',
  '[1;5D': 'word-left',
  '[1;3C': 'word-right',
  '[1;3D': 'word-left',
  '[13;2u': 'newline',
  '[27;2;13~': 'newline',
};

/** Alt with a key: what shells and macOS terminals send for moving and deleting by word. */
const ALT: Readonly<Record<string, NamedKey>> = {
  b: 'word-left',
  f: 'word-right',
  '\x7f': 'ctrl-w',
  '\b': 'ctrl-w',
  '\r': 'newline',
  '\n': 'newline',
};

const CONTROLS: Readonly<Record<string, NamedKey>> = {
  '\r': 'enter',
  '\n': 'newline',
  '\t': 'tab',
  '\x7f': 'backspace',
  '\b': 'backspace',
};

const ESC = '\x1b';
const PASTE_START = `${ESC}[200~`;
const PASTE_END = `${ESC}[201~`;
/** Longer than any terminal needs to send the rest of a sequence; shorter than a person notices. */
const ESCAPE_WAIT_MS = 50;

/** Turns the bytes of a terminal in raw mode into keys, across any split of the input. */
export class KeyDecoder {
  readonly #decoder = new StringDecoder('utf8');
  readonly #onKey: (key: Key) => void;
  #pending = '';
  #paste: string | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(onKey: (key: Key) => void) {
    this.#onKey = onKey;
  }

  push(chunk: Buffer | string): void {
    clearTimeout(this.#timer);
    this.#pending += typeof chunk === 'string' ? chunk : this.#decoder.write(chunk);
    while (this.#pending !== '' && this.#step());
    // An escape character that nothing follows is the Escape key.
    if (this.#pending.startsWith(ESC) && this.#paste === undefined) {
      this.#timer = setTimeout(() => this.flush(), ESCAPE_WAIT_MS);
    }
  }

  /** Ends the wait for the rest of a sequence. */
  flush(): void {
    clearTimeout(this.#timer);
    if (this.#pending === '' || this.#paste !== undefined) return;
    // A sequence that never ended is no key we know; its rest must not count as typed.
    const isEscapeAlone = this.#pending === ESC;
    this.#pending = '';
    this.#onKey({ name: isEscapeAlone ? 'escape' : 'unknown' });
  }

  close(): void {
    clearTimeout(this.#timer);
  }

  /** Takes one key off the pending input; false if more input is needed to recognise it. */
  #step(): boolean {
    if (this.#paste !== undefined) return this.#takePaste(this.#paste);
    if (this.#pending.startsWith(PASTE_START)) {
      this.#pending = this.#pending.slice(PASTE_START.length);
      this.#paste = '';
      return true;
    }
    return this.#pending.startsWith(ESC) ? this.#takeSequence() : this.#takeText();
  }

  #takePaste(before: string): boolean {
    const all = before + this.#pending;
    // Skips what was already searched, except the end, where the marker may have been split.
    const end = all.indexOf(PASTE_END, Math.max(0, before.length - PASTE_END.length));
    this.#pending = '';
    if (end === -1) {
      this.#paste = all;
      return false;
    }
    this.#paste = undefined;
    this.#pending = all.slice(end + PASTE_END.length);
    // Terminals send a pasted line break as CR.
    this.#onKey({ name: 'paste', text: all.slice(0, end).replaceAll(/\r\n?/g, '\n') });
    return true;
  }

  #takeSequence(): boolean {
    const match = /^\x1b(\[[0-9;?<>=]*[ -/]*[@-~]|O[@-~])/.exec(this.#pending);
    if (match?.[1] !== undefined) {
      this.#pending = this.#pending.slice(match[0].length);
      this.#onKey({ name: SEQUENCES[match[1]] ?? 'unknown' });
      return true;
    }
    const start = /^\x1b(\[[0-9;?<>=]*[ -/]*|O)?/.exec(this.#pending)?.[0] ?? ESC;
    if (start === this.#pending) return false;
    if (start !== ESC) {
      this.#pending = this.#pending.slice(start.length);
      this.#onKey({ name: 'unknown' });
      return true;
    }
    const alt = ALT[this.#pending[1] ?? ''];
    if (alt !== undefined) {
      this.#pending = this.#pending.slice(2);
      this.#onKey({ name: alt });
      return true;
    }
    this.#pending = this.#pending.slice(1);
    this.#onKey({ name: 'escape' });
    return true;
  }

  #takeText(): boolean {
    const [first = ''] = this.#pending;
    const control = CONTROLS[first];
    if (control !== undefined || first < ' ') {
      this.#pending = this.#pending.slice(1);
      this.#onKey({ name: control ?? `ctrl-${String.fromCharCode(first.charCodeAt(0) + 96)}` });
      return true;
    }
    const text = /^[^\0-\x1f\x7f]+/.exec(this.#pending)?.[0] ?? first;
    this.#pending = this.#pending.slice(text.length);
    this.#onKey({ name: 'text', text });
    return true;
  }
}
