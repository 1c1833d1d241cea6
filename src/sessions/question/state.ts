import { createHash } from 'node:crypto';
import { type Actor, actorIn } from '../../foundation/index.js';
import type { QuestionStatus } from './lifecycle.js';
import type { AnswersFile, RequestFile, StatusFile, UserAnswer } from './schema.js';

/** The files of a question set. */
export type QuestionFile = 'request.json' | 'status.json' | 'answers.json';

/** A file that is missing or does not verify. */
export interface FileFault {
  readonly file: QuestionFile;
  /**
   * `unsafe`: a link, a directory or another thing that we do not open stands in its place. `replaced`: it verifies, but
   * says something else than what was decided first.
   */
  readonly kind: 'missing' | 'damaged' | 'unsafe' | 'replaced';
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
  const { request, status } = snapshot;
  const settled = settledOutcomeOf(snapshot);
  if (settled !== undefined) return settled;
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

/** An outcome that a person decided. */
export type SettledOutcome = Extract<QuestionOutcome, { at: string; late: boolean }>;

/** The same for what a person decided, which no time changes; undefined where nobody has. */
function settledOutcomeOf({
  status,
  answers,
}: Pick<QuestionSnapshot, 'status' | 'answers'>): SettledOutcome | undefined {
  if (answers !== undefined) {
    const { timestamp: at, late = false } = answers;
    return { status: 'completed', answers: answers.answers, at, late };
  }
  if (status?.status !== 'rejected') return undefined;
  const reason = status.rejectionReason ?? null;
  return { status: 'rejected', reason, at: status.lastModified, late: status.late ?? false };
}

/** Whether a set has an outcome that nothing of ours changes any more. */
export function isSettled(outcome: QuestionOutcome): outcome is SettledOutcome {
  return outcome.status === 'completed' || outcome.status === 'rejected';
}

/** What a person decided as a short text that is another one where they decide anything else; times do not count. */
export function digestOf(
  decided:
    | Pick<Extract<SettledOutcome, { status: 'completed' }>, 'status' | 'answers'>
    | Pick<Extract<SettledOutcome, { status: 'rejected' }>, 'status' | 'reason'>,
): string {
  const said = decided.status === 'rejected' ? decided.reason : decided.answers.map(bareAnswer);
  return createHash('sha256')
    .update(JSON.stringify([decided.status, said]))
    .digest('hex');
}

/** What an answer says, whenever it was given. */
export function bareAnswer({ questionIndex, selectedOption, selectedOptions, customText }: UserAnswer) {
  return [questionIndex, selectedOption ?? null, selectedOptions ?? null, customText ?? null];
}

/**
 * What another program made of an outcome after it had been decided: AUQ writes over answers without looking, but keeps keys
 * of `status.json` that it does not know, and so our digest of what was first.
 */
export function replacementIn(snapshot: Pick<QuestionSnapshot, 'status' | 'answers'>): FileFault | undefined {
  const first = snapshot.status?.outcomeDigest;
  const now = first === undefined ? undefined : settledOutcomeOf(snapshot);
  if (now === undefined || digestOf(now) === first) return undefined;
  const file = now.status === 'completed' ? 'answers.json' : 'status.json';
  const reason = 'another program changed the outcome after it had been decided';
  return { file, kind: 'replaced', reason };
}

/**
 * `status.json` as it should be where it does not say what the other files say, with nothing in it that makes a reader see
 * something else than before; undefined where it is right, or missing. An answer whose writer died before the status; a
 * `completed` whose answer never came or was set aside, which AUQ would not show any more.
 */
export function healedStatus({ request, status, answers }: QuestionSnapshot): StatusFile | undefined {
  if (status === undefined) return undefined;
  if (answers === undefined)
    return status.status === 'completed' && request !== undefined
      ? { ...withoutMarks(status), status: 'pending' }
      : undefined;
  if (status.status === 'completed') return undefined;
  const decided = { status: 'completed' as const, answers: answers.answers };
  const isLater = Date.parse(answers.timestamp) > Date.parse(status.lastModified);
  // Whoever withdrew the set did not answer it.
  const known = status.status === 'abandoned' ? withoutActor(status) : status;
  return {
    // A mark without a digest was made for what came before the answer.
    ...(status.collectedDigest === undefined ? withoutMarks(known) : known),
    status: 'completed',
    lastModified: isLater ? answers.timestamp : status.lastModified,
    outcomeDigest: status.outcomeDigest ?? digestOf(decided),
  };
}

/** A status without what it says about an outcome: that it was delivered, and what it was. */
export function withoutMarks(status: StatusFile): StatusFile {
  const { collectedAt: _at, collectedDigest: _collected, outcomeDigest: _outcome, ...rest } = status;
  return rest;
}

/** The same without who decided. */
export function withoutActor({ actor: _actor, ...status }: StatusFile): StatusFile {
  return status as StatusFile;
}

/**
 * Who decided: as our own commands wrote it down. An answer without a format version is AUQ's, whatever stands beside it;
 * null where nobody decided, or nobody wrote it down.
 */
export function actorOf({ status, answers }: QuestionSnapshot, outcome: QuestionOutcome): Actor | null {
  if (outcome.status === 'pending' || outcome.status === 'timed_out') return null;
  if (outcome.status === 'completed' && answers?.version === undefined) return 'auq';
  return status?.actor === undefined ? null : actorIn(status.actor);
}

/** How long after it made a set AUQ may still write its status a second time, without looking at what is there by then. */
const SECOND_WRITE_MS = 2_000;

/** Whether AUQ has just made this set and is yet to write its status again, to add the call. */
export function isBeingMade({ request, status }: QuestionSnapshot, now: Date): boolean {
  if (request === undefined || !isForeign(request) || status?.callId !== undefined) return false;
  return Math.abs(now.getTime() - Date.parse(request.timestamp)) < SECOND_WRITE_MS;
}

/**
 * When this very outcome was delivered, or null. A timeout that was delivered does not make the late answer old: the
 * mark counts for the status it was made with, and not for an answer that came after it.
 */
export function collectedAtOf(snapshot: QuestionSnapshot, outcome: QuestionOutcome): string | null {
  const { status, answers } = snapshot;
  if (status?.collectedDigest !== undefined && isSettled(outcome)) {
    const isThisOne = status.collectedDigest === digestOf(outcome);
    return isThisOne && status.collectedAt !== undefined ? status.collectedAt : null;
  }
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
