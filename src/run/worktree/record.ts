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
 * `<state>/worktrees/<name made of the path>.json`: a worktree that a run works in. It is written before git makes the
 * worktree, so no worktree ever exists without a record.
 */
const WorktreeFile = record({
  version: withDefault(whole(), () => DOCUMENT_VERSION),
  sessionId: named('session_id', textThat(isUuidV4, 'not a UUID v4')),
  /** The run that continues in it after the one it was made for; absent while there is none. */
  runId: named('run_id', optional(textThat(isUuidV4, 'not a UUID v4'))),
  /** `preparing` until an agent may work in it; `removed`: its session is in the trash. */
  status: oneOf(['preparing', 'ready', 'removed']),
  /** The last step of the preparation that is done; the next one may have begun. */
  step: oneOf(['intended', 'checked-out', 'included', 'set-up']),
  path: absolute,
  branch: filledText,
  /** The top of the work tree it was made from, which may itself be a worktree. */
  repository: absolute,
  /** The name people use for the repository, if the path above is a mirror of ours. */
  repositoryName: named('repository_name', optional(filledText)),
  gitCommonDirectory: named('git_common_dir', absolute),
  baseCommit: named(
    'base_commit',
    textThat((id) => /^[0-9a-f]{40,64}$/.test(id), 'not a commit'),
  ),
  baseBranch: named('base_branch', nullable(text)),
  /** The path of the person's own copy of the plan. */
  planSource: named('plan_source', absolute),
  /** The kept plan, by its path in the run's plans directory. */
  plan: textThat((path) => isInside(path), 'not a path inside of a directory'),
  /** The files copied from the repository. */
  included: listOf(text),
  createdAt: named('created_at', text),
});

export type WorktreeRecord = ValueOf<typeof WorktreeFile>;

function isInside(path: string): boolean {
  return path !== '' && !path.startsWith('/') && !path.split('/').includes('..');
}

/** Where the records of worktrees are, and what runs keep. */
export interface WorktreePlaces {
  /** `<state>/worktrees`. */
  readonly worktrees: string;
  readonly runs: string;
}

/** The directory of the loop of a run in a worktree. It is outside the worktree, so it outlives it. */
export function loopPlace(
  { runs }: WorktreePlaces,
  { sessionId }: Pick<WorktreeRecord, 'sessionId'>,
): string {
  return join(runs, sessionId.toLowerCase(), 'loop');
}

/** The directory that paths of a run's kept plan are relative to. */
export function plansPlace(
  { runs }: WorktreePlaces,
  worktree: Pick<WorktreeRecord, 'sessionId' | 'runId'>,
): string {
  return join(runs, runOfWorktree(worktree).toLowerCase(), 'plan');
}

/** The run that works in it now: the one it was made for, or one that continues after that. */
export function runOfWorktree({ sessionId, runId }: Pick<WorktreeRecord, 'sessionId' | 'runId'>): string {
  return runId ?? sessionId;
}

/** What stands for the plan of a worktree whose run works on a change; the change is in the work tree itself. */
export function changePlanIn(name: string): string {
  return `change:${name}`;
}

export function isChangePlan({ plan }: Pick<WorktreeRecord, 'plan'>): boolean {
  return plan.startsWith(changePlanIn(''));
}

/** The output of the person's own setup command. */
export function setupLogPlace({ runs }: WorktreePlaces, sessionId: string): string {
  return join(runs, sessionId.toLowerCase(), 'setup.log');
}

function fileOf(worktrees: string, path: string): string {
  return join(worktrees, `${uuidFrom(path)}.json`);
}

/** Writes the record durably. Throws ATOMIC_WRITE_FAILED, DOCUMENT_REFUSED. */
export function writeWorktree(
  tools: StorageTools,
  { worktrees }: WorktreePlaces,
  kept: WorktreeRecord,
): void {
  ensureDirectory(tools.fileSystem, worktrees);
  writeDocument(tools, fileOf(worktrees, kept.path), kept, WorktreeFile);
}

/**
 * The worktree of ours that a directory is in, or was in before it was removed; undefined if it is in none. Nearly every
 * directory is in none, and that case costs next to nothing.
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
    // A work tree ends at its top; looking further up is only needed if it is gone.
    const kind = lookQuietly(fileSystem, join(place, '.git'));
    if (kind !== undefined || dirname(place) === place) return undefined;
  }
}

/** Whether any record has this path, including those of removed sessions. */
export function isPathKnown(
  fileSystem: FileSystem,
  { worktrees }: Pick<WorktreePlaces, 'worktrees'>,
  path: string,
): boolean {
  return lookQuietly(fileSystem, fileOf(worktrees, path)) !== undefined;
}

/** Every worktree of ours, the newest last. An unreadable record causes a warning and is kept. */
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

/** A damaged record must be noticed: without it we would look for the run inside the worktree. */
function readRecord(fileSystem: FileSystem, file: string, path: string): WorktreeRecord | undefined {
  const kept = readDocument(fileSystem, file, WorktreeFile);
  return kept?.path === path && kept.status !== 'removed' ? kept : undefined;
}

/** Its run continues elsewhere: the files in it stay, but no run may work there any more. */
export function retireWorktree(tools: StorageTools, places: WorktreePlaces, worktree: WorktreeRecord): void {
  writeWorktree(tools, places, { ...worktree, status: 'removed' });
}

/** The same for the worktree that a run has here, if any. */
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

/** For a run that is gone for good, with its worktree. */
export function forgetWorktree(
  { fileSystem }: Pick<StorageTools, 'fileSystem'>,
  { worktrees }: WorktreePlaces,
  { path }: WorktreeRecord,
): void {
  removeQuietly(fileSystem, fileOf(worktrees, path));
}

/** Whether the worktree's directory exists. */
export function isWorktreeThere(fileSystem: FileSystem, { path }: Pick<WorktreeRecord, 'path'>): boolean {
  return lookAt(fileSystem, path)?.kind === 'directory';
}

function lookQuietly(fileSystem: FileSystem, path: string): string | undefined {
  try {
    return fileSystem.look(path)?.kind;
  } catch {
    return undefined; // what we may not look at is not ours
  }
}
