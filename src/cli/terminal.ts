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
 * The person's side of a command: data on stdout, everything else on stderr. On a screen a line that is wider than it goes on in
 * rows that begin with its bar or deeper than lines do, so that no text in it can look like a line of ours.
 */
export interface Terminal {
  /** Data. A line break is added. */
  write(text: string): void;
  /** Data whose arrival counts: resolves once it was handed over; as it is where somebody may want to copy it. Throws OUTPUT_FAILED. */
  deliver(text: string, options?: { readonly isVerbatim?: boolean }): Promise<void>;
  /** Data as it is and without a line break: what is streamed, and what somebody may want to copy. */
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
  /** For what speaks line by line by itself, without a keyboard and a screen. */
  readonly streams: Pick<Streams, 'stdin' | 'stdout' | 'stderr'>;
  /**
   * Asks for one line at the keyboard; null when the person leaves instead: with Ctrl+D, and where `leavesAtEscape` says so
   * with Esc. Throws ABORTED when they press Ctrl+C.
   */
  ask(question: string, options?: { readonly leavesAtEscape?: boolean }): Promise<string | null>;
  /** For what goes to stdout, and for what goes to stderr: one may be a terminal and the other a file. */
  readonly style: Style;
  readonly errorStyle: Style;
  /** Diagnostics of the library as lines on stderr. */
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
  /** Ends a question that is being asked. */
  readonly signal?: AbortSignal | undefined;
}

export interface TerminalOptions {
  readonly isQuiet: boolean;
  /** True or false where the user said so; otherwise NO_COLOR and the terminal decide. */
  readonly color: boolean | undefined;
  /** Whether programs read what is written: then every line stays one. */
  readonly isJson?: boolean | undefined;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Whether only programs read it: diagnostics are JSON then, one document a line. */
  readonly isForPrograms?: boolean;
}

/** What was to be printed did not arrive. */
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
      // A document stays one line.
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

/** A terminal that does not know how wide it is says nothing, or 0. */
const USUAL_COLUMNS = 80;

function columnsOfStream({ isTTY, columns }: Sized): number {
  return isTTY === true ? columns || USUAL_COLUMNS : Number.POSITIVE_INFINITY;
}

function linesFor(stream: Sized, text: string): string {
  if (stream.isTTY !== true) return `${text}\n`; // a pipe has no columns: there a line is a line
  return `${rowsOf(text, columnsOfStream(stream)).join('\n')}\n`;
}

function blanksBehind(text: string): string {
  return text.slice(text.trimEnd().length);
}

/**
 * One line as the terminal itself edits it: nothing about the terminal is changed, so nothing has to be put back. What was typed
 * behind the line stays for whoever reads next. Null at the end of the input. Throws ABORTED.
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
    // A terminal that was closed answers with an error.
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

/** One line key by key, for a question that Esc leaves: the terminal itself tells a line only when Enter was pressed. */
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
        // Keys that send more than themselves, such as arrows, mean nothing here.
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
      // As the terminal would have done it.
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
