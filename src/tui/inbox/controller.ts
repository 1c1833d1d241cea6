import { type Clock, isHoldfastError, messageOf, visibleExcerpt } from '../../foundation/index.js';
import {
  type Departure,
  draftOf,
  type InboxEffect,
  type OpenSet,
  toAnswerInputs,
} from '../../models/inbox/index.js';
import {
  isSettled,
  isWaiting,
  type QuestionSessions,
  type QuestionView,
} from '../../sessions/question/index.js';
import type { Key } from '../keys.js';
import { type TerminalEvent, updateTerminal } from './terminal-inbox.js';
import { INITIAL_INBOX, type TerminalInbox } from './terminal-state.js';

/** How the inbox ended, for the exit code and the closing message. */
export interface InboxResult {
  readonly answered: readonly string[];
  readonly rejected: readonly string[];
}

/** What the inbox needs of the question sessions. */
export type InboxQuestions = Pick<
  QuestionSessions,
  'watch' | 'get' | 'listLive' | 'answer' | 'reject' | 'readDraft' | 'saveDraft' | 'discardDraft'
> & {
  /** What part of the list cannot be read just now, in words; absent if everything is on this machine. */
  readonly trouble?: string | undefined;
};

export interface ControllerOptions {
  readonly questions: InboxQuestions;
  readonly clock: Clock;
  /** Called when a new set arrives. */
  readonly onArrival: () => void;
  /** Stop after the first set that was answered or rejected. */
  readonly isOnce: boolean;
  /** Open this set at the start. */
  readonly sessionId?: string | undefined;
  /** How often to check whether the askers are still alive: a dying asker leaves no trace. */
  readonly askersEveryMs?: number;
}

const LIST_EVERY_MS = 30;
const SAVE_EVERY_MS = 50;
const SAVE_AGAIN_MS = 500;
const ASKERS_EVERY_MS = 15_000;
/** The longest delay a timer can have. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** Holds the state of the inbox, carries out its effects, and notifies listeners. */
export class InboxController {
  readonly #options: ControllerOptions;
  readonly #listeners = new Set<() => void>();
  readonly #result = { answered: [] as string[], rejected: [] as string[] };
  #state: TerminalInbox = INITIAL_INBOX;
  #watch: { close(): void } | undefined;
  #known: ReadonlySet<string> | undefined;
  #trouble: string | undefined;
  #listTimer: NodeJS.Timeout | undefined;
  #lookTimer: NodeJS.Timeout | undefined;
  #saveTimer: NodeJS.Timeout | undefined;
  #unsaved: OpenSet | undefined;
  #isStopped = false;
  #finish: (result: InboxResult) => void = () => {};
  /** Resolves when the person leaves. */
  readonly done: Promise<InboxResult>;

  constructor(options: ControllerOptions) {
    this.#options = options;
    this.done = new Promise((resolve) => {
      this.#finish = resolve;
    });
  }

