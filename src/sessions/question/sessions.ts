import { type Actor, isUuidV4, type Retirable, timestamp } from '../../foundation/index.js';
import type { Delivery } from './collect.js';
import { InvalidSessionIdError } from './errors.js';
import type { CreateQuestionOptions } from './new-set.js';
import type { QuestionTools } from './question-tools.js';
import { retirableQuestions } from './retirable.js';
import type { DraftAnswer, QuestionInput } from './schema.js';
import type { QuestionOutcome } from './state.js';
import { adoptSet, type MovedQuestion } from './verbs/adopt.js';
import { type AnswerOptions, answerSet, type GivenAnswers } from './verbs/answer.js';
import { createSet } from './verbs/create.js';
import { getSet, type ListOptions, listSets, resolveId } from './verbs/read.js';
import { recoverSet, verifySet } from './verbs/verify.js';
import { collectSet, expireSet, noteAskerOf, noteUnheardOf, waitForSet } from './verbs/wait.js';
import { cancelSet, listLiveSets, rejectSet } from './verbs/withdraw.js';
import type { QuestionView } from './view.js';
import type { WaitOptions } from './wait-for-answers.js';
import { watchSets } from './watch-sets.js';

export type QuestionSessionsOptions = QuestionTools;

/** What a person has chosen and typed so far. */
export interface Draft {
  readonly questionIndex: number;
  readonly answers: readonly DraftAnswer[];
  readonly rejectionReason: string;
}

/** Question sessions: an agent asks, a person answers, the answer arrives. */
export class QuestionSessions {
  readonly kind = 'question';
  readonly #options: QuestionSessionsOptions;

  constructor(options: QuestionSessionsOptions) {
    this.#options = options;
  }

