import { basename, dirname, join } from 'node:path';
import {
  filledText,
  isHoldfastError,
  isUuidV4,
  type Logger,
  listOf,
  messageOf,
  named,
  nullable,
  oneOf,
  optional,
  record,
  text,
  textThat,
  uuidFrom,
  type ValueOf,
  whole,
  withDefault,
} from '../../foundation/index.js';
import {
  DOCUMENT_VERSION,
  ensureDirectory,
  type FileSystem,
  hasDirectory,
  listDirectory,
  lookAt,
  readDocument,
  realPath,
  removeQuietly,
  type StorageTools,
  writeDocument,
} from '../../storage/index.js';

const absolute = textThat((path) => path.startsWith('/'), 'not an absolute path');

/**
 * `<state>/worktrees/<name made of the path>.json`: a worktree that a run works in. It is written before git is asked for
 * the worktree, so that none is ever there that nobody knows.
 */
const WorktreeFile = record({
  version: withDefault(whole(), () => DOCUMENT_VERSION),
  sessionId: named('session_id', textThat(isUuidV4, 'not a UUID v4')),
  /** The run that goes on in it after the one that it was made for; absent while there is no other. */
  runId: named('run_id', optional(textThat(isUuidV4, 'not a UUID v4'))),
  /** `preparing` until an agent may work in it; `removed`: its session is in the trash. */
  status: oneOf(['preparing', 'ready', 'removed']),
  /** How far the preparation is; what comes after it may have begun. */
  step: oneOf(['intended', 'checked-out', 'included', 'set-up']),
  path: absolute,
  branch: filledText,
  /** The top of the work tree that it was made from, which may be a worktree itself. */
  repository: absolute,
  /** What people call the repository, where that above is a mirror of ours. */
  repositoryName: named('repository_name', optional(filledText)),
  gitCommonDirectory: named('git_common_dir', absolute),
  baseCommit: named(
    'base_commit',
    textThat((id) => /^[0-9a-f]{40,64}$/.test(id), 'not a commit'),
  ),
  baseBranch: named('base_branch', nullable(text)),
  /** The plan where the person has it. */
  planSource: named('plan_source', absolute),
  /** The kept plan, by its path below the plans of the run. */
  plan: textThat((path) => isInside(path), 'not a path inside of a directory'),
  /** What is copied from the repository. */
  included: listOf(text),
  createdAt: named('created_at', text),
});

/** A worktree that a run works in. */
export type WorktreeRecord = ValueOf<typeof WorktreeFile>;

function isInside(path: string): boolean {
  return path !== '' && !path.startsWith('/') && !path.split('/').includes('..');
}

/** Where records of worktrees are, and what runs keep. */
export interface WorktreePlaces {
  /** `<state>/worktrees`. */
  readonly worktrees: string;
  readonly runs: string;
}

/** The directory of the loop of a run in a worktree: outside of it, so that it outlives it. */
export function loopPlace(
  { runs }: WorktreePlaces,
  { sessionId }: Pick<WorktreeRecord, 'sessionId'>,
): string {
  return join(runs, sessionId.toLowerCase(), 'loop');
}

/** The directory that the kept plan of a run is named from. */
export function plansPlace(
  { runs }: WorktreePlaces,
  worktree: Pick<WorktreeRecord, 'sessionId' | 'runId'>,
): string {
  return join(runs, runOfWorktree(worktree).toLowerCase(), 'plan');
}

/** The run that works in it now: the one that it was made for, or one that goes on after that. */
export function runOfWorktree({ sessionId, runId }: Pick<WorktreeRecord, 'sessionId' | 'runId'>): string {
  return runId ?? sessionId;
}

/** What stands for the plan of a worktree whose run works through a change: that is in the tree itself. */
export function changePlanIn(name: string): string {
  return `change:${name}`;
}

export function isChangePlan({ plan }: Pick<WorktreeRecord, 'plan'>): boolean {
  return plan.startsWith(changePlanIn(''));
}

/** What the person's own setup command said. */
export function setupLogPlace({ runs }: WorktreePlaces, sessionId: string): string {
  return join(runs, sessionId.toLowerCase(), 'setup.log');
}

function fileOf(worktrees: string, path: string): string {
  return join(worktrees, `${uuidFrom(path)}.json`);
}

