import type { QuestionStatus } from './lifecycle.js';
import type { AnswersFile, RequestFile, StatusFile, UserAnswer } from './schema.js';

/** The files of a question set. */
export type QuestionFile = 'request.json' | 'status.json' | 'answers.json';

/** A file that is missing or does not verify. */
export interface FileFault {
  readonly file: QuestionFile;
  /** `unsafe`: a link, a directory or another thing that we do not open stands in its place. */
  readonly kind: 'missing' | 'damaged' | 'unsafe';
  readonly reason: string;
}

/** What the files of one set say at one moment. */
export interface QuestionSnapshot {
  readonly id: string;
  readonly request: RequestFile | undefined;
  readonly status: StatusFile | undefined;
  readonly answers: AnswersFile | undefined;
  readonly faults: readonly FileFault[];
  /** When the directory was last changed; only where no file tells a time. */
  readonly touchedAt?: string | undefined;
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
  const { expiresAt } = request;
  if (status?.status === 'timed_out') {
    // The instant it ran out, not the one at which somebody wrote that down.
    const isEarlier = expiresAt !== undefined && Date.parse(expiresAt) < Date.parse(status.lastModified);
    return { status: 'timed_out', at: isEarlier ? expiresAt : status.lastModified };
  }
  if (expiresAt !== undefined && Date.parse(expiresAt) <= now.getTime()) {
    return { status: 'timed_out', at: expiresAt };
  }
  return { status: 'pending' };
}

/** Whether a set has an outcome that nothing can change. */
export function isSettled(
  outcome: QuestionOutcome,
): outcome is Extract<QuestionOutcome, { at: string; late: boolean }> {
  return outcome.status === 'completed' || outcome.status === 'rejected';
}

/**
 * When this very outcome was delivered, or null. A timeout that was delivered does not make the late answer old: the
 * mark counts for the status it was made with, and not for an answer that came after it.
 */
export function collectedAtOf(snapshot: QuestionSnapshot, outcome: QuestionOutcome): string | null {
  const { status, answers } = snapshot;
  if (answers?.lastReadAt !== undefined) return answers.lastReadAt;
  if (status?.collectedAt === undefined || status.status !== outcome.status) return null;
  if ('at' in outcome && Date.parse(status.collectedAt) < Date.parse(outcome.at)) return null;
  return status.collectedAt;
}

/** When something last happened to a set, as an ISO time; the epoch if nothing can be told. */
export function lastActivityOf(snapshot: QuestionSnapshot, now: Date): string {
  const { answers, status, request, touchedAt } = snapshot;
  let lastMs = Math.max(
    timeOf(answers?.timestamp),
    timeOf(status?.lastModified),
    timeOf(request?.timestamp),
    timeOf(touchedAt),
  );
  const expiresMs = request?.expiresAt === undefined ? Number.NaN : Date.parse(request.expiresAt);
  if (expiresMs <= now.getTime()) lastMs = Math.max(lastMs, expiresMs);
  return new Date(lastMs).toISOString();
}

function timeOf(time: string | undefined): number {
  return time === undefined ? 0 : Date.parse(time);
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
