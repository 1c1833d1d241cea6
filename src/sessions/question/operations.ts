import * as z from 'zod';
import {
  type Actor,
  defineOperation,
  isHoldfastError,
  type OperationContext,
} from '../../foundation/index.js';
import { CreateInput } from './check-input.js';
import type { Delivery } from './collect.js';
import { AlreadySettledError, NotTakenBackError, SessionNotFoundError } from './errors.js';
import { questionLifecycle } from './lifecycle.js';
import type { QuestionDesk } from './question-desk.js';
import { QuestionReport, reportOf } from './report.js';
import { AnswerInput } from './schema.js';
import type { QuestionSessions } from './sessions.js';
import { isSettled, type QuestionOutcome } from './state.js';
import { isWaiting } from './view.js';

/** What the operations need: the question sessions. */
export interface QuestionServices {
  readonly questions: QuestionSessions;
}

/** The same for people's actions, which may also reach other machines. */
export interface QuestionDeskParts {
  readonly questions: QuestionDesk;
}

/** An id, or a prefix of one on surfaces for people; the sessions report what is wrong with it. */
const SessionRef = z.string();

type MakeAnswers = Extract<Parameters<QuestionSessions['answer']>[1], (...args: never) => unknown>;

/** The sessions, acting on behalf of the caller. */
function by<Desk extends { as(actor: Actor): Desk }>(
  questions: Desk,
  context: OperationContext | undefined,
): Desk {
  return context === undefined ? questions : questions.as(context.actor);
}

export const createQuestions = defineOperation({
  name: 'question.create',
  summary: 'Ask a person and wait for the answer',
  effect: 'write',
  capability: 'answer',
  surfaces: ['cli', 'mcp'],
  input: CreateInput,
  output: QuestionReport,
  async run({ questions }: QuestionServices, { questions: set, ...options }) {
    return reportOf(await questions.create(set, options));
  },
});

export const listQuestions = defineOperation({
  name: 'question.list',
  summary: 'List question sets that are waiting for an answer',
  effect: 'read',
  capability: 'view',
  surfaces: ['cli', 'page', 'fleet'],
  input: z.strictObject({
    isAll: z.boolean().default(false),
    /** Only sets in this state; takes precedence over `isAll`. */
    status: z.enum(questionLifecycle.states).optional(),
  }),
  output: z.array(QuestionReport),
  async run({ questions }: QuestionDeskParts, { isAll, status }) {
    const wanted = status ?? (isAll ? undefined : 'pending');
    const views = await questions.listLive({ isAll: wanted !== 'pending' });
    return views.filter(({ outcome }) => wanted === undefined || outcome.status === wanted).map(reportOf);
  },
});

/** How many sets are waiting, and since when the oldest has been. */
export const WaitingCount = z.object({
  count: z.int(),
  oldestAt: z.string().nullable(),
  ids: z.array(z.string()),
});

export const countWaiting = defineOperation({
  name: 'question.waiting',
  summary: 'Say how many questions are waiting for you, for prompts and status bars',
  effect: 'read',
  capability: 'view',
  surfaces: ['cli', 'page', 'fleet'],
  input: z.strictObject({}),
  output: WaitingCount,
  async run({ questions }: QuestionDeskParts) {
    const pending = (await questions.listLive()).filter(isWaiting);
    return {
      count: pending.length,
      oldestAt: pending[0]?.createdAt ?? null,
      ids: pending.map(({ id }) => id),
    };
  },
});

export const showQuestions = defineOperation({
  name: 'question.show',
  summary: 'Show one question set with its answers',
  effect: 'read',
  capability: 'view',
  surfaces: ['cli', 'page', 'fleet'],
  input: z.strictObject({ session: SessionRef }),
  output: QuestionReport,
  async run({ questions }: QuestionDeskParts, { session }) {
    return reportOf(await questions.get(await questions.resolve(session)));
  },
});

export const answerQuestions = defineOperation({
  name: 'question.answer',
  summary: 'Answer a question set, or reject it',
  effect: 'write',
  capability: 'answer',
  surfaces: ['cli', 'page', 'fleet'],
  input: z.strictObject({
    session: SessionRef,
    /** The answers, or (for a surface in this process) a function that makes them from the questions. */
    answers: z.union([
      z.array(AnswerInput),
      z.custom<MakeAnswers>((value) => typeof value === 'function', 'a list of answers is expected'),
    ]),
  }),
  output: QuestionReport,
  async run({ questions }: QuestionDeskParts, { session, answers }, context) {
    return reportOf(await by(questions, context).answer(await questions.resolve(session), answers));
  },
});

/** What a person has chosen and typed so far, as a surface sends it. */
const DraftInput = z.strictObject({
  questionIndex: z.int().nonnegative(),
  answers: z.array(
    z.strictObject({
      selected: z.array(z.string()),
      isOther: z.boolean(),
      text: z.string(),
      isConfirmed: z.boolean(),
    }),
  ),
  rejectionReason: z.string(),
});

export const draftQuestions = defineOperation({
  name: 'question.draft',
  summary: 'Keep a half-given answer, so that it is available on every surface',
  effect: 'write',
  capability: 'answer',
  surfaces: ['page', 'fleet'],
  input: z.strictObject({ session: SessionRef, draft: DraftInput }),
  output: z.strictObject({}),
  /** Throws SESSION_NOT_FOUND, and ALREADY_SETTLED if the draft is no longer needed. */
  async run({ questions }: QuestionDeskParts, { session, draft }) {
    const id = await questions.resolve(session);
    const { outcome } = await questions.get(id);
    if (isSettled(outcome)) throw new AlreadySettledError(id, outcome);
    questions.saveDraft(id, draft);
    return {};
  },
});

