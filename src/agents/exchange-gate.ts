import { messageOf } from '../foundation/index.js';
import type { Program, ProgramExit, StopOptions } from '../programs/index.js';
import { describeDeath } from './describe-exit.js';
import { CANCEL_GRACE_MS, type DriverTools, STOP_GRACE } from './driver.js';
import { AgentBusyError, AgentEndedError } from './errors.js';
import type { AgentEvent, TurnEnd } from './events.js';
import { Exchange } from './exchange.js';
import { LATE, within } from './time-limit.js';

export const AT_ONCE = { graceMs: 0, termMs: 0 } as const;

/** An exchange while it runs, and a promise of its end. */
export interface OpenExchange {
  readonly exchange: Exchange;
  readonly over: Promise<void>;
  /** Set once somebody wants it to end. */
  cancelling: Promise<void> | undefined;
}

export interface ExchangeGateOptions {
  readonly tools: DriverTools;
  /** What people call the program. */
  readonly name: string;
  /** Asks the agent to end the current exchange, if any. */
  readonly interrupt: () => void;
  /** An event is about to be reported; the exchange it belongs to is still open. */
  readonly beforeEvent: (event: AgentEvent) => void;
  /** The program is gone, and this has not been reported yet. */
  readonly onExit: () => void;
  /** Why it died, if something better than its exit is known. */
  readonly explainDeath?: (() => TurnEnd | undefined) | undefined;
}

/**
 * One program, one exchange at a time. The gate decides who is let in and what ends an exchange (the agent, a signal, a
 * death, a cancel that is not obeyed in time), and reports its end exactly once. `Facts` is what a protocol keeps with
 * each exchange.
 */
export class ExchangeGate<Facts extends object> {
  readonly #options: ExchangeGateOptions;
  #program: Program | undefined;
  #open: (OpenExchange & Facts) | undefined;
  #settle = () => {};
  #isEnded = false;

  constructor(options: ExchangeGateOptions) {
    this.#options = options;
  }

  get program(): Program | undefined {
    return this.#program;
  }

  get pid(): number | null {
    return this.#program?.exit === undefined ? (this.#program?.pid ?? null) : null;
  }

  /** The current exchange. */
  get open(): (OpenExchange & Facts) | undefined {
    return this.#open;
  }

  /** Whether somebody wants the current exchange to end, by cancelling it or ending the agent. */
  get isWantedToEnd(): boolean {
    return this.#isEnded || this.#open?.cancelling !== undefined;
  }

  /** The program was started; from now on its death is reported. */
  attach(program: Program): void {
    this.#program = program;
    void program.exited.then((exit) => {
      this.#options.onExit();
      if (this.#open !== undefined) this.#tellDeath(program, exit);
      // Ends what it left running and forgets it.
      void this.stopQuietly(AT_ONCE);
    });
  }

  /** Begins an exchange; it may be over already. Throws AGENT_ENDED, AGENT_BUSY. */
  begin(signal: AbortSignal | undefined, facts: Facts): OpenExchange & Facts {
    const program = this.#program;
    if (this.#isEnded || program === undefined) throw new AgentEndedError();
    if (this.#open !== undefined) throw new AgentBusyError();
    const cancel = () => void this.cancel();
    const over = new Promise<void>((resolve) => {
      this.#settle = () => {
        signal?.removeEventListener('abort', cancel);
        resolve();
      };
    });
    signal?.addEventListener('abort', cancel, { once: true });
    const open = { ...facts, exchange: new Exchange(cancel), over, cancelling: undefined };
    this.#open = open;
    if (signal?.aborted) this.push({ type: 'turn-end', reason: 'cancelled', message: null });
    else if (program.exit !== undefined) this.#tellDeath(program, program.exit);
    return open;
  }

  /** Reports an event of the current exchange; a `turn-end` closes it. */
  push(event: AgentEvent): void {
    this.#options.beforeEvent(event);
    const open = this.#open;
    if (event.type === 'turn-end') this.#open = undefined;
    open?.exchange.push(event);
    if (event.type === 'turn-end' && open !== undefined) this.#settle();
  }

  async cancel(): Promise<void> {
    const open = this.#open;
    if (open === undefined) return;
    open.cancelling ??= this.#cancel(open);
    await open.cancelling;
  }

  async end(): Promise<ProgramExit | null> {
    this.#isEnded = true;
    const goodbye = () => this.#options.interrupt();
    return (await this.#program?.stop({ ...STOP_GRACE, goodbye })) ?? null;
  }

  async terminate(): Promise<ProgramExit | null> {
    this.#isEnded = true;
    return (await this.#program?.stop(AT_ONCE)) ?? null;
  }

  /** Stops the program when there is no caller to report a failure to. */
  async stopQuietly(options: StopOptions): Promise<void> {
    try {
      await this.#program?.stop(options);
    } catch (error) {
      const { log } = this.#options.tools;
      log.warn('agent.stop-failed', { pid: this.#program?.pid, error: messageOf(error) });
    }
  }

  /** Cancels an exchange, and kills the agent if it does not end in time. */
  async #cancel(open: OpenExchange): Promise<void> {
    const { tools, interrupt } = this.#options;
    interrupt();
    if ((await within(tools.clock, CANCEL_GRACE_MS, open.over)) !== LATE) return;
    await this.stopQuietly(AT_ONCE);
    if (this.#program?.exit !== undefined) await open.over;
  }

  #tellDeath(program: Program, exit: ProgramExit): void {
    const { name, explainDeath } = this.#options;
    const isOurs = this.isWantedToEnd;
    this.#isEnded = true;
    const message = describeDeath(name, exit, program);
    const died = { type: 'turn-end', reason: isOurs ? 'cancelled' : 'died', message } as const;
    this.push(isOurs ? died : (explainDeath?.() ?? died));
  }
}
