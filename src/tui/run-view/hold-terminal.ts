/** The terminal of the process. */
export interface TerminalStreams {
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
}

export interface TerminalListener {
  /** Keys, as bytes. */
  readonly onData: (chunk: Buffer) => void;
  readonly onResize: () => void;
  /** What would have been written across the screen. */
  readonly onNote: (text: string) => void;
}

/** Bracketed paste, no cursor, no line wrap (where the terminal counts a character wider than we do); and all of it back. */
const ENTER = '\x1b[?2004h\x1b[?7l\x1b[?25l';
const LEAVE = '\x1b[?25h\x1b[?7h\x1b[?2004l';

/** Takes the terminal over, and returns how to put it back. That is done by itself when the process ends before. */
export function holdTerminal(streams: TerminalStreams, listener: TerminalListener): () => void {
  const { stdin, stdout } = streams;
  const release = catchNotes(streams.stderr, listener.onNote);
  let isHeld = true;
  const restore = () => {
    if (!isHeld) return;
    isHeld = false;
    process.off('exit', restore);
    stdin.off('data', listener.onData);
    stdin.setRawMode(false);
    stdin.pause();
    stdin.off('error', ignore);
    stdout.off('resize', listener.onResize);
    stdout.write(LEAVE);
    release();
  };
  process.once('exit', restore);
  stdin.on('error', ignore);
  stdin.setRawMode(true);
  stdin.on('data', listener.onData);
  stdout.on('resize', listener.onResize);
  stdout.write(ENTER);
  return restore;
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
