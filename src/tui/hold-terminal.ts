/** The terminal of the process. */
export interface TerminalStreams {
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
  /** Records that the terminal is held, in case we are killed; returns a function that removes the record. */
  readonly noteTerminal?: ((screen: TerminalScreen) => () => void) | undefined;
}

/**
 * What changes: `alternate` is a separate full screen, `live` redraws a part below the scrolling output, `line` only edits
 * lines.
 */
export type TerminalScreen = 'alternate' | 'live' | 'line';

export interface TerminalListener {
  /** Receives keys, as bytes. */
  readonly onData: (chunk: Buffer) => void;
  readonly onResize?: (() => void) | undefined;
  /** Called when the terminal is gone or its input has ended. */
  readonly onEnd?: (() => void) | undefined;
  /** Called when the terminal gains or loses the focus; without a listener the terminal is not asked to report it. */
  readonly onFocus?: ((isFocused: boolean) => void) | undefined;
  /** Receives text that would otherwise be written across the screen; if absent, stderr is left alone. */
  readonly onNote?: ((text: string) => void) | undefined;
}

/**
 * The alternate screen from its first cell; bracketed paste; no line wrap (if the terminal counts a character as wider than
 * we do, it must not push the rows below); no cursor. LEAVE undoes all of it.
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
 * Takes over the terminal and returns a function that restores it. If the process ends first, it is restored automatically.
 * An earlier reader may have paused the terminal: it is resumed, or no key would ever arrive.
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

/** Filters the terminal's focus reports out of what was typed. */
function withoutFocus({ onData, onFocus }: TerminalListener): TerminalListener['onData'] {
  if (onFocus === undefined) return onData;
  return (chunk) => {
    // Byte for byte, since a character may be split between chunks.
    const given = chunk.toString('latin1');
    const typed = given.replaceAll(FOCUS, (_report, sign: string) => {
      onFocus(sign === 'I');
      return '';
    });
    if (typed !== '') onData(typed === given ? chunk : Buffer.from(typed, 'latin1'));
  };
}

/** A closed terminal can be neither read nor restored, and need not be: a signal says the same. */
function ignore(): void {}

/** Returns a function that lets notes through again. */
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
