import { type Clock, isHoldfastError, messageOf, visibleExcerpt } from '../../foundation/index.js';
import { isSettled, type QuestionSessions, type QuestionView } from '../../sessions/question/index.js';
import type { Key } from '../keys.js';
import { toAnswerInputs } from './answers.js';
import {
  draftOf,
  type Effect,
  INITIAL_STATE,
  type InboxEvent,
  type InboxState,
  type OpenSet,
  update,
} from './model.js';

/** What became of the inbox, for the exit code and the last words. */
export interface InboxResult {
  readonly answered: readonly string[];
  readonly rejected: readonly string[];
}

export interface ControllerOptions {
  readonly questions: QuestionSessions;
  readonly clock: Clock;
  /** Called when a set arrives that was not there before. */
  readonly onArrival: () => void;
  /** Stop after the first set that was answered or rejected. */
  readonly isOnce: boolean;
  /** Open this one at the start. */
  readonly sessionId?: string | undefined;
}

const LIST_EVERY_MS = 30;
const SAVE_EVERY_MS = 50;

/** Holds the state of the inbox, does what it asks for, and tells who listens. */
export class InboxController {
  readonly #options: ControllerOptions;
  readonly #listeners = new Set<() => void>();
  readonly #result = { answered: [] as string[], rejected: [] as string[] };
  #state: InboxState = INITIAL_STATE;
  #watch: { close(): void } | undefined;
  #known: ReadonlySet<string> | undefined;
  #listTimer: NodeJS.Timeout | undefined;
  #saveTimer: NodeJS.Timeout | undefined;
  #unsaved: OpenSet | undefined;
  #finish: (result: InboxResult) => void = () => {};
  /** Resolves when the person leaves. */
  readonly done: Promise<InboxResult>;

  constructor(options: ControllerOptions) {
    this.#options = options;
    this.done = new Promise((resolve) => {
      this.#finish = resolve;
    });
  }

  /** Lists what is pending and starts to watch. */
  async start(): Promise<void> {
    this.#watch = this.#options.questions.watch(() => this.#listSoon());
    await this.#list();
    if (this.#options.sessionId !== undefined) this.#run({ do: 'open', id: this.#options.sessionId });
    else if (this.#options.isOnce && this.#state.selectedId !== null)
      this.#run({ do: 'open', id: this.#state.selectedId });
  }

  stop(): void {
    this.#saveNow();
    this.#watch?.close();
    clearTimeout(this.#listTimer);
    this.#finish(this.#result);
  }

  press(key: Key): void {
    this.#dispatch({ type: 'key', key });
  }

  get state(): InboxState {
    return this.#state;
  }

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  snapshot = (): InboxState => this.#state;

  #dispatch(event: InboxEvent): void {
    const [next, effects] = update(this.#state, event);
    const before = this.#state;
    this.#state = next;
    for (const effect of effects) this.#run(effect);
    if (next !== before) for (const listener of this.#listeners) listener();
  }

  #run(effect: Effect): void {
    switch (effect.do) {
      case 'open':
        this.#attempt(() => this.#open(effect.id));
        break;
      case 'save-draft':
        this.#saveSoon();
        break;
      case 'submit':
        this.#attempt(() => this.#submit(effect.set));
        break;
      case 'reject':
        this.#attempt(() => this.#reject(effect.id, effect.reason));
        break;
      case 'leave':
        this.stop();
        break;
    }
  }

  async #open(id: string): Promise<void> {
    const { questions } = this.#options;
    const view = await questions.get(id);
    if (isSettled(view.outcome)) this.#dispatch({ type: 'lost-race', view });
    else this.#dispatch({ type: 'opened', view, draft: questions.readDraft(id) });
  }

  async #submit(set: OpenSet): Promise<void> {
    const { questions } = this.#options;
    const { id } = set.view;
    this.#saveNow();
    await questions.answer(id, toAnswerInputs(set.view.questions, set.answers));
    questions.discardDraft(id);
    this.#result.answered.push(id);
    this.#settle(`Answered ${id.slice(0, 8)}.`);
  }

  async #reject(id: string, reason: string | null): Promise<void> {
    const { questions } = this.#options;
    this.#saveNow();
    await questions.reject(id, reason);
    questions.discardDraft(id);
    this.#result.rejected.push(id);
    this.#settle(`Rejected ${id.slice(0, 8)}.`);
  }

  #settle(notice: string): void {
    this.#dispatch({ type: 'submitted', notice });
    if (this.#options.isOnce || this.#options.sessionId !== undefined) this.stop();
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
    const hint = isHoldfastError(error) && error.hint !== undefined ? ` ${error.hint}` : '';
    this.#dispatch({ type: 'failed', message: visibleExcerpt(`${messageOf(error)}.${hint}`, 200) });
  }

  /** Hints come in bursts; the list is read once for a burst. */
  #listSoon(): void {
    this.#listTimer ??= setTimeout(() => {
      this.#listTimer = undefined;
      this.#attempt(() => this.#list());
    }, LIST_EVERY_MS);
  }

  async #list(): Promise<void> {
    const views = await this.#options.questions.list();
    const pending = views.filter((view) => view.outcome.status === 'pending');
    this.#noticeArrivals(pending);
    this.#dispatch({ type: 'listed', pending });
    const { open } = this.#state;
    if (open === null) return;
    const now = views.find((view) => view.id === open.view.id);
    if (now === undefined || now.outcome.status !== open.view.outcome.status) {
      this.#saveNow();
      this.#dispatch({ type: 'settled-elsewhere', view: now ?? null });
    }
  }

  #noticeArrivals(pending: readonly QuestionView[]): void {
    const known = this.#known;
    this.#known = new Set(pending.map((view) => view.id));
    if (known === undefined || pending.every((view) => known.has(view.id))) return;
    this.#options.onArrival();
    if (this.#options.isOnce && this.#state.open === null && pending[0] !== undefined) {
      this.#run({ do: 'open', id: pending[0].id });
    }
  }

  /** At once for the first key, then at most every 50 ms: a slow disk must not slow down typing. */
  #saveSoon(): void {
    this.#unsaved = this.#state.open ?? undefined;
    if (this.#saveTimer !== undefined) return;
    this.#saveNow();
    this.#saveTimer = setTimeout(() => {
      this.#saveTimer = undefined;
      if (this.#unsaved !== undefined) this.#saveSoon();
    }, SAVE_EVERY_MS);
  }

  #saveNow(): void {
    const open = this.#unsaved;
    this.#unsaved = undefined;
    if (open === undefined) return;
    try {
      this.#options.questions.saveDraft(open.view.id, draftOf(open));
    } catch (error) {
      if (!isHoldfastError(error, 'SESSION_NOT_FOUND')) this.#fail(error);
    }
  }
}
