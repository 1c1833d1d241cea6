import type { Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import { styleText } from 'node:util';
import {
  AbortedError,
  HoldfastError,
  InvalidInputError,
  type LogFields,
  type Logger,
  rowsOf,
  visibleJson,
  visibleLine,
} from '../foundation/index.js';
import { logWords } from './log-words.js';
import type { Output } from './programs/direct-output.js';

/**
 * The person's side of a command: data on stdout, everything else on stderr. On a screen, a line that is too wide continues in
 * rows that start with its bar or with a deeper indent, so that no text in it can look like a line of ours.
 */
export interface Terminal {
  /** Prints data with a line break. */
  write(text: string): void;
  /** Prints data whose arrival matters; resolves once handed over. `isVerbatim`: unwrapped, for copying. Throws OUTPUT_FAILED. */
  deliver(text: string, options?: { readonly isVerbatim?: boolean }): Promise<void>;
  /** Prints data unchanged and without a line break: for streams, and for text that somebody may want to copy. */
  print(text: string): void;
  /** Notes and progress on stderr; silent with --quiet. */
  note(text: string): void;
  /** Errors and warnings on stderr, --quiet or not. */
  complain(text: string): void;
  readonly isInteractive: boolean;
  /** Whether the person wants no notes. */
  readonly isQuiet: boolean;
  /** Whether stdin is a person's keyboard rather than a pipe or a file. */
  readonly hasKeyboard: boolean;
  /** Whether stdout is a screen rather than a pipe or a file. */
  readonly hasScreen: boolean;
  readonly columns: number;
  readonly hasColor: boolean;
  readStandardInput(signal: AbortSignal): Promise<string>;
  /** For code that does its own line-by-line input and output, without a keyboard and a screen. */
  readonly streams: Pick<Streams, 'stdin' | 'stdout' | 'stderr'>;
  /**
   * Asks for one line at the keyboard; null when the person leaves instead: with Ctrl+D, or, with `leavesAtEscape`, with Esc.
   * Throws ABORTED when they press Ctrl+C.
   */
  ask(question: string, options?: { readonly leavesAtEscape?: boolean }): Promise<string | null>;
  /** For stdout; stderr has its own, as one may be a terminal and the other a file. */
  readonly style: Style;
  readonly errorStyle: Style;
  /** Prints the library's diagnostics as lines on stderr. */
  readonly log: Logger;
}

export type Style = Readonly<
  Record<'bold' | 'dim' | 'green' | 'yellow' | 'red' | 'cyan', (text: string) => string>
>;

export interface Streams {
  readonly stdin: () => Readable;
  /** Whether stdin is a terminal. */
  readonly hasKeyboard: boolean;
  readonly stdout: Pick<Output, 'write' | 'isTTY' | 'columns'>;
  readonly stderr: Pick<Output, 'write' | 'isTTY' | 'columns'>;
  /** Cancels a question that is being asked. */
  readonly signal?: AbortSignal | undefined;
}

export interface TerminalOptions {
  readonly isQuiet: boolean;
  /** Set if the user said so; otherwise NO_COLOR and the terminal decide. */
  readonly color: boolean | undefined;
  /** Whether programs read the output: then lines are never wrapped. */
  readonly isJson?: boolean | undefined;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Whether only programs read it: diagnostics are then JSON, one document per line. */
  readonly isForPrograms?: boolean;
}

/** Output did not arrive. */
export class OutputFailedError extends HoldfastError<'OUTPUT_FAILED'> {
  readonly code = 'OUTPUT_FAILED';

  constructor(cause: Error) {
    super(`The output could not be written: ${cause.message}`, {
      cause,
      hint: 'What was to be delivered is not marked as delivered; run the command again.',
    });
  }
}

const MAX_INPUT_BYTES = 4 * 1024 * 1024;

/** The real terminal over the process's streams. */
export function createTerminal(streams: Streams, options: TerminalOptions): Terminal {
  const { stdin, stdout } = streams;
  const isInteractive = stdout.isTTY === true && streams.hasKeyboard;
  const hasColor = (stream: { readonly isTTY?: boolean }) =>
    options.color ?? (stream.isTTY === true && !options.environment.NO_COLOR);
  const fitted = (text: string) => (options.isJson ? `${text}\n` : linesFor(stdout, text));
  const complain = (text: string) => void streams.stderr.write(linesFor(streams.stderr, text));
  const note = (text: string) => {
    if (!options.isQuiet) complain(text);
  };
  return {
    write: (text) => void stdout.write(fitted(text)),
    deliver: (text, { isVerbatim = false } = {}) =>
      new Promise((resolve, reject) => {
        stdout.write(isVerbatim ? `${text}\n` : fitted(text), (error) =>
          error ? reject(new OutputFailedError(error)) : resolve(),
        );
      }),
    print: (text) => void stdout.write(text),
    note,
    complain,
    isInteractive,
    isQuiet: options.isQuiet,
    get hasKeyboard() {
      return streams.hasKeyboard;
    },
    hasScreen: stdout.isTTY === true,
    get columns() {
      return stdout.columns || USUAL_COLUMNS;
    },
    hasColor: hasColor(stdout),
    readStandardInput: (signal) => readAll(stdin(), signal),
    streams,
    ask(question, { leavesAtEscape = false } = {}) {
      const input = stdin();
      const { stderr } = streams;
      const shown = rowsOf(question.trimEnd(), columnsOfStream(stderr)).join('\n') + blanksBehind(question);
      return leavesAtEscape && isKeyboard(input)
        ? askKeys(input, stderr, shown, streams.signal)
        : askLine(input, stderr, shown, streams.signal);
    },
    style: createStyle(() => hasColor(stdout)),
    errorStyle: createStyle(() => hasColor(streams.stderr)),
    log: createLog({
      note,
      // A JSON document stays on one line.
      complain: options.isForPrograms ? (text) => void streams.stderr.write(`${text}\n`) : complain,
      isVerbose: options.environment.HOLDFAST_DEBUG === '1',
      isForPrograms: options.isForPrograms === true,
    }),
  };
}

interface Sized {
  readonly isTTY?: boolean;
  readonly columns?: number;
}

/** For a terminal that does not know its width, and reports nothing or 0. */
const USUAL_COLUMNS = 80;

function columnsOfStream({ isTTY, columns }: Sized): number {
  return isTTY === true ? columns || USUAL_COLUMNS : Number.POSITIVE_INFINITY;
}

function linesFor(stream: Sized, text: string): string {
  if (stream.isTTY !== true) return `${text}\n`; // a pipe has no columns, so lines are not wrapped
  return `${rowsOf(text, columnsOfStream(stream)).join('\n')}\n`;
}

function blanksBehind(text: string): string {
  return text.slice(text.trimEnd().length);
}

/**
 * Reads one line, edited by the terminal itself: nothing about the terminal is changed, so nothing has to be restored. Anything
 * typed after the line is left for the next reader. Null at the end of the input. Throws ABORTED.
 */
function askLine(
  input: Readable,
  output: Streams['stderr'],
  question: string,
  signal: AbortSignal | undefined,
): Promise<string | null> {
  if (signal?.aborted) return Promise.reject(new AbortedError('The question'));
  output.write(question);
  return new Promise((resolve, reject) => {
    const decoder = new StringDecoder('utf8');
    let typed = '';
    const onData = (chunk: Buffer | string) => {
      typed += typeof chunk === 'string' ? chunk : decoder.write(chunk);
      const end = typed.search(/[\r\n]/);
      if (end === -1) return;
      leave();
      const rest = typed.slice(typed.startsWith('\r\n', end) ? end + 2 : end + 1);
      if (rest !== '') input.unshift(Buffer.from(rest));
      resolve(typed.slice(0, end));
    };
    const onEnd = () => {
      leave();
      output.write('\n');
      resolve(null);
    };
    const onAbort = () => {
      leave();
      output.write('\n');
      reject(new AbortedError('The question'));
    };
    const leave = () => {
      input.off('data', onData).off('end', onEnd).off('error', onEnd).pause();
      signal?.removeEventListener('abort', onAbort);
    };
    // A closed terminal reports an error.
    input.on('data', onData).once('end', onEnd).once('error', onEnd).resume();
    signal?.addEventListener('abort', onAbort, { once: true });
  });
}

type Keyboard = Readable & { setRawMode(isRaw: boolean): unknown };

function isKeyboard(input: Readable): input is Keyboard {
  return 'isTTY' in input && input.isTTY === true && 'setRawMode' in input;
}

const ESCAPE = '\u001b';
const CTRL_C = '\u0003';
const CTRL_D = '\u0004';
const BACKSPACES = ['\u007f', '\b'];

/** Reads one line key by key, for a question that Esc leaves: the terminal itself delivers a line only after Enter. */
async function askKeys(
  input: Keyboard,
  output: Streams['stderr'],
  question: string,
  signal: AbortSignal | undefined,
): Promise<string | null> {
  if (signal?.aborted) throw new AbortedError('The question');
  output.write(question);
  input.setRawMode(true);
  let typed = '';
  try {
    return await new Promise((resolve, reject) => {
      const onData = (chunk: Buffer) => {
        // Keys that send escape sequences, such as arrows, are ignored.
        const keys = chunk.toString('utf8').replaceAll(/\u001b[[O][0-9;]*[A-Za-z~]/g, '');
        for (const [at, key] of [...keys].entries()) {
          if (key === '\r' || key === '\n')
            return leave(() => resolve(typed), [...keys].slice(at + 1).join(''));
          if (key === ESCAPE || key === CTRL_D) return leave(() => resolve(null), '');
          if (key === CTRL_C) return leave(interrupt, '');
          if (BACKSPACES.includes(key)) {
            if (typed !== '') output.write('\b \b');
            typed = [...typed].slice(0, -1).join('');
          } else if (key >= ' ') {
            output.write(key);
            typed += key;
          }
        }
      };
      // As the terminal would do it.
      const interrupt = () => {
        process.kill(process.pid, 'SIGINT');
        reject(new AbortedError('The question'));
      };
      const onEnd = () => leave(() => resolve(null), '');
      const onAbort = () => leave(() => reject(new AbortedError('The question')), '');
      const leave = (settle: () => void, rest: string) => {
        input.off('data', onData).off('end', onEnd).off('error', onEnd).pause();
        signal?.removeEventListener('abort', onAbort);
        if (rest !== '') input.unshift(Buffer.from(rest));
        settle();
      };
      input.on('data', onData).once('end', onEnd).once('error', onEnd).resume();
      signal?.addEventListener('abort', onAbort, { once: true });
    });
  } finally {
    input.setRawMode(false);
    output.write('\n');
  }
}

function createStyle(hasColor: () => boolean): Style {
  const paint = (format: Parameters<typeof styleText>[0]) => (text: string) =>
    hasColor() ? styleText(format, text, { validateStream: false }) : text;
  return {
    bold: paint('bold'),
    dim: paint('dim'),
    green: paint('green'),
    yellow: paint('yellow'),
    red: paint('red'),
    cyan: paint('cyan'),
  };
}

function createLog({
  note,
  complain,
  isVerbose,
  isForPrograms,
}: {
  readonly note: (text: string) => void;
  readonly complain: (text: string) => void;
  readonly isVerbose: boolean;
  readonly isForPrograms: boolean;
}): Logger {
  const line = (level: string, event: string, fields: LogFields = {}) => {
    const words = logWords(event, fields);
    return isForPrograms ? visibleJson({ [level]: words, event }) : visibleLine(words);
  };
  return {
    debug: (event, fields) => {
      if (isVerbose) note(line('debug', event, fields));
    },
    info: (event, fields) => {
      if (isVerbose) note(line('info', event, fields));
    },
    warn: (event, fields) => note(line('warning', event, fields)),
    error: (event, fields) => complain(line('error', event, fields)),
  };
}

async function readAll(stdin: Readable, signal: AbortSignal): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  const stop = () => stdin.destroy();
  signal.addEventListener('abort', stop, { once: true });
  try {
    for await (const chunk of stdin) {
      const piece = Buffer.from(chunk);
      bytes += piece.length;
      if (bytes > MAX_INPUT_BYTES)
        throw new InvalidInputError(`More than ${MAX_INPUT_BYTES} bytes on standard input`);
      chunks.push(piece);
    }
  } catch (error) {
    if (signal.aborted) throw new AbortedError('Reading standard input', { cause: error });
    throw error;
  } finally {
    signal.removeEventListener('abort', stop);
  }
  if (signal.aborted) throw new AbortedError('Reading standard input');
  return Buffer.concat(chunks).toString('utf8');
}
