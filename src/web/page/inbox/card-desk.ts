import { type Signal, signal } from '@preact/signals';
import {
  choose,
  chooseOther,
  EMPTY_ANSWER,
  type Fault,
  faultIn,
  toAnswerInputs,
} from '../../../models/inbox/index.js';
import type { Answering, Card } from '../../contract/index.js';
import type { Kept } from '../frame/kept.js';
import type { Reply } from '../live/api.js';
import type { Store } from '../live/store.js';
import { type CardDraft, hasWords, isSame, type KeptDraft, mergedDraft, type Origin } from './drafts.js';

/** How sending a card stands. */
export type Sending =
  | { readonly name: 'idle' }
  | { readonly name: 'sending' }
  /** No server answered; it is sent again only when the person asks for it. */
  | { readonly name: 'unsent' }
  | { readonly name: 'refused'; readonly words: string };

/** The person's work on one card. */
export interface Work {
  readonly draft: Signal<CardDraft>;
  readonly origin: Signal<Origin>;
  readonly faults: Signal<ReadonlyMap<number, Fault>>;
  readonly sending: Signal<Sending>;
  /** For a permission: whether all of it has been on the screen. */
  readonly isRead: Signal<boolean>;
}

interface OwnWork extends Work {
  editedMs: number;
  timer: ReturnType<typeof setTimeout> | undefined;
  request: AbortController | undefined;
}

type Answer = CardDraft['answers'][number];

/** Few enough writes for the server, soon enough for another device. */
const SAVE_AFTER_MS = 1_200;
const SAVE_AGAIN_MS = 6_000;
/** Text typed here this recently is not replaced by what the server sends. */
const EDITING_MS = 4_000;
const ITEM = 'holdfast.draft.';

/** The cards the person has begun: drafts, faults, and sending. */
export class CardDesk {
  readonly #works = new Map<string, OwnWork>();
  readonly #kept: Kept;
  readonly #store: () => Store;

  constructor({ kept, store }: { kept: Kept; store: () => Store }) {
    this.#kept = kept;
    this.#store = store;
  }

  /** Saves what is still unsaved when the person leaves the page. */
  start(): void {
    addEventListener('pagehide', () => this.flush());
    document.addEventListener('visibilitychange', () => {
      if (document.visibilityState === 'hidden') this.flush();
    });
  }

  /** The work on a card, merged with what the server has sent since. */
  on(card: Card): Work {
    const { sessionId } = card.set;
    const kept = this.#kept.value<KeptDraft>(ITEM + sessionId);
    const known = this.#works.get(sessionId);
    if (known !== undefined) {
      const isEditing = known.timer !== undefined || Date.now() - known.editedMs < EDITING_MS;
      if (!isEditing) adopt(known, mergedDraft(card, kept));
      return known;
    }
    const { draft, origin } = mergedDraft(card, kept);
    const work: OwnWork = {
      draft: signal(draft),
      origin: signal(origin),
      faults: signal(new Map()),
      sending: signal({ name: 'idle' }),
      isRead: signal(false),
      editedMs: 0,
      timer: undefined,
      request: undefined,
    };
    this.#works.set(sessionId, work);
    // Typed while no server was reachable: it still has to get there.
    if (kept !== null && !kept.isSaved) this.#saveLater(sessionId, work, SAVE_AGAIN_MS);
    return work;
  }

  /** What this browser keeps of a settled set: text that was typed but did not count. */
  leftBehind(id: string): CardDraft | undefined {
    const kept = this.#kept.value<KeptDraft>(ITEM + id);
    return kept !== null && hasWords(kept.draft) ? kept.draft : undefined;
  }

  /** Forgets what was typed for a set: the person asked for it, or it was sent. */
  forget(id: string): void {
    const work = this.#works.get(id);
    clearTimeout(work?.timer);
    this.#works.delete(id);
    this.#kept.keepValue(ITEM + id, null);
  }

  choose(card: Card, index: number, label: string): void {
    const question = card.set.questions[index];
    if (question !== undefined) this.#answer(card, index, (given) => choose(question, given, label));
  }