/** Writes it durably. Throws ATOMIC_WRITE_FAILED, DOCUMENT_REFUSED. */
export function writeWorktree(
  tools: StorageTools,
  { worktrees }: WorktreePlaces,
  kept: WorktreeRecord,
): void {
  ensureDirectory(tools.fileSystem, worktrees);
  writeDocument(tools, fileOf(worktrees, kept.path), kept, WorktreeFile);
}

/**
 * The worktree of ours that a directory is in, or was in before somebody removed it; undefined where it is in none. Nearly
 * every directory is in none, and then this costs next to nothing.
 */
export function worktreeAt(
  fileSystem: FileSystem,
  { worktrees }: Pick<WorktreePlaces, 'worktrees'>,
  directory: string,
): WorktreeRecord | undefined {
  if (lookQuietly(fileSystem, worktrees) !== 'directory') return undefined;
  for (let place = realPath(fileSystem, directory) ?? directory; ; place = dirname(place)) {
    const found = lookQuietly(fileSystem, fileOf(worktrees, place));
    if (found === 'file') return readRecord(fileSystem, fileOf(worktrees, place), place);
    // A work tree ends at its top; only above one that is gone there may be more to find.
    const kind = lookQuietly(fileSystem, join(place, '.git'));
    if (kind !== undefined || dirname(place) === place) return undefined;
  }
}

/** Whether some record is of this path, that of a removed session too. */
export function isPathKnown(
  fileSystem: FileSystem,
  { worktrees }: Pick<WorktreePlaces, 'worktrees'>,
  path: string,
): boolean {
  return lookQuietly(fileSystem, fileOf(worktrees, path)) !== undefined;
}

/** Every worktree of ours, the newest last. What cannot be read is warned about, and kept. */
export function listWorktreeRecords(
  { fileSystem, log }: { readonly fileSystem: FileSystem; readonly log: Logger },
  { worktrees }: Pick<WorktreePlaces, 'worktrees'>,
): WorktreeRecord[] {
  if (!hasDirectory(fileSystem, worktrees)) return [];
  return listDirectory(fileSystem, worktrees)
    .filter((name) => name.endsWith('.json') && isUuidV4(basename(name, '.json')))
    .flatMap((name) => {
      const path = join(worktrees, name);
      try {
        return readDocument(fileSystem, path, WorktreeFile) ?? [];
      } catch (error) {
        if (!isHoldfastError(error)) throw error;
        log.warn('worktree.record-unreadable', { path, error: messageOf(error) });
        return [];
      }
    })
    .sort((a, b) => (a.createdAt < b.createdAt ? -1 : 1));
}

/** A record that is damaged must be seen: without it the run would be looked for inside of the worktree. */
function readRecord(fileSystem: FileSystem, file: string, path: string): WorktreeRecord | undefined {
  const kept = readDocument(fileSystem, file, WorktreeFile);
  return kept?.path === path && kept.status !== 'removed' ? kept : undefined;
}

/** Its run goes on elsewhere: what is in it stays, and is nobody's place to work any more. */
export function retireWorktree(tools: StorageTools, places: WorktreePlaces, worktree: WorktreeRecord): void {
  writeWorktree(tools, places, { ...worktree, status: 'removed' });
}

/** The same for whatever worktree a run has here. */
export function retireRun(
  { tools, log }: { readonly tools: StorageTools; readonly log: Logger },
  places: WorktreePlaces,
  run: string,
): void {
  const own = listWorktreeRecords({ fileSystem: tools.fileSystem, log }, places).filter(
    (one) => runOfWorktree(one) === run && one.status !== 'removed',
  );
  for (const worktree of own) retireWorktree(tools, places, worktree);
}

/** For a run that is gone for good, and its worktree too. */
export function forgetWorktree(
  { fileSystem }: Pick<StorageTools, 'fileSystem'>,
  { worktrees }: WorktreePlaces,
  { path }: WorktreeRecord,
): void {
  removeQuietly(fileSystem, fileOf(worktrees, path));
}

/** Whether its directory is there. */
export function isWorktreeThere(fileSystem: FileSystem, { path }: Pick<WorktreeRecord, 'path'>): boolean {
  return lookAt(fileSystem, path)?.kind === 'directory';
}

function lookQuietly(fileSystem: FileSystem, path: string): string | undefined {
  try {
    return fileSystem.look(path)?.kind;
  } catch {
    return undefined; // what may not be looked at is not ours
  }
}
