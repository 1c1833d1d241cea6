import type { Actor } from '../../foundation/index.js';
import { type FileSystem, judgeLife, type ProcessIdentity } from '../../storage/index.js';
import type { Asker, Question } from './schema.js';
import {
  actorOf,
  collectedAtOf,
  type FileFault,
  lastActivityOf,
  outcomeOf,
  type QuestionOutcome,
  type QuestionSnapshot,
} from './state.js';

/** A question set as its users see it. */
export interface QuestionView {
  readonly id: string;
  readonly outcome: QuestionOutcome;
  readonly questions: readonly Question[];
  readonly createdAt: string;
  readonly lastActivityAt: string;
  readonly expiresAt: string | null;
  readonly callId: string | null;
  readonly workingDirectory: string | null;
  readonly asker: Asker | null;
  /** Whether a known waiting asker has left; null if nobody was known to wait. */
  readonly isAskerGone: boolean | null;
  /** Who decided; null if nobody has, or it was not recorded. */
  readonly actor: Actor | null;
  /** When this outcome was first delivered to the asker. */
  readonly collectedAt: string | null;
  /** Why the decision did not reach the asker, if known. */
  readonly unheardReason?: string | undefined;
  /** The request from another machine that decided it. */
  readonly appliedRequest?: string | undefined;
  /** The machine that keeps it; absent for this one. */
  readonly machine?: string | undefined;
  /** A decision that was sent to that machine and has not arrived yet, and who made it. */
  readonly onItsWay?: { readonly request: string; readonly by: string } | undefined;
  readonly faults: readonly FileFault[];
}

/** Derives the view from the files; `judge` identifies us, to tell whether the asker is alive. */
export function viewOf(
  snapshot: QuestionSnapshot,
  judge: { fileSystem: FileSystem; identity: ProcessIdentity },
  now: Date,
): QuestionView {
  const { request, status } = snapshot;
  const outcome = outcomeOf(snapshot, now);
  const appliedRequest = appliedRequestOf(snapshot, outcome);
  return {
    id: snapshot.id,
    outcome,
    questions: request?.questions ?? [],
    createdAt: request?.timestamp ?? status?.createdAt ?? snapshot.touchedAt ?? EPOCH,
    lastActivityAt: lastActivityOf(snapshot, now),
    expiresAt: request?.expiresAt ?? null,
    callId: request?.callId ?? status?.callId ?? null,
    workingDirectory: request?.workingDirectory ?? status?.workingDirectory ?? null,
    asker: request?.asker ?? null,
    isAskerGone: isAskerGone(snapshot, judge),
    actor: actorOf(snapshot, outcome),
    collectedAt: collectedAtOf(snapshot, outcome),
    ...(status?.unheardReason === undefined ? {} : { unheardReason: status.unheardReason }),
    ...(appliedRequest === undefined ? {} : { appliedRequest }),
    faults: snapshot.faults,
  };
}

function appliedRequestOf(
  { status, answers }: QuestionSnapshot,
  outcome: QuestionOutcome,
): string | undefined {
  if (outcome.status === 'completed') return answers?.appliedRequest;
  return outcome.status === 'rejected' ? status?.appliedRequest : undefined;
}

/** Whether a decision is still needed: one on its way to another machine needs nobody. */
export function isWaiting({ outcome, onItsWay }: Pick<QuestionView, 'outcome' | 'onItsWay'>): boolean {
  return outcome.status === 'pending' && onItsWay === undefined;
}

const EPOCH = '1970-01-01T00:00:00.000Z';

function isAskerGone(
  { status }: QuestionSnapshot,
  judge: { fileSystem: FileSystem; identity: ProcessIdentity },
): boolean | null {
  if (status?.askerGoneAt !== undefined) return true;
  if (status?.askerProcess === undefined) return null;
  return judgeLife(judge.fileSystem, status.askerProcess, judge.identity).life === 'dead';
}
