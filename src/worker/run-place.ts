import { dirname, join } from 'node:path';
import { HoldfastError, type HoldfastErrorOptions, visibleLine } from '../foundation/index.js';
import { directoryOfChange, findProject } from '../plans/index.js';
import type { Entry, Queue } from '../queue/index.js';
import {
  changePlanIn,
  continueWorktree,
  intendWorktree,
  isWorktreeThere,
  listWorktreeRecords,
  prepareWorktree,
  type RunServices,
  runOfWorktree,
  type WorktreeRecord,
  worktreeName,
} from '../run/index.js';
import { attempt, lookAt, readBytes, updateUserFile } from '../storage/index.js';

/** An entry cannot run where it was meant to. */
export class EntryPlaceError extends HoldfastError<'ENTRY_PLACE'> {
  readonly code = 'ENTRY_PLACE';

  constructor(message: string, options?: HoldfastErrorOptions) {
    super(message, options);
  }
}

/** Where an entry runs, and what its run is told about its plan. */
export interface EntryPlace {
  /** Whether it came from another machine, or from an earlier lease of this one: it then resumes without asking. */
  readonly isMoved?: boolean | undefined;
  /** The services of the directory it runs in. */
  readonly services: RunServices;
  readonly plan: { readonly prp: string } | { readonly change: string };
  readonly worktree: string | null;
}

export interface PlaceOptions {
  readonly queue: Queue;
  readonly services: RunServices;
  readonly signal: AbortSignal;
}

/**
 * Prepares the place of an entry, or picks up where another worker left it. Doing it twice has the same effect as once.
 * Throws ENTRY_PLACE, WORKTREE_REFUSED, WORKTREE_SETUP_FAILED, GIT_FAILED, LOCKED.
 */
export async function preparePlace(entry: Entry, options: PlaceOptions): Promise<EntryPlace> {
  const { fileSystem } = options.services.tools;
  if (lookAt(fileSystem, entry.project)?.kind !== 'directory')
    throw new EntryPlaceError(`${visibleLine(entry.project)} is gone`);
  const home = servicesOf(entry, options.services);
  return entry.isInPlace
    ? await placeInTree(entry, home, options)
    : await placeInWorktree(entry, home, options);
}

/** The services in the entry's project, with the entry's own command to prepare a worktree if it has one. */
function servicesOf({ project, options: { prepare } }: Entry, services: RunServices): RunServices {
  const there = services.at(project);
  const { settings } = there;
  const worktree = prepare === undefined ? settings.worktree : { ...settings.worktree, setup: prepare };
  // This applies in a worktree of ours, too: the entry wants another one.
  return { ...there, worktree: undefined, settings: { ...settings, worktree } };
}

async function placeInTree(
  entry: Entry,
  services: RunServices,
  { queue }: PlaceOptions,
): Promise<EntryPlace> {
  const there = services.at(entry.project);
  if (entry.plan.kind === 'change')
    return { services: there, plan: { change: entry.plan.name }, worktree: null };
  return { services: there, plan: { prp: await keptFile(entry, queue) }, worktree: null };
}

async function placeInWorktree(
  entry: Entry,
  services: RunServices,
  options: PlaceOptions,
): Promise<EntryPlace> {
  const { queue, signal } = options;
  const isChange = entry.plan.kind === 'change';
  const planName = isChange ? changePlanIn(entry.plan.name) : firstFile(entry);
  const planPath = await keptFile(entry, queue);
  const sessionId = entry.runId ?? '';
  const { fileSystem } = services.tools;
  const records = listWorktreeRecords({ fileSystem, log: services.log }, services);
  const known = records.find((one) => runOfWorktree(one) === sessionId);
  const intended =
    known ??
    (entry.continues === null
      ? await intendWorktree(services, {
          // A change is kept file by file, and none of the files has its name.
          name: isChange ? worktreeName('', entry.plan.name) : '',
          planPath,
          planName,
          sessionId,
          base: entry.base ?? undefined,
        })
      : continueWorktree(services, await worktreeBefore(entry, records, options), {
          sessionId,
          planPath,
          planName,
        }));
  const ready = await prepareWorktree(services, intended, { tell: () => {}, signal });
  const there = services.at(ready.path);
  if (isChange) await installChange(entry, there, options);
  return {
    services: there,
    plan: isChange ? { change: entry.plan.name } : { prp: join(ready.path, ready.plan) },
    worktree: ready.path,
  };
}

/**
 * Where the earlier entry worked. Removing a worktree takes its uncommitted work with it, and no entry continues
 * without that.
 */
async function worktreeBefore(
  { continues }: Entry,
  records: readonly WorktreeRecord[],
  { queue, services }: PlaceOptions,
): Promise<WorktreeRecord> {
  const path = continues === null ? null : (await queue.get(continues))?.worktree;
  const found = records.find((one) => one.path === path && one.status !== 'removed');
  if (found !== undefined && isWorktreeThere(services.tools.fileSystem, found)) return found;
  throw new EntryPlaceError(
    `The worktree of ${continues?.slice(0, 8) ?? ''}, in which it would continue, is gone${path ? `: ${visibleLine(path)}` : ''}`,
    { hint: 'Queue it again with --base <commit>, to start from there.' },
  );
}

/** Puts the queued change into its own tree; what the agent has ticked since then stays ticked. */
async function installChange(entry: Entry, there: RunServices, { queue }: PlaceOptions): Promise<void> {
  const { tools } = there;
  if (there.openLoops().get()?.sessionId === entry.runId) return;
  const directory = changeDirectory(entry, there);
  for (const file of entry.plan.files) {
    const content = readBytes(tools.fileSystem, await queue.planPath(entry, file));
    const path = join(directory, file);
    if (content === undefined) continue;
    makeDirectories(there, dirname(path));
    updateUserFile(tools, path, () => content, 0o644);
  }
}

function changeDirectory(entry: Entry, { tools, projectDirectory }: RunServices): string {
  try {
    return directoryOfChange(findProject(tools.fileSystem, projectDirectory), entry.plan.name);
  } catch {
    // Its first commit may not contain it yet.
    return join(projectDirectory, 'openspec', 'changes', entry.plan.name);
  }
}

function makeDirectories({ tools }: Pick<RunServices, 'tools'>, directory: string): void {
  if (lookAt(tools.fileSystem, directory) !== undefined) return;
  makeDirectories({ tools }, dirname(directory));
  attempt(directory, 'create the directory', () => tools.fileSystem.makeDirectory(directory, 0o755));
}

function firstFile({ plan }: Entry): string {
  return plan.files[0] ?? plan.name;
}

async function keptFile(entry: Entry, queue: Queue): Promise<string> {
  return queue.planPath(entry, firstFile(entry));
}
