import { render } from 'ink';
import type { ReactElement } from 'react';
import { CardAttention } from './card-attention.js';
import { allowStyles } from './colors.js';
import { holdTerminal, type TerminalStreams } from './hold-terminal.js';
import { type Key, KeyDecoder } from './keys.js';
import { withoutRows } from './without-rows.js';

/** Handles the keys of a screen, and says when the person has left it. */
export interface ScreenController<Result> {
  press(key: Key): void;
  start(): Promise<void>;
  stop(): void;
  subscribe(listener: () => void): () => void;
  readonly done: Promise<Result>;
}

export interface FullScreenOptions extends TerminalStreams {
  readonly signal: AbortSignal;
  /** Called while a card is on a screen that the person is looking at. */
  readonly onSeen?: ((question: string) => void) | undefined;
}

/** What is drawn, and which card is open on it. */
export interface ScreenContent<Result> {
  readonly controller: ScreenController<Result>;
  readonly app: ReactElement;
  readonly shownCard: () => string | undefined;
}

/** More warnings than this help no one. */
const MAX_HELD = 100;

/** Shows a view on its own screen until the person leaves. The terminal is restored on every way out. */
export async function openFullScreen<Result>(
  options: FullScreenOptions,
  { controller, app, shownCard }: ScreenContent<Result>,
): Promise<Result> {
  const { stdin, stdout, signal, onSeen } = options;
  allowStyles();
  const decoder = new KeyDecoder((key) => controller.press(key));
  const attention = onSeen && new CardAttention(shownCard, onSeen);
  if (attention !== undefined) controller.subscribe(() => attention.look());
  // Warnings would be written across the screen, so they are held back until it is gone.
  const held: string[] = [];
  const stop = () => controller.stop();
  const putBack = holdTerminal(options, 'alternate', {
    onData: (chunk) => {
      decoder.push(chunk);
      attention?.typed();
    },
    onEnd: stop,
    onFocus: attention && ((isFocused) => attention.focus(isFocused)),
    onNote: (text) => {
      if (held.length < MAX_HELD) held.push(text);
    },
  });
  try {
    await controller.start();
    const ink = render(app, {
      stdin,
      stdout: withoutRows(stdout),
      exitOnCtrlC: false,
      patchConsole: false,
    });
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
    // Ink exits on its own only if drawing fails; then this throws.
    const result = await Promise.race([controller.done, ink.waitUntilExit().then(() => controller.done)]);
    ink.unmount();
    return result;
  } finally {
    signal.removeEventListener('abort', stop);
    controller.stop();
    decoder.close();
    attention?.[Symbol.dispose]();
    putBack();
    for (const text of held) options.stderr.write(text);
  }
}