  /** The same sessions, with decisions attributed to another actor. */
  as(actor: Actor): QuestionSessions {
    return new QuestionSessions({ ...this.#options, actor });
  }

  /** Puts a set of questions before the person. Throws INVALID_INPUT, TOO_MANY_SESSIONS, REQUEST_ID_REUSED. */
  create(questions: readonly QuestionInput[], options: CreateQuestionOptions = {}): Promise<QuestionView> {
    return createSet(this.#options, questions, options);
  }

  /**
   * Adopts a set from another machine, with its id and any decision. A set that is already here and undecided takes the
   * decision. Returns false if nothing changed. Throws DOCUMENT_REFUSED, INVALID_SESSION_ID.
   */
  adopt(moved: MovedQuestion): Promise<boolean> {
    return adoptSet(this.#options, moved);
  }

  /** One set. Throws SESSION_NOT_FOUND, INVALID_SESSION_ID. */
  get(id: string): Promise<QuestionView> {
    return getSet(this.#options, id);
  }

  /** All sets, oldest first, including damaged ones with their faults. Logs a warning for any that cannot be read. */
  list(options?: ListOptions): Promise<QuestionView[]> {
    return listSets(this.#options, options);
  }

  /**
   * The same for people, who should not be shown what nobody is waiting for: the first to see a permission whose asker
   * is gone withdraws it.
   */
  listLive(): Promise<QuestionView[]> {
    return listLiveSets(this.#options);
  }

  /** All ids, in no order. */
  ids(): string[] {
    return this.#options.store.ids();
  }

  /** Whether a set with this id is kept here. */
  has(id: string): boolean {
    return isUuidV4(id) && this.#options.store.ids().includes(id);
  }

  /** The full id for a prefix of 4 or more characters. Throws SESSION_NOT_FOUND, AMBIGUOUS_ID, INVALID_SESSION_ID. */
  resolve(prefix: string): string {
    return resolveId(this.#options, prefix);
  }

  /**
   * Answers a set. The first answer wins; repeating it gets the same reply. If the set belongs to a call, a given
   * `callId` must match it. Throws SESSION_NOT_FOUND, INVALID_ANSWER, CALL_ID_MISMATCH, ALREADY_SETTLED, ASKER_GONE,
   * RUN_MAY_HAVE_MOVED, LOCKED, and whatever `answers` throws.
   */
  answer(id: string, answers: GivenAnswers, options: AnswerOptions = {}): Promise<QuestionView> {
    return answerSet(this.#options, id, answers, options);
  }

  /** Rejects a set, with or without a reason. Throws SESSION_NOT_FOUND, ALREADY_SETTLED, RUN_MAY_HAVE_MOVED, LOCKED. */
  reject(
    id: string,
    reason: string | null = null,
    options: Pick<AnswerOptions, 'appliedRequest'> = {},
  ): Promise<QuestionView> {
    return rejectSet(this.#options, id, reason, options);
  }

  /** Withdraws a set because the agent no longer needs the answer. A settled set stays unchanged. */
  cancel(id: string, reason: string): Promise<QuestionView> {
    return cancelSet(this.#options, id, reason);
  }

  /** Marks a set as timed out if nobody has decided yet; otherwise does nothing. Returns its outcome. */
  expire(id: string): Promise<QuestionOutcome> {
    return expireSet(this.#options, id);
  }

  /**
   * Waits for the outcome; see `waitForOutcome`. It returns as soon as the outcome is visible, which may be a moment
   * before its writer has synced it; `collect` returns only what would survive power loss. A set whose time runs out is
   * recorded as timed out.
   */
  wait(id: string, options: WaitOptions = {}): Promise<QuestionOutcome> {
    return waitForSet(this.#options, id, options);
  }

  /**
   * Takes the outcome for delivery to the asker. It is the same however often it is taken, and stays new until one
   * delivery is confirmed. Waits a moment for anyone writing the answer and for another delivery in progress. A set
   * that stays locked is delivered as not new; one that cannot be written is delivered, too, and stays new.
   */
  collect(id: string): Promise<Delivery> {
    return collectSet(this.#options, id);
  }

  /** Records that the asker left without its answer, or that a process is waiting again. */
  noteAsker(id: string, state: 'gone' | 'waiting'): Promise<void> {
    return noteAskerOf(this.#options, id, state);
  }

  /** Records that the asker had already moved on when the decision came, so the decision did not count. */
  noteUnheard(id: string, reason: string): Promise<void> {
    return noteUnheardOf(this.#options, id, reason);
  }

  /** The half-given answer of a set, if there is one. Throws SESSION_NOT_FOUND. */
  readDraft(id: string): Draft | undefined {
    return this.#options.store.readDraft(id);
  }

  /** Keeps a half-given answer, so that nothing typed is lost. Throws SESSION_NOT_FOUND, ATOMIC_WRITE_FAILED. */
  saveDraft(id: string, draft: Draft): void {
    const { questionIndex, answers, rejectionReason } = draft;
    const content = { questionIndex, answers: [...answers], rejectionReason };
    if (!isUuidV4(id)) throw new InvalidSessionIdError(id);
    this.#options.store.writeDraft({
      version: 1,
      sessionId: id,
      lastModified: timestamp(this.#options.clock),
      ...content,
    });
  }

  /** Forgets a half-given answer: it was given, or thrown away on purpose. */
  discardDraft(id: string): void {
    this.#options.store.removeDraft(id);
  }

  /** Calls back whenever a set may have appeared, gone or changed; with its id if it is a known set that `isWanted` accepts. */
  watch(onHint: (id: string | null) => void, isWanted?: (id: string) => boolean): { close(): void } {
    return watchSets(this.#options, onHint, isWanted);
  }

  /** What is wrong with a set: files, ids, counts. An empty list means that it is intact. */
  verify(id: string): Promise<string[]> {
    return verifySet(this.#options, id);
  }

  /**
   * Sets aside what does not verify, rebuilds the status, and accepts an outcome that another program changed as it is
   * now. Throws SESSION_NOT_FOUND, LOCKED.
   */
  recover(id: string): Promise<void> {
    return recoverSet(this.#options, id);
  }

  /** How long a set that is not pending is kept after its last activity. */
  get retentionMs(): number {
    return this.#options.retentionMs;
  }

  /** What may go to the trash, for the cleaner. */
  retirable(before: number): Iterable<Retirable> {
    return retirableQuestions(this.#options, before);
  }

  /** Permanently removes what has been in the trash longer than this, and returns the ids. Throws STORAGE_FAILED. */
  purgeTrash(olderThanMs: number): string[] {
    return this.#options.store.purgeTrash(olderThanMs);
  }
}
