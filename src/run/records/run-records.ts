import { findId, SessionNotFoundError, timestamp } from '../../foundation/index.js';
import type { ConversationView } from '../../sessions/conversation/index.js';
import type { ChangedFile, LoopView } from '../../sessions/loop/index.js';
import type { QuestionView } from '../../sessions/question/index.js';
import { lookAt } from '../../storage/index.js';
import { journalPlace } from '../journal/journal-place.js';
import { scanJournal } from '../journal/scan-journal.js';
import type { RunServices } from '../open/run-services.js';
import type { ReportSources } from '../report/report-document.js';
import { HistoryFold, type RunHistory } from '../report/run-history.js';
import { runOfWorktree } from '../worktree/record.js';
import { reportWorktree, type WorktreeReport, worktreeAsRecorded } from '../worktree/worktree-report.js';
import { changedSince } from './changed-files.js';
import { commandsToGoOn } from './go-on.js';
import { logPath } from './run-log.js';
import { recallStart } from './run-memory.js';
import { lastWords } from './run-words.js';

export interface ReadRunOptions {
  /** Whether git may be asked how the tree stands now; otherwise the recorded files are used. */
  readonly looksAtTree?: boolean | undefined;
}

/**
 * Reads the loop of this project or one in its archive, with its journal, its conversation and its questions. Throws
 * LOOP_NOT_FOUND, SESSION_NOT_FOUND, AMBIGUOUS_ID.
 */
export async function readRunRecords(
  services: RunServices,
  typed?: string,
  { looksAtTree = true }: ReadRunOptions = {},
): Promise<ReportSources> {
  const { loop, isArchived } = findLoop(services, typed);
  const { sessionId, status } = loop;
  const isRunning = !isArchived && loop.owner.hold === 'held';
  const own =
    services.worktree !== undefined && runOfWorktree(services.worktree) === sessionId
      ? services.worktree
      : undefined;
  const worktree = own === undefined ? undefined : await worktreeOf(services, own, looksAtTree);
  const { permissions } = recallStart(services, sessionId) ?? {};
  const project = { path: services.projectDirectory, isThere: worktree?.report.isThere ?? true };
  return {
    loop,
    ...(await readKept(services, sessionId, isRunning)),
    questions: await questionsOf(services, loop, isArchived),
    files:
      worktree?.files ??
      (looksAtTree
        ? await filesOf(services, loop, isArchived, worktree?.report)
        : (loop.state.filesChanged ?? null)),
    worktree: worktree?.report ?? null,
    project,
    isRunning,
    commands: commandsToGoOn({ sessionId, status, isRunning, isArchived, project, permissions }),
  };
}

/**
 * The same for a run whose project is gone or has unreadable files: what is kept outside the project. Undefined if there is
 * no journal of such a run.
 */
export async function readGoneRun(
  services: RunServices,
  sessionId: string,
): Promise<ReportSources | undefined> {
  const kept = await readKept(services, sessionId, false);
  const { history, conversation } = kept;
  if (!history.isThere) return undefined;
  const path = conversation?.workingDirectory ?? '';
  const asked = new Set(history.asked.map(({ id }) => id));
  return {
    sessionId,
    loop: undefined,
    ...kept,
    questions: (await services.questions.list()).filter(
      ({ id, asker }) => asked.has(id) || asker?.session === sessionId,
    ),
    files: null,
    worktree: null,
    project: { path, isThere: path !== '' && lookAt(services.tools.fileSystem, path) !== undefined },
    isRunning: false,
    commands: [],
  };
}

/** What is kept of a run outside its project. */
async function readKept(
  services: RunServices,
  sessionId: string,
  isRunning: boolean,
): Promise<Pick<ReportSources, 'conversation' | 'lastWords' | 'log' | 'madeAt'> & { history: RunHistory }> {
  const fold = new HistoryFold();
  const { fileSystem } = services.tools;
  const { path } = journalPlace(services.runs, sessionId);
  const facts = await scanJournal({ fileSystem, path, sessionId }, (entry) => fold.add(entry));
  return {
    history: fold.end(facts, isRunning),
    conversation: readConversation(services, sessionId),
    lastWords: lastWords(services, sessionId),
    log: logPath(services, sessionId),
    madeAt: timestamp(services.clock),
  };
}

function worktreeOf(
  services: RunServices,
  own: NonNullable<RunServices['worktree']>,
  looksAtTree: boolean,
): Promise<Awaited<ReturnType<typeof reportWorktree>>> {
  return looksAtTree ? reportWorktree(services, own) : Promise.resolve(worktreeAsRecorded(services, own));
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

/** A set without a session in its asker came from some agent in the project; while the loop ran, that was the loop's agent. */
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

/** The files recorded when the run ended; for a run that has not ended, git is asked now. */
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
