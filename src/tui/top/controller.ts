import { type Clock, isHoldfastError, messageOf, visibleExcerpt } from '../../foundation/index.js';
import type { TopEffect } from '../../models/top/index.js';
import type { Overview, OverviewRow } from '../../overview/index.js';
import { onlySet, openCard } from '../inbox/card.js';
import type { InboxController, InboxQuestions } from '../inbox/controller.js';
import type { Key } from '../keys.js';
import { initialTerminal, type TerminalEvent, type TerminalTop, updateTerminal } from './terminal-top.js';

/** How the person left: for good, or to look at a run. */
export interface TopResult {
  readonly attach: OverviewRow | undefined;
  /** The state to come back to. */
  readonly state: TerminalTop;
}

export interface TopControllerOptions {
  readonly overview: Pick<Overview, 'read' | 'watch'>;
  readonly questions: InboxQuestions;
  readonly clock: Clock;
  /** Steers the run, and returns the result in a few words. */
  readonly steer: (what: 'pause' | 'resume' | 'stop', row: OverviewRow) => Promise<string>;
  readonly goThere: (row: OverviewRow) => Promise<string>;
  readonly ring: () => void;
  /** What cannot be read from other machines just now; absent if there are none. */
  readonly trouble?: (() => string | undefined) | undefined;
  /** The state the person left before. */
  readonly from?: TerminalTop | undefined;
}

/** Most ages are shown in minutes. */
const AGES_MS = 60_000;

/** Holds the state of the overview, carries out its effects, and notifies listeners. */
export class TopController {
  readonly #options: TopControllerOptions;
  readonly #listeners = new Set<() => void>();
  readonly #cardHints = new Set<(id: string | null) => void>();
  #state: TerminalTop;
  #card: InboxController | undefined;
  #listed = '';
  #isListing = false;
  #isListStale = false;
  #isStopped = false;
  #trouble: string | undefined;
  #finish: (result: TopResult) => void = () => {};
  /** Resolves when the person leaves. */
  readonly done: Promise<TopResult>;

  constructor(options: TopControllerOptions) {
    this.#options = options;
    this.#state = initialTerminal(options.clock.now().getTime(), options.from);
    this.done = new Promise((resolve) => {
      this.#finish = resolve;
    });
  }

  async start(): Promise<void> {
    await this.#list();
    this.#options.overview.watch(() => void this.#listAgain());
  }

  stop(attach?: OverviewRow): void {
    this.#isStopped = true;
    this.#card?.stop();
    this.#finish({ attach, state: this.#state });
  }

  press(key: Key): void {
    // While a question is open, keys go to the inbox.
    if (this.#card !== undefined && key.name !== 'ctrl-c') this.#card.press(key);
    else this.#dispatch({ type: 'key', key });
  }

  get state(): TerminalTop {
    return this.#state;
  }

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  snapshot = (): TerminalTop => this.#state;

  /** The question that is open, as the inbox shows it. */
  card = (): InboxController | undefined => this.#card;

  /** Notes how many rows are on screen, for turning pages. */
  notePage = (rows: number): void => {
    if (this.#state.pageRows !== rows) this.#state = { ...this.#state, pageRows: Math.max(1, rows) };
  };

  #dispatch(event: TerminalEvent): void {
    const [next, effects] = updateTerminal(this.#state, event);
    const before = this.#state;
    this.#state = next;
    for (const effect of effects) this.#run(effect);
    if (next !== before) this.#draw();
  }

  #draw(): void {
    for (const listener of this.#listeners) listener();
  }

  #run(effect: TopEffect): void {
    const { steer, goThere, ring } = this.#options;
    switch (effect.do) {
      case 'answer':
        this.#openCard(effect.question).catch((error: unknown) => this.#tellError(error));
        break;
      case 'attach':
        this.stop(effect.row);
        break;
      case 'pause':
      case 'resume':
      case 'stop':
        this.#tell(steer(effect.do, effect.row));
        break;
      case 'go-there':
        this.#tell(goThere(effect.row));
        break;
      case 'ring':
        ring();
        break;
      case 'leave':
        this.stop();
        break;
    }
  }

  #tell(words: Promise<string>): void {
    words.then(
      (message) => this.#dispatch({ type: 'told', message }),
      (error: unknown) => this.#tellError(error),
    );
  }

  #tellError(error: unknown): void {
    const hint = isHoldfastError(error) && error.hint !== undefined ? ` ${error.hint}` : '';
    this.#dispatch({ type: 'told', message: visibleExcerpt(`${messageOf(error)}.${hint}`, 300) });
  }

  async #openCard(sessionId: string): Promise<void> {
    const watch = (onHint: (id: string | null) => void) => {
      this.#cardHints.add(onHint);
      return { close: () => void this.#cardHints.delete(onHint) };
    };
    const card = openCard({
      questions: onlySet(this.#options.questions, sessionId, watch),
      clock: this.#options.clock,
      sessionId,
      onTold: (message) => this.#dispatch({ type: 'told', message }),
      onClosed: () => {
        if (this.#card === card) this.#card = undefined;
        this.#draw();
      },
    });
    this.#card = card;
    this.#draw();
    await card.start();
  }

  /** Lists the rows; hints that arrive meanwhile make it list them once more. */
  async #listAgain(): Promise<void> {
    this.#isListStale = true;
    if (this.#isListing) return;
    this.#isListing = true;
    try {
      while (this.#isListStale && !this.#isStopped) {
        this.#isListStale = false;
        await this.#list();
        for (const onHint of this.#cardHints) onHint(null);
      }
    } catch (error) {
      this.#tellError(error);
    } finally {
      this.#isListing = false;
    }
  }

  async #list(): Promise<void> {
    const rows = await this.#options.overview.read();
    this.#tellTrouble();
    const nowMs = this.#options.clock.now().getTime();
    // Redrawing the same costs more than everything else done while nothing happens.
    const facts = JSON.stringify(rows);
    if (facts === this.#listed && nowMs - this.#state.nowMs < AGES_MS) return;
    this.#listed = facts;
    this.#dispatch({ type: 'listed', rows, nowMs });
  }

  /** Reports each trouble once, and once more when it is over. */
  #tellTrouble(): void {
    const trouble = this.#options.trouble?.();
    if (trouble === this.#trouble) return;
    this.#trouble = trouble;
    const message =
      trouble === undefined ? 'Other machines can be read again.' : `Other machines: ${trouble}`;
    this.#dispatch({ type: 'told', message: visibleExcerpt(message, 200) });
  }
}
