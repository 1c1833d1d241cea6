import type { QuestionStatus } from './lifecycle.js';
import type { AnswersFile, RequestFile, StatusFile, UserAnswer } from './schema.js';

/** The files of a question set. */
export type QuestionFile = 'request.json' | 'status.json' | 'answers.json';

/** A file that is missing or does not verify. */
export interface FileFault {
  readonly file: QuestionFile;
  readonly kind: 'missing' | 'damaged';
  readonly reason: string;
}

/** What the files of one set say at one moment. */
export interface QuestionSnapshot {
  readonly id: string;
  readonly request: RequestFile | undefined;
  readonly status: StatusFile | undefined;
  readonly answers: AnswersFile | undefined;
  readonly faults: readonly FileFault[];
}

/** How a set stands, as one value. */
export type QuestionOutcome =
  | { readonly status: 'pending' }
  | {
      readonly status: 'completed';
      readonly answers: readonly UserAnswer[];
      readonly at: string;
      readonly late: boolean;
    }
  | {
      readonly status: 'rejected';
      readonly reason: string | null;
      readonly at: string;
      readonly late: boolean;
    }
  | { readonly status: 'timed_out'; readonly at: string }
  | { readonly status: 'abandoned'; readonly reason: string };

/**
 * The one reading of three files: `answers.json` is the answer whatever `status.json` says; a rejection stands in
 * `status.json` alone; a passed `expiresAt` counts from its instant on, written down or not; a status without the
 * answer it speaks of (a crash, or AUQ's order of writing) is pending.
 */
export function outcomeOf(snapshot: QuestionSnapshot, now: Date): QuestionOutcome {
  const { request, status, answers } = snapshot;
  if (answers !== undefined) {
    return {
      status: 'completed',
      answers: answers.answers,
      at: answers.timestamp,
      late: answers.late ?? false,
    };
  }
  if (status?.status === 'rejected') {
    const reason = status.rejectionReason ?? null;
    return { status: 'rejected', reason, at: status.lastModified, late: status.late ?? false };
  }
  if (request === undefined) {
    return { status: 'abandoned', reason: 'request.json no longer verifies' };
  }
  if (status?.status === 'abandoned') {
    return { status: 'abandoned', reason: status.abandonedReason ?? 'no reason was recorded' };
  }
  if (status?.status === 'timed_out') return { status: 'timed_out', at: status.lastModified };
  if (request.expiresAt !== undefined && Date.parse(request.expiresAt) <= now.getTime()) {
    return { status: 'timed_out', at: request.expiresAt };
  }
  return { status: 'pending' };
}

/** Whether a set has an outcome that nothing can change. */
export function isSettled(
  outcome: QuestionOutcome,
): outcome is Extract<QuestionOutcome, { at: string; late: boolean }> {
  return outcome.status === 'completed' || outcome.status === 'rejected';
}

/** When something last happened to a set, as an ISO time; the epoch if nothing can be told. */
export function lastActivityOf(snapshot: QuestionSnapshot): string {
  const times = [snapshot.answers?.timestamp, snapshot.status?.lastModified, snapshot.request?.timestamp];
  const latest = Math.max(0, ...times.map((time) => (time === undefined ? 0 : Date.parse(time))));
  return new Date(latest).toISOString();
}

/** The status file that a set should have, made anew from its request if it lost its own. */
export function statusFor(snapshot: QuestionSnapshot, now: Date): StatusFile {
  if (snapshot.status !== undefined) return snapshot.status;
  const { request } = snapshot;
  const time = now.toISOString();
  return {
    sessionId: snapshot.id as StatusFile['sessionId'],
    status: 'pending' satisfies QuestionStatus,
    createdAt: request?.timestamp ?? time,
    lastModified: time,
    totalQuestions: request?.questions.length ?? 0,
    ...(request?.callId === undefined ? {} : { callId: request.callId }),
    rejectionReason: null,
    version: 1,
  };
}

/** A set made by AUQ: its request carries no format version, and its readers want the status first. */
export function isForeign(request: RequestFile | undefined): boolean {
  return request !== undefined && request.version === undefined;
}
