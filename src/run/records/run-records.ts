import { findId, SessionNotFoundError } from '../../foundation/index.js';
import type { ConversationView } from '../../sessions/conversation/index.js';
import type { ChangedFile, LoopView } from '../../sessions/loop/index.js';
import type { QuestionView } from '../../sessions/question/index.js';
import type { RunServices } from '../open/run-services.js';
import { runOfWorktree } from '../worktree/record.js';
import { reportWorktree, type WorktreeReport } from '../worktree/worktree-report.js';
import { changedSince } from './changed-files.js';
import { logPath } from './run-log.js';
import { lastWords } from './run-words.js';

/** What the files tell about a loop of this project. */
export interface RunRecords {
  readonly loop: LoopView;
  readonly conversation: ConversationView | undefined;
  /** What was asked by the loop, or in the project while it ran. */
  readonly questions: readonly QuestionView[];
  /** What its last run in the background said, if anything. */
  readonly lastWords: string | null;
  /** What it changed; null where nobody knows. */
  readonly files: readonly ChangedFile[] | null;
  readonly log: string | null;
  /** The worktree that it works in; null for one that works in the project itself. */
  readonly worktree: WorktreeReport | null;
}

/**
 * Reads the loop of this project, or an earlier one of the archive, its conversation and its questions.
 * Throws LOOP_NOT_FOUND, SESSION_NOT_FOUND, AMBIGUOUS_ID.
 */
export async function readRunRecords(services: RunServices, typed?: string): Promise<RunRecords> {
  const { loop, isArchived } = findLoop(services, typed);
  const { sessionId } = loop;
  const own =
    services.worktree !== undefined && runOfWorktree(services.worktree) === sessionId
      ? services.worktree
      : undefined;
  const worktree = own === undefined ? undefined : await reportWorktree(services, own);
  return {
    loop,
    conversation: readConversation(services, sessionId),
    questions: await questionsOf(services, loop, isArchived),
    lastWords: lastWords(services, sessionId),
    files: worktree?.files ?? (await filesOf(services, loop, isArchived, worktree?.report)),
    log: logPath(services, sessionId),
    worktree: worktree?.report ?? null,
  };
}

function findLoop(services: RunServices, typed: string | undefined): { loop: LoopView; isArchived: boolean } {
  const loops = services.openLoops();
  const current = loops.get();
  if (typed === undefined) {
    if (current === undefined) throw loops.notFound();
    return { loop: current, isArchived: false };
  }
  const archived = loops.archived().flatMap(({ name, loop }) => {
    const view = loop.get();
    return view === undefined ? [] : [{ name, view }];
  });
  const ids = [...(current === undefined ? [] : [current.sessionId]), ...archived.map(({ name }) => name)];
  const found = findId([...new Set(ids)], typed.toLowerCase());
  if (found === undefined) throw new SessionNotFoundError(typed, LISTED_BY);
  if (current?.sessionId === found) return { loop: current, isArchived: false };
  const view = archived.find(({ name }) => name === found)?.view;
  if (view === undefined) throw new SessionNotFoundError(typed, LISTED_BY);
  return { loop: view, isArchived: true };
}

const LISTED_BY = 'holdfast sessions list --kind loop --all';

/** A set without an asker was asked by some agent in the project: while the loop ran that was its agent. */
async function questionsOf(
  services: RunServices,
  { sessionId, state }: LoopView,
  isArchived: boolean,
): Promise<QuestionView[]> {
  const project = services.projectDirectory;
  const sinceMs = Date.parse(state.startedAt);
  const untilMs = isArchived ? Date.parse(state.lastActivity ?? state.startedAt) : Number.POSITIVE_INFINITY;
  return (await services.questions.list()).filter(({ asker, workingDirectory, createdAt }) => {
    if (asker?.session !== undefined) return asker.session === sessionId;
    const atMs = Date.parse(createdAt);
    return workingDirectory === project && atMs >= sinceMs && atMs <= untilMs;
  });
}

/** As it was written down at its end; what has not ended is looked at now. */
async function filesOf(
  services: RunServices,
  { state, status }: LoopView,
  isArchived: boolean,
  worktree: WorktreeReport | undefined,
): Promise<readonly ChangedFile[] | null> {
  const recorded = state.filesChanged ?? null;
  if (isArchived || worktree?.isThere === false || status === 'completed' || status === 'aborted')
    return recorded;
  return (await changedSince(services, services.projectDirectory, state)) ?? recorded;
}

function readConversation(services: RunServices, sessionId: string): ConversationView | undefined {
  try {
    return services.openConversations().get(`run-${sessionId}`);
  } catch (error) {
    if (error instanceof SessionNotFoundError) return undefined;
    throw error;
  }
}
