import * as z from 'zod';
import { defineOperation, isHoldfastError } from '../../foundation/index.js';
import { CreateInput } from './check-input.js';
import { SessionNotFoundError } from './errors.js';
import { questionLifecycle } from './lifecycle.js';
import { QuestionReport, reportOf } from './report.js';
import { AnswerInput } from './schema.js';
import type { QuestionSessions } from './sessions.js';

/** What the operations need: the question sessions. */
export interface QuestionServices {
  readonly questions: QuestionSessions;
}

/** An id, or on people's surfaces a prefix of one. */
const SessionRef = z.string().min(1);

export const createQuestions = defineOperation({
  name: 'question.create',
  summary: 'Put a set of questions before the person',
  input: CreateInput,
  output: QuestionReport,
  async run({ questions }: QuestionServices, { questions: set, ...options }) {
    return reportOf(await questions.create(set, options));
  },
});

export const listQuestions = defineOperation({
  name: 'question.list',
  summary: 'List question sets, oldest first',
  input: z.strictObject({
    isAll: z.boolean().default(false),
    /** Only those in this state; it says more than `isAll`. */
    status: z.enum(questionLifecycle.states).optional(),
  }),
  output: z.array(QuestionReport),
  async run({ questions }: QuestionServices, { isAll, status }) {
    const views = await questions.listLive();
    const wanted = status ?? (isAll ? undefined : 'pending');
    return views.filter(({ outcome }) => wanted === undefined || outcome.status === wanted).map(reportOf);
  },
});

export const showQuestions = defineOperation({
  name: 'question.show',
  summary: 'Show one question set with its answers',
  input: z.strictObject({ session: SessionRef }),
  output: QuestionReport,
  async run({ questions }: QuestionServices, { session }) {
    return reportOf(await questions.get(questions.resolve(session)));
  },
});

export const answerQuestions = defineOperation({
  name: 'question.answer',
  summary: 'Answer a question set; the first answer wins',
  input: z.strictObject({ session: SessionRef, answers: z.array(AnswerInput) }),
  output: QuestionReport,
  async run({ questions }: QuestionServices, { session, answers }) {
    return reportOf(await questions.answer(questions.resolve(session), answers));
  },
});

export const rejectQuestions = defineOperation({
  name: 'question.reject',
  summary: 'Reject a question set, with a reason or without',
  input: z.strictObject({ session: SessionRef, reason: z.string().nullable().default(null) }),
  output: QuestionReport,
  async run({ questions }: QuestionServices, { session, reason }) {
    return reportOf(await questions.reject(questions.resolve(session), reason));
  },
});

export const cancelQuestions = defineOperation({
  name: 'question.cancel',
  summary: 'Withdraw a question set whose answer is no longer needed',
  input: z.strictObject({ session: SessionRef, reason: z.string().default('withdrawn') }),
  output: QuestionReport,
  async run({ questions }: QuestionServices, { session, reason }) {
    return reportOf(await questions.cancel(questions.resolve(session), reason));
  },
});

export const verifyQuestions = defineOperation({
  name: 'question.verify',
  summary: 'Check the files of question sets',
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

/** What cannot even be opened is a fault of that set, not of the others; what is gone meanwhile is none. */
async function verifyOne(questions: QuestionSessions, sessionId: string) {
  try {
    return { sessionId, faults: await questions.verify(sessionId) };
  } catch (error) {
    if (error instanceof SessionNotFoundError) return undefined;
    if (isHoldfastError(error)) return { sessionId, faults: [error.message] };
    throw error;
  }
}

export const cleanOldQuestions = defineOperation({
  name: 'question.clean',
  summary: 'Move old question sets that are not pending to the trash',
  input: z.strictObject({
    olderThanDays: z.number().nonnegative().optional(),
    isDryRun: z.boolean().default(false),
    takesUncollected: z.boolean().default(false),
  }),
  output: z.object({
    retired: z.array(z.string()),
    purged: z.array(z.string()),
    uncollected: z.array(z.string()),
    skipped: z.array(z.object({ id: z.string(), reason: z.string() })),
  }),
  async run({ questions }: QuestionServices, { olderThanDays, isDryRun, takesUncollected }) {
    const olderThanMs = olderThanDays === undefined ? undefined : olderThanDays * DAY_MS;
    const report = await questions.clean({ olderThanMs, isDryRun, takesUncollected });
    return {
      retired: [...report.retired],
      purged: [...report.purged],
      uncollected: [...report.uncollected],
      skipped: [...report.skipped],
    };
  },
});

const DAY_MS = 24 * 60 * 60 * 1_000;
