import {
  type Actor,
  type Clock,
  findId,
  type Ids,
  isHoldfastError,
  isUuidV4,
  type Logger,
  messageOf,
  next,
  type Retirable,
  timestamp,
} from '../../foundation/index.js';
import {
  type AcquireOptions,
  type FileSystem,
  LockedError,
  type ProcessIdentity,
} from '../../storage/index.js';
import { checkAnswers, isSameAnswer } from './check-answers.js';
import { checkAnswerInput, checkCreateInput, checkReason } from './check-input.js';
import { checkQuestions, type QuestionLimits } from './check-questions.js';
import {
  type CollectTools,
  DELIVERY_WAIT_MS,
  type Delivery,
  deliver,
  deliverUnheld,
  isUnwritable,
} from './collect.js';
import {
  AlreadySettledError,
  AskerGoneError,
  CallIdMismatchError,
  InvalidAnswerError,
  InvalidSessionIdError,
  RequestIdReusedError,
  SessionNotFoundError,
  TooManySessionsError,
} from './errors.js';
import type { HeldQuestion } from './held-question.js';
import { questionLifecycle } from './lifecycle.js';
import { type CreateOptions, newRequest, newStatus } from './new-set.js';
import { isPermission } from './permission.js';
import { retirableQuestions } from './retirable.js';
import type { AnswerInput, AnswersFile, DraftAnswer, Question, QuestionInput, StatusFile } from './schema.js';
import {
  digestOf,
  healedStatus,
  isBeingMade,
  isForeign,
  isSettled,
  outcomeOf,
  type QuestionOutcome,
  type QuestionSnapshot,
  statusFor,
  withoutActor,
  withoutMarks,
} from './state.js';
import type { QuestionStore } from './store.js';
import { type QuestionView, viewOf } from './view.js';
import { type WaitOptions, waitForOutcome } from './wait-for-answers.js';
import { watchSets } from './watch-sets.js';

export interface QuestionSessionsOptions {
  readonly store: QuestionStore;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Logger;
  readonly fileSystem: FileSystem;
  /** Who we are, for the asker's record and for judging whether others are gone. */
  readonly identity: ProcessIdentity;
  /** Who decides through this object, for whoever wants to know who gave an answer; `library` if absent. */
  readonly actor?: Actor | undefined;
  readonly limits: QuestionLimits;
  /** How many sets may be pending. */
  readonly maxSessions: number;
  /** How long a set that is not pending is kept after its last activity. */
  readonly retentionMs: number;
  /** When a new set times out; 0 = never. */
  readonly timeoutMs: number;
}

/** What a person has chosen and typed so far. */
export interface Draft {
  readonly questionIndex: number;
  readonly answers: readonly DraftAnswer[];
  readonly rejectionReason: string;
}

const NOT_AN_ID = 'is neither an id nor the first 4 or more characters of one';

/** Question sessions: an agent asks, a person answers, the answer arrives. */
export class QuestionSessions {
  readonly kind = 'question';
  readonly #options: QuestionSessionsOptions;
  readonly #store: QuestionStore;
  readonly #clock: Clock;

  constructor(options: QuestionSessionsOptions) {
    this.#options = options;
    this.#store = options.store;
    this.#clock = options.clock;
  }

