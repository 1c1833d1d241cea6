import * as z from 'zod';
import {
  type HoldfastError,
  InvalidInputError,
  isHoldfastError,
  isUuidV4,
  visibleExcerpt,
} from '../../foundation/index.js';
import type { RequestRow } from '../../hub/index.js';
import { AnswerInput, type QuestionSessions, type QuestionView } from '../../sessions/question/index.js';

/** What became of a request here. */
export interface Applied {
  readonly state: 'applied' | 'refused';
  readonly reply: unknown;
  /** How the set stands now, if there is one. */
  readonly view?: QuestionView | undefined;
}

const AnswerBody = z.strictObject({ answers: z.array(AnswerInput).max(1_000) });
const RejectBody = z.strictObject({
  reason: z
    .string()
    .max(256 * 1024)
    .nullable(),
});

const FILE_TROUBLE: readonly string[] = ['LOCKED', 'LOCK_LOST', 'STORAGE_FAILED', 'ATOMIC_WRITE_FAILED'];

/** Whether files here are locked or cannot be written just now: the request then stays where it is and is tried again. */
export function isFileTrouble({ code }: HoldfastError): boolean {
  return FILE_TROUBLE.includes(code);
}

/**
 * Does what another machine asks, with the same verbs as a person here. The files decide: the write that applies a
 * request contains its id, so a request that comes again is answered from there. Undefined if it can be tried again.
 */
export async function applyRequest(
  questions: QuestionSessions,
  request: RequestRow,
): Promise<Applied | undefined> {
  const { id, session, session_kind: sessionKind } = request;
  if (sessionKind !== 'question' || !isUuidV4(session)) return refused('INVALID_INPUT', 'not a question set');
  try {
    const before = await questions.get(session);
    if (before.appliedRequest === id) return applied(before);
    return applied(await decide(questions.as(actorOf(request)), request));
  } catch (error) {
    if (!isHoldfastError(error)) throw error;
    if (isFileTrouble(error)) return undefined;
    return refusedBy(questions, error, session);
  }
}

function decide(questions: QuestionSessions, { id, session, kind, body }: RequestRow): Promise<QuestionView> {
  const by = { appliedRequest: id };
  if (kind === 'answer') {
    const given = AnswerBody.safeParse(body);
    // The set itself refuses what has no valid form, in its own words.
    return questions.answer(session, given.success ? given.data.answers : [], by);
  }
  const given = RejectBody.safeParse(body);
  if (kind !== 'reject' || !given.success)
    throw new InvalidInputError('This machine knows no such request; it may run an older Holdfast');
  return questions.reject(session, given.data.reason, by);
}

function applied(view: QuestionView): Applied {
  return { state: 'applied', reply: { outcome: view.outcome }, view };
}

function refused(code: string, message: string): Applied {
  return { state: 'refused', reply: { code, message } };
}

async function refusedBy(
  questions: QuestionSessions,
  error: HoldfastError,
  session: string,
): Promise<Applied> {
  const message = visibleExcerpt(error.message, 400);
  const view = await questions.get(session).catch(() => undefined);
  const winner = error.code === 'ALREADY_SETTLED' && view !== undefined ? { outcome: view.outcome } : {};
  return { state: 'refused', reply: { code: error.code, message, ...winner }, view };
}

/** The actor as records name it: which machine, and under which role. */
export function actorOf({ machine, by }: RequestRow): string {
  return `fleet:${machine}/${visibleExcerpt(by, 63)}`;
}
