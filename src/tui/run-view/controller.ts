import { type Clock, isHoldfastError, messageOf, visibleExcerpt } from '../../foundation/index.js';
import type { RunViewEffect, ToldLine } from '../../models/run-view/index.js';
import type { RunEvent } from '../../run/index.js';
import type { LoopRequestInput } from '../../sessions/loop/index.js';
import type { QuestionSessions } from '../../sessions/question/index.js';
import { openCard } from '../inbox/card.js';
import type { InboxController } from '../inbox/controller.js';
import type { Key } from '../keys.js';
import { withWords } from './event-words.js';
import { type TerminalEvent, updateTerminal } from './terminal-run.js';
import { initialRun, type TerminalRun } from './terminal-state.js';

export interface RunViewControllerOptions {
  readonly questions: QuestionSessions;
  readonly clock: Clock;
  /** Leaves a request for the run, as `holdfast pause` and similar commands do. */
  readonly send: (request: LoopRequestInput) => Promise<unknown>;
  /** Whether the run is another process, which keeps running when the person leaves; false if absent. */
  readonly isAttached?: boolean | undefined;
  /** Called on Ctrl+C, which a terminal in raw mode does not turn into a signal; in an attached view, the person leaves. */
  readonly interrupt: () => void;
  /** The lines the plain view prints about an event. */
  readonly describe: (event: RunEvent) => readonly ToldLine[];
}

/** Events come in bursts; apart from keys, the screen is drawn at most this often. */
const DRAW_EVERY_MS = 100;
const TICK_MS = 1_000;
const LOOK_AFTER_MS = 30;
/** A question that runs out of time leaves no trace on disk, so look every so many ticks. */
const LOOK_EVERY_TICKS = 15;

/** Holds the state of the view, carries out its effects, and notifies listeners. */
export class RunViewController {
  readonly #options: RunViewControllerOptions;
  readonly #listeners = new Set<() => void>();
  #state: TerminalRun;
  #inbox: InboxController | undefined;
  #watch: { close(): void } | undefined;
  #drawTimer: NodeJS.Timeout | undefined;
  #lookTimer: NodeJS.Timeout | undefined;
  #tickTimer: NodeJS.Timeout | undefined;
  #ticks = 0;
  #isStopped = false;

  constructor(options: RunViewControllerOptions) {
    this.#options = options;
    this.#state = initialRun(options.clock.now().getTime(), options.isAttached);
  }

  start(): void {
    this.#watch = this.#options.questions.watch(() => this.#lookSoon());
    this.#tickTimer = setInterval(() => this.#tick(), TICK_MS);
  }

  stop(): void {
    this.#isStopped = true;
    this.#closeInbox();
    this.#watch?.close();
    clearInterval(this.#tickTimer);
    clearTimeout(this.#lookTimer);
    this.#draw();
  }

  /** `atMs`: when it happened, if not now. */
  show(event: RunEvent, atMs = this.#nowMs()): void {
    this.#dispatch(withWords(event, this.#options.describe, atMs));
    if (event.type === 'question' || event.type === 'standing') this.#lookSoon();
  }

  press(key: Key): void {
    // While a question is open, keys go to the inbox; only Ctrl+C is meant for the run.
    if (this.#inbox !== undefined && key.name !== 'ctrl-c') this.#inbox.press(key);
    else this.#dispatch({ type: 'key', key });
    this.#draw();
  }

  /** A signal arrived. */
  stopping(): void {
    this.#closeInbox();
    this.#dispatch({ type: 'stopping' });
  }

  /** The run no longer has a process. */
  left(): void {
    if (!this.#state.isLeft) this.#dispatch({ type: 'left' });
  }

  /** Takes text that was written to the terminal past us. */
  note(text: string): void {
    for (const line of text.split('\n'))
      if (line.trim() !== '') this.#dispatch({ type: 'noted', text: line });
  }

  get state(): TerminalRun {
    return this.#state;
  }

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  snapshot = (): TerminalRun => this.#state;

  /** The question that is open, as the inbox shows it. */
  inbox = (): InboxController | undefined => this.#inbox;

  #dispatch(event: TerminalEvent): void {
    const [next, effects] = updateTerminal(this.#state, event);
    this.#state = next;
    for (const effect of effects) this.#run(effect);
    this.#drawTimer ??= setTimeout(() => this.#draw(), DRAW_EVERY_MS);
  }

  #draw(): void {
    clearTimeout(this.#drawTimer);
    this.#drawTimer = undefined;
    for (const listener of this.#listeners) listener();
  }

  #run(effect: RunViewEffect): void {
    switch (effect.do) {
      case 'request':
        this.#options.send(effect.request).catch((error: unknown) => this.#tell(error));
        break;
      case 'answer':
        this.#openInbox(effect.id).catch((error: unknown) => this.#tell(error));
        break;
      case 'interrupt':
        this.#options.interrupt();
        break;
    }
  }

  #tell(error: unknown): void {
    this.#dispatch({ type: 'told', message: visibleExcerpt(messageOf(error), 200) });
  }

  async #openInbox(sessionId: string): Promise<void> {
    const { questions, clock } = this.#options;
    const inbox = openCard({
      questions,
      clock,
      sessionId,
      onTold: (message) => this.#dispatch({ type: 'told', message }),
      onClosed: () => {
        if (this.#inbox === inbox) this.#inbox = undefined;
        this.#lookSoon();
        this.#draw();
      },
    });
    this.#inbox = inbox;
    this.#draw();
    await inbox.start();
  }

  #closeInbox(): void {
    this.#inbox?.stop();
    this.#inbox = undefined;
  }

  #tick(): void {
    this.#ticks += 1;
    this.#dispatch({ type: 'tick', nowMs: this.#nowMs() });
    if (this.#ticks % LOOK_EVERY_TICKS === 0) this.#lookSoon();
  }

  #lookSoon(): void {
    if (this.#isStopped || this.#state.questions.length === 0) return;
    this.#lookTimer ??= setTimeout(() => {
      this.#lookTimer = undefined;
      this.#look().catch((error: unknown) => this.#tell(error));
    }, LOOK_AFTER_MS);
  }

  /** Checks what became of the waiting questions. */
  async #look(): Promise<void> {
    for (const { id, prompt } of this.#state.questions) {
      const outcome = await this.#outcomeOf(id, prompt === null);
      if (outcome === 'pending' || this.#isStopped) continue;
      const isOld = prompt === null;
      this.#dispatch({ type: 'question-settled', id, outcome, isOld, nowMs: this.#nowMs() });
    }
  }

  async #outcomeOf(id: string, isUnread: boolean): Promise<string> {
    try {
      const { outcome, questions } = await this.#options.questions.get(id);
      if (isUnread) {
        const question = { id, prompt: questions[0]?.prompt ?? '' };
        this.#dispatch({ type: 'question-read', question });
      }
      return outcome.status;
    } catch (error) {
      if (isHoldfastError(error, 'SESSION_NOT_FOUND')) return 'gone';
      throw error;
    }
  }

  #nowMs(): number {
    return this.#options.clock.now().getTime();
  }
}