  /** Turns own words on; with multiple choice they can also be turned off. */
  takeOwnWords(card: Card, index: number, isOther: boolean): void {
    const question = card.set.questions[index];
    if (question === undefined) return;
    this.#answer(card, index, (given) =>
      isOther ? chooseOther(question, given) : { ...given, isOther: false },
    );
  }

  write(card: Card, index: number, text: string): void {
    const question = card.set.questions[index];
    if (question === undefined) return;
    this.#answer(card, index, (given) => ({ ...chooseOther(question, given), text }));
  }

  giveReason(card: Card, rejectionReason: string): void {
    const work = this.#own(card);
    this.#edit(card, { ...work.draft.peek(), rejectionReason });
  }

  /** Sends the answers, unless one has a fault: then returns the index of the first such answer. */
  async answer(card: Card): Promise<number | undefined> {
    const work = this.#own(card);
    const { answers } = work.draft.peek();
    const faults = new Map<number, Fault>();
    for (const [index, question] of card.set.questions.entries()) {
      const fault = faultIn(question, answers[index] ?? EMPTY_ANSWER);
      // A second press confirms choosing none.
      if (fault !== undefined && !(fault === 'none-not-confirmed' && work.faults.peek().get(index) === fault))
        faults.set(index, fault);
    }
    work.faults.value = faults;
    const [first] = faults.keys();
    if (first !== undefined) return first;
    await this.#send(card, { answers: toAnswerInputs(card.set.questions, answers), isWhole: false });
    return undefined;
  }

  /** Decides a permission by one of its choices; without one, the person's own words deny it. */
  async decide(card: Card, label: string | null): Promise<void> {
    const work = this.#own(card);
    const text = work.draft.peek().answers[0]?.text ?? '';
    const isWhole = work.isRead.peek();
    const answer = label === null ? { customText: text } : { selectedOption: label };
    await this.#send(card, { answers: [{ questionIndex: 0, ...answer }], isWhole });
  }

  reject(card: Card): Promise<void> {
    const reason = this.#own(card).draft.peek().rejectionReason.trim();
    const { sessionId } = card.set;
    return this.#request(card, (signal) =>
      this.#store().api.reject(sessionId, reason === '' ? null : reason, signal),
    );
  }

  /** Takes back what is being sent, if it has not arrived yet. */
  cancel(card: Card): void {
    const work = this.#own(card);
    work.request?.abort();
    work.sending.value = { name: 'idle' };
  }

  /** Takes back what is on its way to another machine; returns words for the person if that fails. */
  async takeBack(card: Card): Promise<string | null> {
    const { sessionId } = card.set;
    const store = this.#store();
    const reply = await store.api.post<Card>(`questions/${sessionId}/take-back`, {});
    const stands = reply.isDone ? reply.value : reply.refusal?.details?.winner;
    if (reply.isDone) this.#keep(sessionId, this.#own(card).draft.peek(), true);
    else store.noteRefused(reply);
    if (stands !== undefined) store.noteCard(stands);
    return reply.isDone ? null : refusalWords(reply);
  }

  /** Whether what was typed here for a set was sent to its machine without coming back. */
  isSent(id: string): boolean {
    return this.#kept.value<KeptDraft>(ITEM + id)?.request !== undefined;
  }

  flush(): void {
    for (const [id, work] of this.#works) if (work.timer !== undefined) void this.#save(id, work);
  }

  #send(card: Card, answering: Answering): Promise<void> {
    const { sessionId } = card.set;
    return this.#request(card, (signal) => this.#store().api.answer(sessionId, answering, signal));
  }

  async #request(card: Card, send: (signal: AbortSignal) => Promise<Reply<Card>>): Promise<void> {
    const work = this.#own(card);
    if (work.sending.peek().name === 'sending') return;
    const request = new AbortController();
    work.request = request;
    work.sending.value = { name: 'sending' };
    const reply = await send(request.signal);
    if (request.signal.aborted) return;
    const store = this.#store();
    if (reply.isDone) {
      const { sessionId, onItsWay } = reply.value.set;
      work.sending.value = { name: 'idle' };
      // An answer still on its way may come back: the text stays, marked as sent.
      if (onItsWay === undefined) this.forget(sessionId);
      else this.#keep(sessionId, work.draft.peek(), true, onItsWay.request);
      return store.noteCard(reply.value);
    }
    const winner = reply.refusal?.details?.winner;
    const isOver = winner !== undefined && !isOpenElsewhere(winner);
    work.sending.value = isOver
      ? { name: 'idle' }
      : reply.status === 0
        ? { name: 'unsent' }
        : { name: 'refused', words: refusalWords(reply) };
    if (winner !== undefined) store.noteCard(winner);
    store.noteRefused(reply);
  }

  #answer(card: Card, index: number, change: (given: Answer) => Answer): void {
    const work = this.#own(card);
    const { answers, ...draft } = work.draft.peek();
    const next = answers.with(index, change(answers[index] ?? EMPTY_ANSWER));
    const faults = new Map(work.faults.peek());
    if (faults.delete(index)) work.faults.value = faults;
    this.#edit(card, { ...draft, questionIndex: index, answers: next });
  }

  #edit(card: Card, draft: CardDraft): void {
    const { sessionId } = card.set;
    const work = this.#own(card);
    work.draft.value = draft;
    work.origin.value = 'here';
    work.editedMs = Date.now();
    if (work.sending.peek().name === 'refused') work.sending.value = { name: 'idle' };
    this.#keep(sessionId, draft, false);
    this.#saveLater(sessionId, work, SAVE_AFTER_MS);
  }

  #saveLater(id: string, work: OwnWork, afterMs: number): void {
    clearTimeout(work.timer);
    work.timer = setTimeout(() => void this.#save(id, work), afterMs);
  }

  async #save(id: string, work: OwnWork): Promise<void> {
    clearTimeout(work.timer);
    work.timer = undefined;
    const draft = work.draft.peek();
    const store = this.#store();
    const { me, settled } = store.state.peek();
    if (store.access.peek() !== 'in' || me?.can === 'view' || settled.has(id)) return;
    const reply = await store.api.saveDraft(id, draft);
    const isCurrent = this.#works.get(id) === work && isSame(work.draft.peek(), draft);
    if (!isCurrent) return;
    if (reply.isDone) this.#keep(id, draft, true, this.#kept.value<KeptDraft>(ITEM + id)?.request);
    else if (reply.status === 0 || reply.status === 429 || reply.status >= 500)
      this.#saveLater(id, work, SAVE_AGAIN_MS);
    if (!reply.isDone) store.noteRefused(reply);
  }

  #keep(id: string, draft: CardDraft, isSaved: boolean, request?: string): void {
    this.#kept.keepValue(ITEM + id, { draft, atMs: Date.now(), isSaved, request });
  }

  #own(card: Card): OwnWork {
    this.on(card);
    const work = this.#works.get(card.set.sessionId);
    if (work === undefined) throw new Error('no work on a card that is shown');
    return work;
  }
}

function adopt(work: Work, { draft, origin }: { readonly draft: CardDraft; readonly origin: Origin }): void {
  if (isSame(work.draft.peek(), draft)) return;
  work.draft.value = draft;
  work.origin.value = origin;
}

/** A set of another machine that is still undecided there: waiting, or with someone else's decision on its way. */
function isOpenElsewhere({ set }: Card): boolean {
  return set.machine !== undefined && set.status === 'pending';
}

/** What the server refused and what would help, in the server's words. */
export function refusalWords({ status, refusal }: Extract<Reply<unknown>, { isDone: false }>): string {
  if (status === 0) return 'The server does not answer.';
  if (refusal === null) return `The server refused it (${status}).`;
  const { message, hint } = refusal;
  const words = hint === undefined ? message : `${message}${/[.!?]$/.test(message) ? '' : '.'} ${hint}`;
  // In a terminal, backticks mark what to type.
  return words.replaceAll(/`([^`]+)`/g, '“$1”');
}