  /** Lists what is pending. Watching starts after the first frame, with a second look: something may have arrived meanwhile. */
  async start(): Promise<void> {
    await this.#list();
    setImmediate(() => this.#attempt(() => this.#startWatching()));
    if (this.#options.sessionId !== undefined) this.#run({ do: 'open', id: this.#options.sessionId });
    else if (this.#options.isOnce && this.#state.selectedId !== null)
      this.#run({ do: 'open', id: this.#state.selectedId });
  }

  async #startWatching(): Promise<void> {
    if (this.#isStopped) return;
    this.#watch = this.#options.questions.watch(() => this.#listSoon());
    await this.#list();
  }

  stop(): void {
    this.#isStopped = true;
    this.#saveNow();
    this.#watch?.close();
    for (const timer of [this.#listTimer, this.#lookTimer, this.#saveTimer]) clearTimeout(timer);
    this.#finish(this.#result);
  }

  press(key: Key): void {
    this.#dispatch({ type: 'key', key });
  }

  /** Sets how far the text on screen can be scrolled. */
  limitScroll = (limit: number, rows: number): void => {
    const { scroll, pageRows } = this.#state;
    if (scroll > limit || pageRows !== Math.max(1, rows))
      this.#dispatch({ type: 'scroll-limit', limit, rows });
  };

  /** Notes that the end of a set's question is on screen. */
  noteRead = (id: string): void => {
    const { open } = this.#state;
    if (open?.view.id === id && !open.isRead) this.#dispatch({ type: 'read', id });
  };

  get state(): TerminalInbox {
    return this.#state;
  }

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  snapshot = (): TerminalInbox => this.#state;

  #dispatch(event: TerminalEvent): void {
    const [next, effects] = updateTerminal(this.#state, event);
    const before = this.#state;
    this.#state = next;
    for (const effect of effects) this.#run(effect);
    if (next !== before) for (const listener of this.#listeners) listener();
  }

  #run(effect: InboxEffect): void {
    switch (effect.do) {
      case 'open':
        this.#attempt(() => this.#open(effect.id));
        break;
      case 'save-draft':
        this.#keep();
        break;
      case 'submit':
        this.#attempt(() => this.#submit(effect.set));
        break;
      case 'reject':
        this.#attempt(() => this.#reject(effect.id, effect.reason));
        break;
      case 'reject-all':
        this.#attempt(() => this.#rejectAll(effect.ids, effect.reason));
        break;
      case 'leave':
        this.stop();
        break;
    }
  }

  async #open(id: string): Promise<void> {
    const { questions } = this.#options;
    const view = await questions.get(id);
    this.#saveNow(); // it may be the set that was closed a moment ago
    if (isSettled(view.outcome)) this.#dispatch({ type: 'lost-race', view });
    else this.#dispatch({ type: 'opened', view, draft: questions.readDraft(id) });
  }

  async #submit(set: OpenSet): Promise<void> {
    const { questions } = this.#options;
    const { id } = set.view;
    this.#saveNow();
    const view = await questions.answer(id, toAnswerInputs(set.view.questions, set.answers));
    this.#result.answered.push(id);
    // An answer still on its way may come back; then the draft is still there.
    if (view.onItsWay === undefined) questions.discardDraft(id);
    this.#settle(id, `Answered ${id.slice(0, 8)}${whereNow(view)}.`);
  }

  async #reject(id: string, reason: string | null): Promise<void> {
    const { questions } = this.#options;
    this.#saveNow();
    const view = await questions.reject(id, reason);
    this.#result.rejected.push(id);
    if (view.onItsWay === undefined) questions.discardDraft(id);
    this.#settle(id, `Rejected ${id.slice(0, 8)}${whereNow(view)}.`);
  }

  /** Rejects one set after the other; a set already settled by someone else keeps its outcome. */
  async #rejectAll(ids: readonly string[], reason: string | null): Promise<void> {
    const { questions } = this.#options;
    const rejected: string[] = [];
    for (const id of ids) {
      try {
        await questions.reject(id, reason);
        questions.discardDraft(id);
        rejected.push(id);
      } catch (error) {
        if (!isHoldfastError(error)) throw error;
      }
    }
    this.#result.rejected.push(...rejected);
    const left = ids.length - rejected.length;
    const rest = left === 0 ? '' : ` ${left} could not be: somebody else was first, or has them open.`;
    this.#dispatch({ type: 'submitted', notice: `Rejected ${rejected.length}.${rest}` });
    this.#listSoon();
  }

  #settle(id: string, notice: string): void {
    this.#unsaved = undefined;
    this.#dispatch({ type: 'submitted', notice });
    if (this.#options.isOnce || this.#options.sessionId === id) this.stop();
    else this.#listSoon();
  }

  #attempt(action: () => Promise<void>): void {
    action().catch((error: unknown) => this.#fail(error));
  }

  #fail(error: unknown): void {
    const { open } = this.#state;
    if (isHoldfastError(error, 'ALREADY_SETTLED') && open !== null) {
      this.#options.questions.get(open.view.id).then(
        (view) => this.#dispatch({ type: 'lost-race', view }),
        (reason: unknown) => this.#fail(reason),
      );
      return;
    }
    const questionIndex = questionOf(error);
    if (questionIndex !== null) this.#dispatch({ type: 'refused', questionIndex, fault: inWords(error) });
    else this.#dispatch({ type: 'failed', message: `${inWords(error)}${this.#wordsAboutDraft()}` });
    this.#listSoon();
  }

  /** Added to an error about an open set: where its draft is on disk. */
  #wordsAboutDraft(): string {
    this.#saveNow();
    return this.#state.open === null || this.#unsaved !== undefined ? '' : ' Your draft is kept.';
  }

  /** Hints come in bursts; the list is read once per burst. */
  #listSoon(): void {
    if (this.#isStopped) return;
    this.#listTimer ??= setTimeout(() => {
      this.#listTimer = undefined;
      this.#list().catch((error: unknown) => this.#dispatch({ type: 'told', message: inWords(error) }));
    }, LIST_EVERY_MS);
  }

  async #list(): Promise<void> {
    const views = await this.#options.questions.listLive();
    const pending = views.filter(isWaiting);
    this.#tellTrouble();
    this.#noticeArrivals(pending);
    this.#dispatch({ type: 'listed', pending, departures: this.#departures(views) });
    this.#lookAgainInTime(pending);
    const { open } = this.#state;
    if (open === null) return;
    const now = views.find((view) => view.id === open.view.id);
    if (now === undefined || now.outcome.status !== open.view.outcome.status) {
      this.#saveNow();
      this.#dispatch({ type: 'settled-elsewhere', view: now ?? null });
    }
  }

  /** Reports each trouble once, and once more when it is over. */
  #tellTrouble(): void {
    const { trouble } = this.#options.questions;
    if (trouble === this.#trouble) return;
    this.#trouble = trouble;
    const message =
      trouble === undefined ? 'Other machines can be read again.' : `Other machines: ${trouble}`;
    this.#dispatch({ type: 'told', message: visibleExcerpt(message, 200) });
  }

  /** What left the list since the last look, except by this person. */
  #departures(views: readonly QuestionView[]): Departure[] {
    const { answered, rejected } = this.#result;
    const now = new Map(views.map((view) => [view.id, view.outcome.status]));
    return this.#state.pending
      .map((view): Departure => ({ view, status: now.get(view.id) ?? 'gone' }))
      .filter(({ view: { id }, status }) => status !== 'pending' && ![...answered, ...rejected].includes(id));
  }

  /** Two things change without a trace on disk: a set runs out of time, or an asker dies. */
  #lookAgainInTime(pending: readonly QuestionView[]): void {
    clearTimeout(this.#lookTimer);
    if (this.#isStopped) return;
    const now = this.#options.clock.now().getTime();
    const dueMs = pending.map(({ expiresAt }) =>
      expiresAt === null ? MAX_TIMER_MS : Date.parse(expiresAt) - now,
    );
    if (pending.some((view) => view.isAskerGone === false))
      dueMs.push(this.#options.askersEveryMs ?? ASKERS_EVERY_MS);
    const soonestMs = Math.min(MAX_TIMER_MS, ...dueMs);
    if (soonestMs === MAX_TIMER_MS) return;
    this.#lookTimer = setTimeout(() => this.#listSoon(), Math.max(LIST_EVERY_MS, soonestMs));
  }

  #noticeArrivals(pending: readonly QuestionView[]): void {
    const known = this.#known;
    this.#known = new Set(pending.map((view) => view.id));
    if (known === undefined || pending.every((view) => known.has(view.id))) return;
    this.#options.onArrival();
    const { open, screen } = this.#state;
    if (this.#options.isOnce && open === null && screen.name === 'list' && pending[0] !== undefined) {
      this.#run({ do: 'open', id: pending[0].id });
    }
  }

  /** Saves at the first key, then at most every 50 ms: a slow disk must not slow down typing. */
  #keep(): void {
    const { open } = this.#state;
    if (open === null) return;
    if (this.#unsaved !== undefined && this.#unsaved.view.id !== open.view.id) this.#saveNow();
    this.#unsaved = open;
    if (this.#saveTimer === undefined) this.#saveNow();
  }

  /** Saves what is not saved yet. A failure is reported, and saving is tried again. */
  #saveNow(): void {
    const open = this.#unsaved;
    if (open === undefined) return;
    this.#unsaved = undefined;
    let again = SAVE_EVERY_MS;
    try {
      this.#options.questions.saveDraft(open.view.id, draftOf(open));
    } catch (error) {
      if (!isHoldfastError(error, 'SESSION_NOT_FOUND')) {
        this.#unsaved = open;
        again = SAVE_AGAIN_MS;
        this.#dispatch({ type: 'told', message: `The draft could not be saved: ${inWords(error)}` });
      }
    }
    clearTimeout(this.#saveTimer);
    this.#saveTimer = setTimeout(() => {
      this.#saveTimer = undefined;
      this.#saveNow();
    }, again);
  }
}

/** Where the decision about another machine's set is. */
function whereNow({ machine, onItsWay }: QuestionView): string {
  if (machine === undefined) return '';
  const name = visibleExcerpt(machine, 63);
  return onItsWay === undefined ? `: it arrived on ${name}` : `: it is on its way to ${name}`;
}

function inWords(error: unknown): string {
  const hint = isHoldfastError(error) && error.hint !== undefined ? ` ${error.hint}` : '';
  return visibleExcerpt(`${messageOf(error)}.${hint}`, 200);
}

/** The question whose answer was refused. The error's class is not checked: with a fleet it comes from another bundle. */
function questionOf(error: unknown): number | null {
  const isRefusal = isHoldfastError(error, 'INVALID_ANSWER') && 'questionIndex' in error;
  return isRefusal && typeof error.questionIndex === 'number' ? error.questionIndex : null;
}
