import { render } from 'ink';
import type { RunEvent } from '../../run/index.js';
import { CardAttention } from '../card-attention.js';
import { allowStyles } from '../colors.js';
import { holdTerminal, type TerminalStreams } from '../hold-terminal.js';
import { KeyDecoder } from '../keys.js';
import { RunViewApp } from './app.js';
import { RunViewController, type RunViewControllerOptions } from './controller.js';
import { DrawnFrame } from './drawn-frame.js';

export interface OpenRunViewOptions extends RunViewControllerOptions, TerminalStreams {
  readonly hasColor: boolean;
  readonly signal: AbortSignal;
  /** Called while a question's card is on a screen that the person is looking at. */
  readonly onSeen?: ((question: string) => void) | undefined;
  /** Called when the view cannot continue; the terminal has been restored by then. */
  readonly onBroken: (error: unknown) => void;
}

/** The live view of a run. */
export interface RunView {
  /** Never throws: the run is worth more than its picture. `atMs`: when it happened, if not now. */
  show(event: RunEvent, atMs?: number): void;
  /** No process runs it, and how it ended is unknown. */
  left(): void;
  /** Writes a line for the person above the live part. */
  note(text: string): void;
  readonly isBroken: boolean;
  /** Removes the live part and restores the terminal; the kept lines stay above. */
  close(): Promise<void>;
}

/** Shows a run in the terminal until the view is closed. The terminal is restored on every way out. */
export function openRunView(options: OpenRunViewOptions): RunView {
  const { stdin, stdout, signal, clock, hasColor } = options;
  allowStyles();
  const controller = new RunViewController(options);
  const decoder = new KeyDecoder((key) => controller.press(key));
  const { onSeen } = options;
  const attention = onSeen && new CardAttention(() => controller.inbox()?.state.open?.view.id, onSeen);
  if (attention !== undefined) controller.subscribe(() => attention.look());
  const frame = new DrawnFrame();
  const putBack = holdTerminal(options, 'live', {
    onData: (chunk) => {
      decoder.push(chunk);
      attention?.typed();
    },
    onFocus: attention && ((isFocused) => attention.focus(isFocused)),
    // Called before Ink's own listener, which erases the frame by its number of rows.
    onResize: () => stdout.write(frame.eraseOverhang(stdout.columns)),
    onNote: (text) => controller.note(text),
  });
  const onSignal = () => controller.stopping();
  signal.addEventListener('abort', onSignal, { once: true });
  controller.start();
  if (signal.aborted) onSignal();
  const ink = render(
    <RunViewApp controller={controller} clock={clock} terminal={stdout} hasColor={hasColor} />,
    { stdin, stdout: watched(stdout, frame), exitOnCtrlC: false, patchConsole: false },
  );
  const end = () => {
    controller.stop();
    decoder.close();
    attention?.[Symbol.dispose]();
    signal.removeEventListener('abort', onSignal);
    putBack();
  };
  let isBroken = false;
  const fail = (error: unknown) => {
    isBroken = true;
    ink.unmount();
    end();
    options.onBroken(error);
  };
  // Ink exits on its own only if drawing fails.
  const gone = ink.waitUntilExit().catch(fail);
  return {
    left: () => controller.left(),
    note: (text) => controller.note(text),
    show(event, atMs) {
      try {
        controller.show(event, atMs);
      } catch (error) {
        fail(error);
      }
    },
    get isBroken() {
      return isBroken;
    },
    async close() {
      controller.stop();
      // Lets React draw what came last.
      await new Promise(setImmediate);
      ink.unmount();
      if (!isBroken) stdout.write(frame.erase());
      end();
      await gone;
    },
  };
}

/**
 * Passes Ink's output through the frame tracker. Ink must not know the height: it clears the terminal, scrollback included,
 * if a frame is taller than a shrunken terminal; our frames are cut to its height.
 */
function watched(stdout: NodeJS.WriteStream, frame: DrawnFrame): NodeJS.WriteStream {
  const write = (text: string | Uint8Array, ...rest: never[]) => {
    if (typeof text === 'string' && text !== '') frame.take(text);
    return stdout.write(text, ...rest);
  };
  return new Proxy(stdout, {
    get(target, name) {
      if (name === 'rows') return undefined;
      if (name === 'write') return write;
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}