  /** The same sessions, where what is decided is somebody else's doing. */
  as(actor: Actor): QuestionSessions {
    return new QuestionSessions({ ...this.#options, actor });
  }

  /** Puts a set of questions before the person. Throws INVALID_INPUT, TOO_MANY_SESSIONS, REQUEST_ID_REUSED. */
  async create(questions: readonly QuestionInput[], options: CreateOptions = {}): Promise<QuestionView> {
    const { questions: checked, ...given } = checkCreateInput({ ...options, questions });
    checkQuestions(checked, this.#options.limits, { isPermission: isPermission(given) });
    const request = newRequest(this.#options, checked, given);
    const status = newStatus(request, given.isWaiting ? this.#options.identity : undefined);
    const isNew = await this.#store.create(request, status, () => this.#assertRoom());
    if (isNew)
      return this.#viewOf({ id: request.sessionId, request, status, answers: undefined, faults: [] });
    const view = this.#view(request.sessionId);
    if (JSON.stringify(view.questions) !== JSON.stringify(request.questions)) {
      throw new RequestIdReusedError(options.requestId ?? '', request.sessionId);
    }
    return view;
  }

  /** One set. Throws SESSION_NOT_FOUND, INVALID_SESSION_ID. */
  async get(id: string): Promise<QuestionView> {
    const snapshot = await this.#store.read(id);
    await this.#healInPassing(snapshot);
    return this.#viewOf(snapshot);
  }

  /** All sets, oldest first, damaged ones with their faults. What the disk does not give is warned about. */
  async list(): Promise<QuestionView[]> {
    const views: { view: QuestionView; createdMs: number }[] = [];
    const unhealed: QuestionSnapshot[] = [];
    for (const id of this.#store.ids()) {
      try {
        const snapshot = this.#store.readOnce(id);
        const view = this.#viewOf(snapshot);
        views.push({ view, createdMs: Date.parse(view.createdAt) });
        if (healedStatus(snapshot) !== undefined) unhealed.push(snapshot);
      } catch (error) {
        if (error instanceof SessionNotFoundError) continue;
        this.#options.log.warn('question.unreadable', { sessionId: id, error: messageOf(error) });
      }
    }
    for (const snapshot of unhealed) await this.#healInPassing(snapshot);
    views.sort((a, b) => a.createdMs - b.createdMs || (a.view.id < b.view.id ? -1 : 1));
    return views.map(({ view }) => view);
  }

  /**
   * The same for people, who should not read what nobody waits for: a permission whose asker is gone is withdrawn by whoever
   * sees it first.
   */
  async listLive(): Promise<QuestionView[]> {
    const views = await this.list();
    const gone = views.filter(
      (view) => isPermission(view) && view.isAskerGone === true && view.outcome.status === 'pending',
    );
    for (const { id } of gone) {
      try {
        await this.cancel(id, ASKER_IS_GONE);
      } catch (error) {
        // Somebody else is at it, or the disk cannot be written; an answer is refused all the same.
        if (!isHoldfastError(error)) throw error;
      }
    }
    return gone.length === 0 ? views : this.list();
  }

  /** All ids, in no order. */
  ids(): string[] {
    return this.#store.ids();
  }

  /** The full id for a prefix of 4 or more characters. Throws SESSION_NOT_FOUND, AMBIGUOUS_ID, INVALID_SESSION_ID. */
  resolve(prefix: string): string {
    if (isUuidV4(prefix)) return prefix.toLowerCase();
    if (!/^[0-9a-f-]{4,36}$/i.test(prefix))
      throw new InvalidSessionIdError(prefix, /^[0-9a-f]{1,3}$/i.test(prefix) ? 'is too short' : NOT_AN_ID);
    const found = findId(this.#store.ids(), prefix.toLowerCase());
    if (found === undefined) throw new SessionNotFoundError(prefix);
    return found;
  }

  /**
   * Answers a set. The first answer wins; the same one again gets the same reply.
   * A `callId` must be the one that the set belongs to, where it belongs to one. Throws SESSION_NOT_FOUND, INVALID_ANSWER,
   * CALL_ID_MISMATCH, ALREADY_SETTLED, ASKER_GONE, LOCKED, and what `answers` throws.
   */
  answer(
    id: string,
    answers:
      | readonly AnswerInput[]
      | ((asked: readonly Question[], set: QuestionView) => readonly AnswerInput[]),
    options: { callId?: string } = {},
  ): Promise<QuestionView> {
    return this.#decide(id, (change) => {
      const { request } = change.snapshot;
      if (request === undefined) throw new InvalidAnswerError('The questions can no longer be read');
      const asked = request.callId ?? change.snapshot.status?.callId;
      const { callId = asked } = options;
      if (asked !== undefined && callId !== asked) throw new CallIdMismatchError(id, callId ?? '', asked);
      const given =
        typeof answers === 'function' ? answers(request.questions, this.#viewOf(change.snapshot)) : answers;
      const checked = this.#check(id, () =>
        checkAnswers(request.questions, checkAnswerInput(given), timestamp(this.#clock)),
      );
      const outcome = this.#outcome(change);
      if (outcome.status === 'completed' && isSameAnswer(outcome.answers, checked)) {
        heal(change);
        return this.#view(id);
      }
      if (isSettled(outcome)) throw new AlreadySettledError(id, outcome);
      if (isPermission(request)) this.#assertWaitedFor(change, outcome);
      next(questionLifecycle, outcome.status, 'answer');
      this.#commitAnswer(change, {
        sessionId: request.sessionId,
        answers: checked,
        timestamp: timestamp(this.#clock),
        ...(callId === undefined ? {} : { callId }),
        version: 1,
        ...(outcome.status === 'pending' ? {} : { late: true }),
      });
      // AUQ looks at no lock: what it wrote over ours until now is what stands, and ours was not.
      const view = this.#view(id);
      const isOurs = view.outcome.status === 'completed' && isSameAnswer(view.outcome.answers, checked);
      if (!isOurs) throw new AlreadySettledError(id, view.outcome);
      return view;
    });
  }

  /** Rejects a set, with a reason or without. Throws SESSION_NOT_FOUND, ALREADY_SETTLED, LOCKED. */
  reject(id: string, given: string | null = null): Promise<QuestionView> {
    return this.#decide(id, (change) => {
      checkReason(given);
      // Nobody means anything by blanks.
      const reason = given?.trim() === '' ? null : given;
      const outcome = this.#outcome(change);
      if (outcome.status === 'rejected' && outcome.reason === reason) return this.#view(id);
      if (isSettled(outcome)) throw new AlreadySettledError(id, outcome);
      next(questionLifecycle, outcome.status, 'reject');
      this.#writeStatus(change, {
        status: 'rejected',
        rejectionReason: reason,
        outcomeDigest: digestOf({ status: 'rejected', reason }),
        actor: this.#actor,
        ...(outcome.status === 'pending' ? {} : { late: true }),
      });
      return this.#view(id);
    });
  }

  /** Withdraws a set: the agent does not need the answer any more. A settled one stays as it is. */
  cancel(id: string, reason: string): Promise<QuestionView> {
    return this.#decide(id, (change) => {
      checkReason(reason);
      const outcome = this.#outcome(change);
      if (isSettled(outcome)) throw new AlreadySettledError(id, outcome);
      if (outcome.status === 'abandoned') return this.#view(id);
      const status = next(questionLifecycle, outcome.status, 'abandon');
      this.#writeStatus(change, { status, abandonedReason: reason, actor: this.#actor });
      return this.#view(id);
    });
  }

  /** Marks a set as timed out if nobody decided yet; otherwise nothing happens. Returns how it stands. */
  expire(id: string): Promise<QuestionOutcome> {
    return this.#whileHeld(id, (held) => {
      const stored = held.snapshot.status?.status;
      const outcome = this.#outcome(held);
      if (outcome.status === 'pending' || (outcome.status === 'timed_out' && stored === 'pending')) {
        this.#writeStatus(held, { status: next(questionLifecycle, 'pending', 'expire') });
      }
      return outcomeOf(this.#store.readOnce(id), this.#clock.now());
    });
  }

  /**
   * Waits for the outcome; see `waitForOutcome`. It returns as soon as the outcome can be seen, which may be a moment
   * before its writer has synced it; `collect` returns only what would survive power loss. A set that runs out
   * of time is written down as timed out.
   */
  async wait(id: string, options: WaitOptions = {}): Promise<QuestionOutcome> {
    const tools = { store: this.#store, clock: this.#clock, onNoAnswer: () => this.#healNow(id) };
    const outcome = await waitForOutcome(tools, id, options);
    if (outcome.status !== 'timed_out') return outcome;
    try {
      return await this.expire(id);
    } catch (error) {
      // Every reader applies the time by itself; a disk that cannot be written must not hide it.
      if (!isUnwritable(error)) throw error;
      this.#options.log.warn('question.timeout-not-noted', { sessionId: id, error: messageOf(error) });
      return outcome;
    }
  }

  /**
   * Takes the outcome for delivery to the asker. It is the same however often it is taken, and new until one
   * delivery was confirmed. Who writes the answer, and another delivery under way, are waited for a moment. A set that
   * stays locked is delivered as not new; one that cannot be written is delivered, too, and stays new.
   */
  async collect(id: string): Promise<Delivery> {
    let held: HeldQuestion;
    try {
      held = await this.#store.hold(id, { waitMs: DELIVERY_WAIT_MS });
    } catch (error) {
      if (!(error instanceof LockedError) && !isUnwritable(error)) throw error;
      return deliverUnheld(this.#collecting, await this.get(id), error);
    }
    try {
      return deliver(this.#collecting, held);
    } catch (error) {
      held[Symbol.dispose]();
      throw error;
    }
  }

  get #collecting(): CollectTools {
    const { store, clock, log } = this.#options;
    const expire = (held: HeldQuestion) =>
      this.#writeStatus(held, { status: next(questionLifecycle, 'pending', 'expire') });
    return { store, clock, log, view: (id) => this.#view(id), heal, expire };
  }

  /** Writes down that the asker left without its answer, or (null) that a process waits again. */
  async noteAsker(id: string, state: 'gone' | 'waiting'): Promise<void> {
    await this.#whileHeld(id, (held) => {
      const {
        askerGoneAt: _gone,
        askerProcess: _process,
        ...status
      } = statusFor(held.snapshot, this.#clock.now());
      if (isSettled(this.#outcome(held))) return;
      const asker =
        state === 'gone'
          ? { askerGoneAt: timestamp(this.#clock) }
          : { askerProcess: { ...this.#options.identity } };
      held.writeStatus({ ...status, ...asker });
    });
  }

  /** The half-given answer of a set, if there is one. Throws SESSION_NOT_FOUND. */
  readDraft(id: string): Draft | undefined {
    return this.#store.readDraft(id);
  }

  /** Keeps a half-given answer, so that nothing typed is lost. Throws SESSION_NOT_FOUND, ATOMIC_WRITE_FAILED. */
  saveDraft(id: string, draft: Draft): void {
    const { questionIndex, answers, rejectionReason } = draft;
    const content = { questionIndex, answers: [...answers], rejectionReason };
    if (!isUuidV4(id)) throw new InvalidSessionIdError(id);
    this.#store.writeDraft({
      version: 1,
      sessionId: id,
      lastModified: timestamp(this.#clock),
      ...content,
    });
  }

  /** Forgets a half-given answer: it was given, or thrown away on purpose. */
  discardDraft(id: string): void {
    this.#store.removeDraft(id);
  }

  /** Calls back whenever a set may have come, gone or changed, with its id where it is one that was there. */
  watch(onHint: (id: string | null) => void): { close(): void } {
    return watchSets(this.#store, onHint);
  }

  /** What is wrong with a set: files, ids, counts. An empty list means that it is whole. */
  async verify(id: string): Promise<string[]> {
    const snapshot = await this.#store.read(id);
    await this.#healInPassing(snapshot);
    const { request, status, answers, faults } = snapshot;
    const found = faults.map((fault) => `${fault.file}: ${fault.reason}`);
    if (request !== undefined && status !== undefined && request.questions.length !== status.totalQuestions) {
      found.push(
        `status.json counts ${status.totalQuestions} questions, request.json has ${request.questions.length}`,
      );
    }
    for (const answer of answers?.answers ?? []) {
      const count = request?.questions.length ?? 0;
      if (answer.questionIndex >= count)
        found.push(`answers.json answers question ${answer.questionIndex + 1} of ${count}`);
    }
    return found;
  }

  /**
   * Sets aside what does not verify, makes the status again, and takes an outcome that another program changed as it stands
   * now. Throws SESSION_NOT_FOUND, LOCKED.
   */
  async recover(id: string): Promise<void> {
    const mend = (held: HeldQuestion) => {
      heal(held);
      const outcome = this.#outcome(held);
      const { status } = held.snapshot;
      if (status?.outcomeDigest === undefined || !isSettled(outcome)) return;
      held.writeStatus({ ...status, outcomeDigest: digestOf(outcome) });
    };
    await this.#whileHeld(id, mend, { waitMs: DELIVERY_WAIT_MS });
  }

  /** How long a set that is not pending is kept after its last activity. */
  get retentionMs(): number {
    return this.#options.retentionMs;
  }

  /** What may go to the trash, for whoever cleans. */
  retirable(before: number): Iterable<Retirable> {
    return retirableQuestions(this.#options, before);
  }

  /** Removes for good what has lain in the trash for longer than this, and returns the ids. Throws STORAGE_FAILED. */
  purgeTrash(olderThanMs: number): string[] {
    return this.#store.purgeTrash(olderThanMs);
  }

  #assertRoom(): void {
    const ids = this.#store.ids();
    if (ids.length < this.#options.maxSessions) return;
    const pending = ids.filter((id) => this.#isPending(id));
    if (pending.length >= this.#options.maxSessions)
      throw new TooManySessionsError(this.#options.maxSessions);
  }

  /** What cannot be read, or went away meanwhile, is nothing that somebody could answer. */
  #isPending(id: string): boolean {
    try {
      return outcomeOf(this.#store.readOnce(id), this.#clock.now()).status === 'pending';
    } catch (error) {
      if (isHoldfastError(error)) return false;
      throw error;
    }
  }

  /** For our own sets the answer comes first and decides; AUQ's readers want the status first. */
  #commitAnswer(change: HeldQuestion, answers: AnswersFile): void {
    if (isForeign(change.snapshot.request)) this.#writeStatus(change, { status: 'completed' });
    if (!change.createAnswers(answers)) {
      const winner = outcomeOf(this.#store.readOnce(answers.sessionId), this.#clock.now());
      if (winner.status === 'completed' && isSameAnswer(winner.answers, answers.answers)) return;
      throw new AlreadySettledError(answers.sessionId, winner);
    }
    const decided = { status: 'completed' as const, answers: answers.answers };
    this.#writeStatus(change, {
      status: decided.status,
      outcomeDigest: digestOf(decided),
      actor: this.#actor,
    });
  }

  /**
   * Runs what decides a set. AUQ writes the status of a new set twice, the second time over whatever is there by then: that is
   * waited for, and what was decided is read back, and written again if it is gone.
   */
  async #decide<Result>(id: string, act: (change: HeldQuestion) => Result): Promise<Result> {
    for (let isNewOfAuq = false; ; isNewOfAuq = true) {
      const done = await this.#whileHeld(id, (held) =>
        isBeingMade(held.snapshot, this.#clock.now()) ? undefined : { result: act(held) },
      );
      if (done !== undefined) return isNewOfAuq ? this.#whileHeld(id, act) : done.result;
      await this.#clock.sleep(SECOND_WRITE_LOOK_MS);
    }
  }

  /** Runs what may be changed only under the lock of a set, on what its files say then. Throws SESSION_NOT_FOUND, LOCKED. */
  async #whileHeld<Result>(
    id: string,
    act: (held: HeldQuestion) => Result,
    options?: AcquireOptions,
  ): Promise<Result> {
    using held = await this.#store.hold(id, options);
    return act(held);
  }

  /** Who decides, for `status.json`; never in the answer itself. */
  get #actor(): Actor {
    return this.#options.actor ?? 'library';
  }

  /** Every transition makes what was delivered before old: the marks go, and who made the one before. */
  #writeStatus(change: HeldQuestion, fields: Partial<StatusFile>): void {
    const now = this.#clock.now();
    const status = withoutActor(withoutMarks(statusFor(change.snapshot, now)));
    change.writeStatus({ ...status, lastModified: now.toISOString(), ...fields });
  }

  /** What a reader does about a status that lags behind. It waits for nobody, sets nothing aside, and sees the same if it fails. */
  async #healInPassing(snapshot: QuestionSnapshot): Promise<void> {
    if (healedStatus(snapshot) === undefined) return;
    if (snapshot.faults.some(({ kind }) => kind === 'damaged' || kind === 'unsafe')) return;
    if (!isBeingMade(snapshot, this.#clock.now())) await this.#healNow(snapshot.id);
  }

  async #healNow(id: string): Promise<void> {
    try {
      await this.#whileHeld(id, heal, { waitMs: 0 });
    } catch (error) {
      // Somebody is at it, it is gone, or the disk cannot be written: the next reader tries again.
      if (!isHoldfastError(error)) throw error;
      this.#options.log.debug('question.not-healed', { sessionId: id, error: messageOf(error) });
    }
  }

  #check<Result>(id: string, check: () => Result): Result {
    try {
      return check();
    } catch (error) {
      throw error instanceof InvalidAnswerError ? InvalidAnswerError.forSession(id, error) : error;
    }
  }

  /** A permission counts only while the one who asked for it waits. Throws ASKER_GONE; by then it is withdrawn. */
  #assertWaitedFor(change: HeldQuestion, outcome: QuestionOutcome): void {
    const { id } = change.snapshot;
    if (outcome.status !== 'pending') throw new AskerGoneError(id, whyNotPending(outcome));
    if (this.#viewOf(change.snapshot).isAskerGone !== true) return;
    this.#writeStatus(change, {
      status: next(questionLifecycle, outcome.status, 'abandon'),
      abandonedReason: ASKER_IS_GONE,
    });
    throw new AskerGoneError(id, ASKER_IS_GONE);
  }

  #outcome(change: HeldQuestion): QuestionOutcome {
    return outcomeOf(change.snapshot, this.#clock.now());
  }

  #view(id: string): QuestionView {
    return this.#viewOf(this.#store.readOnce(id));
  }

  #viewOf(snapshot: QuestionSnapshot): QuestionView {
    return viewOf(snapshot, this.#options, this.#clock.now());
  }
}

/** How often we look whether AUQ has written the status of a new set for the second time. */
const SECOND_WRITE_LOOK_MS = 50;

/** Brings `status.json` in line with the other files. */
function heal(change: HeldQuestion): void {
  const status = healedStatus(change.snapshot);
  if (status !== undefined) change.writeStatus(status);
}

const ASKER_IS_GONE = 'the run or chat that asked is gone';

function whyNotPending(outcome: QuestionOutcome): string {
  return outcome.status === 'abandoned' ? outcome.reason : 'its time ran out';
}
