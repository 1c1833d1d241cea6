import { render } from 'ink';
import type { Clock } from '../../foundation/index.js';
import type { QuestionSessions } from '../../sessions/question/index.js';
import { setColors } from '../colors.js';
import { KeyDecoder } from '../keys.js';
import { InboxApp } from './app.js';
import { InboxController, type InboxResult } from './controller.js';

export interface OpenInboxOptions {
  readonly questions: QuestionSessions;
  readonly clock: Clock;
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly hasColor: boolean;
  readonly hasBell: boolean;
  readonly isOnce: boolean;
  readonly sessionId?: string | undefined;
  readonly signal: AbortSignal;
}

/** Alternate screen, bracketed paste, no cursor; and all of it back. */
const ENTER = '\x1b[?1049h\x1b[?2004h\x1b[?25l';
const LEAVE = '\x1b[?25h\x1b[?2004l\x1b[?1049l';
const BELL = '\x07';

/** Opens the inbox in the terminal and returns when the person leaves. The terminal is put back on every way out. */
export async function openInbox(options: OpenInboxOptions): Promise<InboxResult> {
  const { stdin, stdout, signal } = options;
  setColors(options.hasColor);
  const controller = new InboxController({
    ...options,
    onArrival: () => {
      if (options.hasBell) stdout.write(BELL);
    },
  });
  const decoder = new KeyDecoder((key) => controller.press(key));
  const onData = (chunk: Buffer) => decoder.push(chunk);
  const restore = () => {
    stdin.off('data', onData);
    stdin.setRawMode(false);
    stdin.pause();
    stdout.write(LEAVE);
  };
  const stop = () => controller.stop();
  stdin.setRawMode(true);
  stdin.on('data', onData);
  stdout.write(ENTER);
  process.once('exit', restore);
  try {
    await controller.start();
    const ink = render(<InboxApp controller={controller} clock={options.clock} />, {
      stdin,
      stdout,
      exitOnCtrlC: false,
      patchConsole: false,
    });
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
    const result = await controller.done;
    ink.unmount();
    return result;
  } finally {
    signal.removeEventListener('abort', stop);
    process.off('exit', restore);
    decoder.close();
    restore();
  }
}
