import { basename } from 'node:path';
import { isPermission } from '../foundation/index.js';
import type { QuestionView } from '../sessions/question/index.js';
import type { NoticeKind } from './settings.js';

/** Something that a person wants to know, once. */
export interface NoticeEvent {
  /** The same for whoever sees it, now and after a restart. */
  readonly key: string;
  readonly kind: NoticeKind;
  readonly at: string;
  /** The question set that waits, where one does. */
  readonly question: string | null;
  /** The machine that it is about; absent for this one. */
  readonly machine?: string | undefined;
  /** The directory that it is about. */
  readonly directory: string | null;
  readonly agent: string | null;
  readonly shortId: string;
  readonly detail: string | null;
  /** Foreign words: of a question, or why a run ended. */
  readonly text: string | null;
}

/** Who asks where it is a run itself, and what its questions are called. */
const RUN = 'holdfast run';
const OF_A_RUN: Readonly<Record<string, NoticeKind>> = { Limit: 'limit', Breaker: 'breaker' };

/** That a question waits for a person; undefined where it does not. */
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

/** What `holdfast notify test` sends; each is an event of its own. */
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

/** What a directory is called in a notice: its own name, not the way to it. */
export function projectOf(directory: string | null): string | null {
  return directory === null ? null : basename(directory) || null;
}
