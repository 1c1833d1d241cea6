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
   * `unsafe`: in its place is a link, a directory or something else that we do not open. `replaced`: it verifies, but
   * differs from what was first decided.
   */
  readonly kind: 'missing' | 'damaged' | 'unsafe' | 'replaced';
  readonly reason: string;
}

/** What the files of a set say at one moment. */
export interface QuestionSnapshot {
  readonly id: string;
  readonly request: RequestFile | undefined;
  readonly status: StatusFile | undefined;
  readonly answers: AnswersFile | undefined;
  readonly faults: readonly FileFault[];
  /** When the directory was last changed; only set if no file tells a time. */
  readonly touchedAt?: string | undefined;
}

/** The outcome of a set, as one value. */
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
 * The single reading of the three files. `answers.json` is the answer whatever `status.json` says. A rejection is in
 * `status.json` alone. An `expiresAt` that has passed counts from that instant on, recorded or not. A status that
 * mentions a missing answer (after a crash, or because of AUQ's order of writing) means pending.
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
    // The instant it expired, not when someone recorded that.
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

/** The same for a person's decision, which time does not change; undefined if there is none. */
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

/** Whether a set has an outcome that nothing of ours will change. */
export function isSettled(outcome: QuestionOutcome): outcome is SettledOutcome {
  return outcome.status === 'completed' || outcome.status === 'rejected';
}

/** A digest of what a person decided: any other decision has another digest, but times do not count. */
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

/** What an answer says, without its time. */
export function bareAnswer({ questionIndex, selectedOption, selectedOptions, customText }: UserAnswer) {
  return [questionIndex, selectedOption ?? null, selectedOptions ?? null, customText ?? null];
}

/**
 * A change that another program made to an outcome after the decision. AUQ overwrites answers without looking, but
 * keeps keys of `status.json` that it does not know, including our digest of the first outcome.
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
 * The corrected `status.json` if it disagrees with the other files, with no change that makes a reader see anything
 * else than before; undefined if it is right or missing. Two cases: the writer of an answer died before the status; or
 * the answer to a `completed` status never came or was set aside, and AUQ would no longer show the set.
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
  // The one who withdrew the set did not answer it.
  const known = status.status === 'abandoned' ? withoutActor(status) : status;
  return {
    // A mark without a digest is about what came before the answer.
    ...(status.collectedDigest === undefined ? withoutMarks(known) : known),
    status: 'completed',
    lastModified: isLater ? answers.timestamp : status.lastModified,
    outcomeDigest: status.outcomeDigest ?? digestOf(decided),
  };
}

/** A status without its marks about the outcome: its delivery and its digest. */
export function withoutMarks(status: StatusFile): StatusFile {
  const { collectedAt: _at, collectedDigest: _collected, outcomeDigest: _outcome, ...rest } = status;
  return rest;
}

/** The same without who decided. */
export function withoutActor({ actor: _actor, ...status }: StatusFile): StatusFile {
  return status as StatusFile;
}

/**
 * Who decided, as our own commands recorded it. An answer without a format version is AUQ's, whatever the status says.
 * Null if nobody has decided, or it was not recorded.
 */
export function actorOf({ status, answers }: QuestionSnapshot, outcome: QuestionOutcome): Actor | null {
  if (outcome.status === 'pending' || outcome.status === 'timed_out') return null;
  if (outcome.status === 'completed' && answers?.version === undefined) return 'auq';
  return status?.actor === undefined ? null : actorIn(status.actor);
}

/** How long after creating a set AUQ may still write its status a second time, without checking what is there by then. */
const SECOND_WRITE_MS = 2_000;

/** Whether AUQ has just made this set and has yet to write its status again, to add the call. */
export function isBeingMade({ request, status }: QuestionSnapshot, now: Date): boolean {
  if (request === undefined || !isForeign(request) || status?.callId !== undefined) return false;
  return Math.abs(now.getTime() - Date.parse(request.timestamp)) < SECOND_WRITE_MS;
}

/**
 * When this particular outcome was delivered, or null. Delivering a timeout does not make the late answer old: the mark
 * applies to the status it was written with, not to an answer that came later.
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

/** When something last happened to a set, as an ISO time; the Unix epoch if no time is known. */
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

/** The status file a set should have, rebuilt from its request if its own was lost. */
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

/** Whether AUQ made the set: its request has no format version, and AUQ's readers need the status first. */
export function isForeign(request: RequestFile | undefined): boolean {
  return request !== undefined && request.version === undefined;
}
