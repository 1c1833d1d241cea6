import { render } from 'ink';
import { allowStyles } from '../colors.js';
import { holdTerminal, type TerminalStreams } from '../hold-terminal.js';
import { KeyDecoder } from '../keys.js';
import { withoutRows } from '../without-rows.js';
import { TopApp } from './app.js';
import { TopController, type TopControllerOptions, type TopResult } from './controller.js';

export { ringBell } from '../../foundation/index.js';
export { copyByTerminal } from '../clipboard.js';
export type { TopResult } from './controller.js';

export interface OpenTopOptions extends TopControllerOptions, TerminalStreams {
  readonly hasColor: boolean;
  readonly signal: AbortSignal;
}

/** Opens the overview in the terminal and returns when the person leaves it. The terminal is put back on every way out. */
export async function openTop(options: OpenTopOptions): Promise<TopResult> {
  const { stdin, stdout, signal, clock, hasColor } = options;
  allowStyles();
  const controller = new TopController(options);
  const decoder = new KeyDecoder((key) => controller.press(key));
  // Warnings would be written across the screen; they are kept until it is gone.
  const held: string[] = [];
  const putBack = holdTerminal(options, 'alternate', {
    onData: (chunk) => decoder.push(chunk),
    onEnd: () => controller.stop(),
    onNote: (text) => {
      if (held.length < MAX_HELD) held.push(text);
    },
  });
  const stop = () => controller.stop();
  try {
    await controller.start();
    const ink = render(
      <TopApp controller={controller} clock={clock} terminal={stdout} hasColor={hasColor} />,
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
    putBack();
    for (const text of held) options.stderr.write(text);
  }
}

const MAX_HELD = 100;
