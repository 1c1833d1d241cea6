/** The terminal of the process. */
export interface TerminalStreams {
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
  /** Writes down that the terminal is held, for the case that we are killed; returns how to forget it again. */
  readonly noteTerminal?: ((screen: TerminalScreen) => () => void) | undefined;
}

/**
 * What is changed: `alternate` is a whole screen of its own, `live` redraws a part below what scrolls by, `line` only edits
 * lines.
 */
export type TerminalScreen = 'alternate' | 'live' | 'line';

export interface TerminalListener {
  /** Keys, as bytes. */
  readonly onData: (chunk: Buffer) => void;
  readonly onResize?: (() => void) | undefined;
  /** The terminal has gone, or its input has ended. */
  readonly onEnd?: (() => void) | undefined;
  /** The terminal says that it has got the focus, or lost it; it is asked to say so only where somebody wants to know. */
  readonly onFocus?: ((isFocused: boolean) => void) | undefined;
  /** What would have been written across the screen; what stderr gets goes there if absent. */
  readonly onNote?: ((text: string) => void) | undefined;
}

/**
 * The alternate screen from its first cell on; bracketed paste; no line wrap (where the terminal counts a character wider than
 * we do, it must not push the rows below); no cursor. And all of it back.
 */
const ENTER: Readonly<Record<TerminalScreen, string>> = {
  alternate: '\x1b[?1049h\x1b[2J\x1b[H\x1b[?2004h\x1b[?7l\x1b[?25l',
  live: '\x1b[?2004h\x1b[?7l\x1b[?25l',
  line: '\x1b[?2004h',
};
const LEAVE: Readonly<Record<TerminalScreen, string>> = {
  alternate: '\x1b[?25h\x1b[?7h\x1b[?2004l\x1b[?1049l',
  live: '\x1b[?25h\x1b[?7h\x1b[?2004l',
  line: '\x1b[?25h\x1b[?2004l',
};

/**
 * Takes the terminal over, and returns how to put it back. That is done by itself when the process ends before. Whoever read
 * from the terminal before us may have paused it: it is resumed, or no key would ever be heard.
 */
export function holdTerminal(
  streams: TerminalStreams,
  screen: TerminalScreen,
  listener: TerminalListener,
): () => void {
  const { stdin, stdout } = streams;
  const release = listener.onNote === undefined ? () => {} : catchNotes(streams.stderr, listener.onNote);
  const onEnd = listener.onEnd ?? ignore;
  const onResize = listener.onResize ?? ignore;
  const onData = withoutFocus(listener);
  const reports = listener.onFocus === undefined ? { on: '', off: '' } : FOCUS_REPORTS;
  const forget = streams.noteTerminal?.(screen) ?? ignore;
  let isHeld = true;
  const restore = () => {
    if (!isHeld) return;
    isHeld = false;
    process.off('exit', restore);
    stdin.off('data', onData).off('end', onEnd);
    if (stdin.isTTY) stdin.setRawMode(false);
    stdin.pause();
    stdin.off('error', ignore);
    stdout.off('resize', onResize);
    stdout.write(`${reports.off}${LEAVE[screen]}`);
    forget();
    release();
  };
  process.once('exit', restore);
  stdin.on('error', ignore);
  stdin.setRawMode(true);
  stdin.on('data', onData).on('end', onEnd).resume();
  stdout.on('resize', onResize);
  stdout.write(`${ENTER[screen]}${reports.on}`);
  return restore;
}

const FOCUS_REPORTS = { on: '\x1b[?1004h', off: '\x1b[?1004l' };
const FOCUS = /\x1b\[([IO])/g;

/** Takes what the terminal says about its focus out of what was typed. */
function withoutFocus({ onData, onFocus }: TerminalListener): TerminalListener['onData'] {
  if (onFocus === undefined) return onData;
  return (chunk) => {
    // Byte for byte: a character may be cut in two between chunks.
    const given = chunk.toString('latin1');
    const typed = given.replaceAll(FOCUS, (_report, sign: string) => {
      onFocus(sign === 'I');
      return '';
    });
    if (typed !== '') onData(typed === given ? chunk : Buffer.from(typed, 'latin1'));
  };
}

/** A terminal that was closed cannot be read or put back, and need not be: a signal says the same. */
function ignore(): void {}

/** Returns how to let notes through again. */
function catchNotes(stderr: NodeJS.WriteStream, onNote: (text: string) => void): () => void {
  if (!stderr.isTTY) return () => {};
  const { write } = stderr;
  stderr.write = (chunk: string | Uint8Array) => {
    onNote(typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString('utf8'));
    return true;
  };
  return () => {
    stderr.write = write;
  };
}
