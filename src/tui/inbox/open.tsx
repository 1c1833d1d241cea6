import { render } from 'ink';
import type { Clock } from '../../foundation/index.js';
import type { QuestionSessions } from '../../sessions/question/index.js';
import { allowStyles } from '../colors.js';
import { KeyDecoder } from '../keys.js';
import { InboxApp } from './app.js';
import { InboxController, type InboxResult } from './controller.js';

export interface OpenInboxOptions {
  readonly questions: QuestionSessions;
  readonly clock: Clock;
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
  readonly hasColor: boolean;
  readonly hasBell: boolean;
  readonly isOnce: boolean;
  readonly sessionId?: string | undefined;
  readonly signal: AbortSignal;
}

/**
 * Alternate screen from its first cell on, bracketed paste, no cursor, no line wrap (where the terminal counts a character wider than we do,
 * it must not push the rows below); and all of it back.
 */
const ENTER = '\x1b[?1049h\x1b[2J\x1b[H\x1b[?2004h\x1b[?7l\x1b[?25l';
const LEAVE = '\x1b[?25h\x1b[?7h\x1b[?2004l\x1b[?1049l';
const BELL = '\x07';

/** Opens the inbox in the terminal and returns when the person leaves. The terminal is put back on every way out. */
export async function openInbox(options: OpenInboxOptions): Promise<InboxResult> {
  const { stdin, stdout, signal, clock, hasColor } = options;
  allowStyles();
  const controller = new InboxController({
    ...options,
    onArrival: () => {
      if (options.hasBell) stdout.write(BELL);
    },
  });
  const decoder = new KeyDecoder((key) => controller.press(key));
  const onData = (chunk: Buffer) => decoder.push(chunk);
  const release = holdBack(options.stderr);
  const restore = () => {
    controller.stop();
    stdin.off('data', onData);
    stdin.setRawMode(false);
    stdin.pause();
    stdout.write(LEAVE);
    release();
  };
  const stop = () => controller.stop();
  stdin.setRawMode(true);
  stdin.on('data', onData);
  stdout.write(ENTER);
  process.once('exit', restore);
  try {
    await controller.start();
    const ink = render(
      <InboxApp controller={controller} clock={clock} terminal={stdout} hasColor={hasColor} />,
      { stdin, stdout: withoutRows(stdout), exitOnCtrlC: false, patchConsole: false },
    );
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
    // It ends by itself only when drawing fails; then this throws.
    const result = await Promise.race([controller.done, ink.waitUntilExit().then(() => controller.done)]);
    ink.unmount();
    return result;
  } finally {
    signal.removeEventListener('abort', stop);
    process.off('exit', restore);
    decoder.close();
    restore();
  }
}

/** Ink empties the terminal, scrollback included, when a frame is higher than the terminal became; ours are cut to it. */
function withoutRows(stdout: NodeJS.WriteStream): NodeJS.WriteStream {
  return new Proxy(stdout, {
    get(target, name) {
      if (name === 'rows') return undefined;
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

/** Warnings would be written across the screen; they are kept until it is gone. Returns how to let them out. */
function holdBack(stderr: NodeJS.WriteStream): () => void {
  if (!stderr.isTTY) return () => {};
  const held: string[] = [];
  const { write } = stderr;
  stderr.write = (chunk: string | Uint8Array) => {
    if (held.length < MAX_HELD)
      held.push(typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString('utf8'));
    return true;
  };
  return () => {
    stderr.write = write;
    for (const text of held.splice(0)) stderr.write(text);
  };
}

const MAX_HELD = 100;
