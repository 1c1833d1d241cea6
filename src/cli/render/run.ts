import type { RunEvent } from '../../run/index.js';
import { type RunLine, runDescriber } from '../../run/journal/describe-run.js';
import { describeWait, type Waiting } from '../../sessions/loop/index.js';
import type { CommandContext } from '../command.js';

/** A run as plain lines on stderr. Every wait says what it is for and until when. */
export class RunLines implements Disposable {
  readonly #context: CommandContext;
  readonly #describe: (event: RunEvent) => RunLine[];
  #ticking: NodeJS.Timeout | undefined;

  constructor(context: CommandContext, isUnattended: boolean) {
    this.#context = context;
    this.#describe = runDescriber(isUnattended);
  }

  show(event: RunEvent): void {
    this[Symbol.dispose]();
    for (const { text } of this.#describe(event)) this.#context.terminal.note(text);
    if (event.type === 'waiting') this.#count(event);
  }

  [Symbol.dispose](): void {
    clearInterval(this.#ticking);
    this.#ticking = undefined;
  }

  #count(waiting: Waiting): void {
    const { services, terminal } = this.#context;
    const line = () => describeWait(waiting, services.clock.now());
    terminal.note(line());
    if (waiting.until === null) return;
    // On a screen the same line is redrawn each second; a file gets a new line now and then.
    const isScreen = terminal.isInteractive;
    this.#ticking = setInterval(
      () => (isScreen ? process.stderr.write(`\r\u001b[2K${line()}`) : terminal.note(line())),
      isScreen ? 1_000 : REPEATED_MS,
    );
  }
}

/** How often a file gets the line again: a wait may take days. */
const REPEATED_MS = 60 * 60_000;
