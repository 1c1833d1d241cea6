import { render } from 'ink';
import type { Clock } from '../../foundation/index.js';
import { ringBell } from '../../foundation/index.js';
import type { QuestionSessions } from '../../sessions/question/index.js';
import { CardAttention } from '../card-attention.js';
import { allowStyles } from '../colors.js';
import { holdTerminal, type TerminalStreams } from '../hold-terminal.js';
import { KeyDecoder } from '../keys.js';
import { withoutRows } from '../without-rows.js';
import { InboxApp } from './app.js';
import { InboxController, type InboxResult } from './controller.js';

export interface OpenInboxOptions extends TerminalStreams {
  readonly questions: QuestionSessions;
  readonly clock: Clock;
  readonly hasColor: boolean;
  readonly hasBell: boolean;
  readonly isOnce: boolean;
  readonly sessionId?: string | undefined;
  readonly signal: AbortSignal;
  /** Told while a card is on a screen that the person looks at. */
  readonly onSeen?: ((question: string) => void) | undefined;
}

/** Opens the inbox in the terminal and returns when the person leaves. The terminal is put back on every way out. */
export async function openInbox(options: OpenInboxOptions): Promise<InboxResult> {
  const { stdin, stdout, signal, clock, hasColor } = options;
  allowStyles();
  const controller = new InboxController({
    ...options,
    onArrival: () => {
      if (options.hasBell) ringBell(stdout);
    },
  });
  const decoder = new KeyDecoder((key) => controller.press(key));
  const { onSeen } = options;
  const attention = onSeen && new CardAttention(() => controller.state.open?.view.id, onSeen);
  if (attention !== undefined) controller.subscribe(() => attention.look());
  // Warnings would be written across the screen; they are kept until it is gone.
  const held: string[] = [];
  const putBack = holdTerminal(options, 'alternate', {
    onData: (chunk) => {
      decoder.push(chunk);
      attention?.typed();
    },
    onFocus: attention && ((isFocused) => attention.focus(isFocused)),
    onNote: (text) => {
      if (held.length < MAX_HELD) held.push(text);
    },
  });
  const stop = () => controller.stop();
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
    controller.stop();
    decoder.close();
    attention?.[Symbol.dispose]();
    putBack();
    for (const text of held) options.stderr.write(text);
  }
}

const MAX_HELD = 100;
