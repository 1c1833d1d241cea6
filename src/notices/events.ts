import { basename } from 'node:path';
import { isPermission } from '../foundation/index.js';
import type { QuestionView } from '../sessions/question/index.js';
import type { NoticeKind } from './settings.js';

/** Something that a person wants to know, once. */
export interface NoticeEvent {
  /** The same for every process that sees the event, now and after a restart. */
  readonly key: string;
  readonly kind: NoticeKind;
  readonly at: string;
  /** The question set that is waiting, if there is one. */
  readonly question: string | null;
  /** The machine it is about; absent for this one. */
  readonly machine?: string | undefined;
  /** The directory it is about. */
  readonly directory: string | null;
  readonly agent: string | null;
  readonly shortId: string;
  readonly detail: string | null;
  /** Foreign words: those of a question, or why a run ended. */
  readonly text: string | null;
}

/** The asker's name when a run itself asks, and the kinds of its questions by their titles. */
const RUN = 'holdfast run';
const OF_A_RUN: Readonly<Record<string, NoticeKind>> = { Limit: 'limit', Breaker: 'breaker' };

/** The event that a question is waiting for a person; undefined if it is not. */
export function eventOfQuestion(view: QuestionView): NoticeEvent | undefined {
  if (view.outcome.status !== 'pending') return undefined;
  const [first] = view.questions;
  const agent = view.asker?.agent ?? null;
  return {
    key: `question:${view.id}`,
    kind: isPermission(view) ? 'permission' : (agent === RUN && OF_A_RUN[first?.title ?? '']) || 'question',
    at: view.createdAt,
    question: view.id,
    ...(view.machine === undefined ? {} : { machine: view.machine }),
    directory: view.workingDirectory,
    agent,
    shortId: view.id.slice(0, 8),
    detail: null,
    text: first?.prompt ?? null,
  };
}

/** What `holdfast notify test` sends; each one is an event of its own. */
export function eventOfTest(token: string, now: Date): NoticeEvent {
  return {
    key: `test:${token}`,
    kind: 'test',
    at: now.toISOString(),
    question: null,
    directory: null,
    agent: null,
    shortId: token.slice(0, 8),
    detail: null,
    text: null,
  };
}

/** The name of a directory in a notice: its own name, not its path. */
export function projectOf(directory: string | null): string | null {
  return directory === null ? null : basename(directory) || null;
}