export const rejectQuestions = defineOperation({
  name: 'question.reject',
  summary: 'Reject a question set',
  effect: 'write',
  capability: 'answer',
  surfaces: ['cli', 'page', 'fleet'],
  input: z.strictObject({ session: SessionRef, reason: z.string().nullable().default(null) }),
  output: QuestionReport,
  async run({ questions }: QuestionDeskParts, { session, reason }, context) {
    return reportOf(await by(questions, context).reject(await questions.resolve(session), reason));
  },
});

export const takeBackDecision = defineOperation({
  name: 'question.take-back',
  summary: 'Take back a decision that is on its way to another machine',
  effect: 'write',
  capability: 'answer',
  surfaces: ['page'],
  input: z.strictObject({ session: SessionRef }),
  output: QuestionReport,
  async run({ questions }: QuestionDeskParts, { session }) {
    const id = await questions.resolve(session);
    if (questions.takeBack === undefined)
      throw new NotTakenBackError(id, 'no decision is on its way from here');
    return reportOf(await questions.takeBack(id));
  },
});

export const cancelQuestions = defineOperation({
  name: 'question.cancel',
  summary: 'Withdraw a question set',
  effect: 'write',
  capability: 'steer',
  surfaces: ['cli'],
  input: z.strictObject({ session: SessionRef, reason: z.string().default('withdrawn') }),
  output: QuestionReport,
  async run({ questions }: QuestionServices, { session, reason }, context) {
    return reportOf(await by(questions, context).cancel(questions.resolve(session), reason));
  },
});

export const waitForQuestions = defineOperation({
  name: 'question.wait',
  summary: 'Wait for the outcome of a question set',
  effect: 'wait',
  capability: 'view',
  surfaces: ['cli', 'page', 'fleet'],
  input: z.strictObject({
    session: SessionRef,
    /** How long to wait; forever if absent. */
    patienceMs: z.number().nonnegative().optional(),
  }),
  output: z.custom<QuestionOutcome>(),
  run({ questions }: QuestionServices, { session, patienceMs = 0 }, context) {
    return questions.wait(questions.resolve(session), { patienceMs, signal: context?.signal });
  },
});

export const collectQuestions = defineOperation({
  name: 'question.collect',
  summary: 'Fetch answers that have arrived',
  effect: 'write',
  capability: 'answer',
  surfaces: ['cli', 'mcp'],
  input: z.strictObject({
    /** Which set; if absent, every outcome that has not been collected yet. */
    session: SessionRef.optional(),
    /** Only what was asked in this directory. */
    workingDirectory: z.string().optional(),
  }),
  /** An outcome counts as delivered only once the surface says so. */
  output: z.custom<AsyncIterable<Delivery>>(),
  async run({ questions }: QuestionServices, { session, workingDirectory }) {
    return session === undefined
      ? newDeliveries(questions, workingDirectory)
      : one(collectQuestion(questions, questions.resolve(session)));
  },
});

/** A permission that a hook asked for belongs to that hook alone. Throws SESSION_NOT_FOUND. */
async function collectQuestion(questions: QuestionSessions, id: string): Promise<Delivery> {
  if ((await questions.get(id)).asker?.hook !== undefined) throw new SessionNotFoundError(id);
  return questions.collect(id);
}

async function* one(delivery: Promise<Delivery>): AsyncGenerator<Delivery> {
  yield await delivery;
}

/** One at a time, so that no set is held before it is delivered. Skips a set that has gone in the meantime. */
async function* newDeliveries(
  questions: QuestionSessions,
  workingDirectory: string | undefined,
): AsyncGenerator<Delivery> {
  for (const view of await questions.list()) {
    const isHere = workingDirectory === undefined || view.workingDirectory === workingDirectory;
    if (view.asker?.hook !== undefined) continue;
    if (!isHere || view.outcome.status === 'pending' || view.collectedAt !== null) continue;
    try {
      const delivery = await questions.collect(view.id);
      if (delivery.isNew) yield delivery;
      else delivery[Symbol.dispose]();
    } catch (error) {
      if (!(error instanceof SessionNotFoundError)) throw error;
    }
  }
}

export const verifyQuestions = defineOperation({
  name: 'question.verify',
  summary: 'Check the files of question sets',
  effect: 'read',
  capability: 'admin',
  surfaces: ['cli'],
  input: z.strictObject({ session: SessionRef.optional() }),
  output: z.array(z.object({ sessionId: z.string(), faults: z.array(z.string()) })),
  async run({ questions }: QuestionServices, { session }) {
    if (session !== undefined) {
      const sessionId = questions.resolve(session);
      return [{ sessionId, faults: await questions.verify(sessionId) }];
    }
    const reports = await Promise.all(questions.ids().map((id) => verifyOne(questions, id)));
    return reports.filter((report) => report !== undefined);
  },
});

/** A set that cannot even be opened is a fault of that set alone; one that has gone in the meantime is not a fault. */
async function verifyOne(questions: QuestionSessions, sessionId: string) {
  try {
    return { sessionId, faults: await questions.verify(sessionId) };
  } catch (error) {
    if (error instanceof SessionNotFoundError) return undefined;
    if (isHoldfastError(error)) return { sessionId, faults: [error.message] };
    throw error;
  }
}

/** Every action on question sets, for the registry. */
export const questionOperations = [
  createQuestions,
  listQuestions,
  countWaiting,
  showQuestions,
  answerQuestions,
  draftQuestions,
  rejectQuestions,
  takeBackDecision,
  cancelQuestions,
  waitForQuestions,
  collectQuestions,
  verifyQuestions,
] as const;
