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
  /** Told while the card of a question is on a screen that the person looks at. */
  readonly onSeen?: ((question: string) => void) | undefined;
  /** Told when the view cannot go on; the terminal is put back by then. */
  readonly onBroken: (error: unknown) => void;
}

/** A run that is shown while it runs. */
export interface RunView {
  /** Never throws: the run is worth more than its picture. `atMs`: when it happened, where that is not now. */
  show(event: RunEvent, atMs?: number): void;
  /** No process runs it, and nobody said how it ended. */
  left(): void;
  /** A line for the person, above how it stands. */
  note(text: string): void;
  readonly isBroken: boolean;
  /** Takes the live part off the screen and puts the terminal back; what was kept stays above. */
  close(): Promise<void>;
}

/** Shows a run in the terminal until it is closed. The terminal is put back on every way out. */
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
  // It ends by itself only when drawing fails.
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
      // React draws what came last.
      await new Promise(setImmediate);
      ink.unmount();
      if (!isBroken) stdout.write(frame.erase());
      end();
      await gone;
    },
  };
}

/**
 * What Ink writes is looked at on its way. It must not know the height: it empties the terminal, scrollback included, when
 * a frame is higher than the terminal became; ours are cut to it.
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
