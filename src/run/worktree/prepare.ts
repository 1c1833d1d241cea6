import { basename, dirname, join, relative, resolve } from 'node:path';
import { AbortedError, counted, visibleLine } from '../../foundation/index.js';
import { PlanNotFoundError } from '../../plans/index.js';
import { startProgram } from '../../programs/index.js';
import {
  acquireLock,
  attempt,
  createFile,
  ensureDirectory,
  gitCommonDirectory,
  listDirectory,
  lookAt,
  readBytes,
  readFile,
  readUserFile,
  realPath,
  removeQuietly,
  updateUserFile,
} from '../../storage/index.js';
import {
  type BasePoint,
  checkOutFiles,
  findBase,
  findBranch,
  findCommit,
  findRepositoryTop,
  isBranchName,
  listSubmodulePaths,
  listUntracked,
  listWorktrees,
  registerWorktree,
  unlockWorktree,
} from '../../workspace/index.js';
import type { RunServices } from '../open/run-services.js';
import { WorktreeBranchGoneError, WorktreeRefusedError, WorktreeSetupError } from './errors.js';
import { type IncludePatterns, parseInclude } from './include.js';
import { branchOf, directoryOf, worktreeName } from './names.js';
import {
  isChangePlan,
  isPathKnown,
  isWorktreeThere,
  loopPlace,
  plansPlace,
  runOfWorktree,
  setupLogPlace,
  type WorktreeRecord,
  worktreeAt,
  writeWorktree,
} from './record.js';

/** What a person wants: a name, or '' to use the plan's, and the full path of the plan. */
export interface WorktreeWish {
  readonly name: string;
  readonly planPath: string;
  /** What the kept plan is called; absent = its path in the repository. */
  readonly planName?: string | undefined;
  /** The id of its run, if already chosen. */
  readonly sessionId?: string | undefined;
  /** The commit where its branch begins; absent = the one that is checked out. */
  readonly base?: string | undefined;
}

export interface PrepareOptions {
  /** Called line by line before each step; the words are safe to show. */
  readonly tell: (words: string) => void;
  readonly signal: AbortSignal;
}

/** A person would not read a longer list; beyond this, the setup command is the better way. */
const MAX_INCLUDED = 2_000;
const SETUP_TIMEOUT_MS = 60 * 60_000;
const TRIES = 20;

/**
 * Decides on a worktree for a new run and records the decision before anything is made. Throws WORKTREE_REFUSED,
 * INVALID_INPUT, PROGRAM_NOT_STARTED, GIT_FAILED.
 */
export async function intendWorktree(services: RunServices, wish: WorktreeWish): Promise<WorktreeRecord> {
  const { tools, clock, settings } = services;
  const { fileSystem } = tools;
  const { top, common } = repositoryOf(services);
  const workbench = services.workbench();
  const name = worktreeName(wish.name, wish.planPath);
  if (!(await isBranchName(workbench, top, branchOf(name, 'aaaa'))))
    throw new WorktreeRefusedError(`git does not accept ${visibleLine(name)} as part of a branch name`);
  const base = await baseOf(services, top, wish);
  if (base === undefined)
    throw new WorktreeRefusedError(`${visibleLine(top)} has no commit yet, and a worktree starts from one`, {
      hint: 'Commit something first, or run without --worktree.',
    });
  ensureDirectory(fileSystem, settings.worktree.directory);
  const root = fileSystem.resolve(settings.worktree.directory);
  const places = await freePlace(services, { top, name, root, sessionId: wish.sessionId });
  const kept: WorktreeRecord = {
    version: 1,
    status: 'preparing',
    step: 'intended',
    ...places,
    repository: top,
    gitCommonDirectory: common,
    baseCommit: base.commit,
    baseBranch: base.branch ?? null,
    planSource: wish.planPath,
    plan: wish.planName ?? planName(top, realPath(fileSystem, wish.planPath) ?? wish.planPath),
    included: [],
    createdAt: clock.now().toISOString(),
  };
  writeWorktree(tools, services, kept);
  return kept;
}

/** The base commit. If a named commit is gone by now, nothing else replaces it. Throws WORKTREE_REFUSED. */
async function baseOf(
  services: RunServices,
  top: string,
  { base }: WorktreeWish,
): Promise<BasePoint | undefined> {
  if (base === undefined) return findBase(services.workbench(), top);
  const commit = await findCommit(services.workbench(), top, base);
  if (commit !== undefined) return { commit, branch: undefined };
  throw new WorktreeRefusedError(
    `The commit ${visibleLine(base.slice(0, 12))} is gone from ${visibleLine(top)}`,
    {
      hint: 'Choose another one to begin at.',
    },
  );
}

/**
 * Lets another run continue in a worktree, on its branch, after the previous run: its record is written anew. Doing it twice
 * changes nothing.
 */
export function continueWorktree(
  services: RunServices,
  worktree: WorktreeRecord,
  next: { readonly sessionId: string; readonly planPath: string; readonly planName: string },
): WorktreeRecord {
  const { sessionId: runId, planPath: planSource, planName: plan } = next;
  if (runOfWorktree(worktree) === runId) return worktree;
  const kept = { ...worktree, runId, planSource, plan };
  writeWorktree(services.tools, services, kept);
  return kept;
}

/** The repository of a run in a worktree. Throws WORKTREE_REFUSED. */
export function repositoryOf({ tools, projectDirectory }: RunServices): { top: string; common: string } {
  const { fileSystem } = tools;
  const top = findRepositoryTop(fileSystem, fileSystem.resolve(projectDirectory));
  const common = top === undefined ? undefined : gitCommonDirectory(fileSystem, top);
  if (top !== undefined && common !== undefined) return { top, common };
  throw new WorktreeRefusedError(`${visibleLine(projectDirectory)} is not in a git repository`, {
    hint: 'A worktree needs one. Run without --worktree, or make one: `git init`, and a first commit.',
  });
}

/** An id whose branch and directory are free. */
async function freePlace(
  services: RunServices,
  {
    top,
    name: wished,
    root,
    sessionId: decided,
  }: {
    readonly top: string;
    readonly name: string;
    readonly root: string;
    readonly sessionId: string | undefined;
  },
): Promise<{ sessionId: string; branch: string; path: string }> {
  const { tools } = services;
  for (let left = TRIES; left > 0; left -= 1) {
    const sessionId = decided ?? tools.ids.uuid();
    // If the id is fixed, the name must differ.
    const name = decided === undefined || left === TRIES ? wished : `${wished}-${TRIES - left + 1}`;
    const branch = branchOf(name, sessionId);
    const path = join(root, directoryOf(basename(top), name, sessionId));
    const isTaken =
      lookAt(tools.fileSystem, path) !== undefined || isPathKnown(tools.fileSystem, services, path);
    if (!isTaken && (await findBranch(services.workbench(), top, branch)) === undefined)
      return { sessionId, branch, path };
  }
  throw new WorktreeRefusedError(`There are too many worktrees named ${visibleLine(wished)}`, {
    hint: 'Choose another name: --worktree <name>.',
  });
}

/** A plan in the repository keeps its path; one from elsewhere keeps its name. */
function planName(top: string, path: string): string {
  const inside = relative(top, path);
  return inside.startsWith('..') || resolve(inside) === inside ? basename(path) : inside;
}

/**
 * Makes the worktree of a record ready for an agent. It continues after a crash, and makes a removed worktree again;
 * finished steps are not repeated. Throws LOCKED, WORKTREE_SETUP_FAILED, WORKTREE_BRANCH_GONE, PLAN_NOT_FOUND, GIT_FAILED,
 * ABORTED.
 */
export async function prepareWorktree(
  services: RunServices,
  intended: WorktreeRecord,
  options: PrepareOptions,
): Promise<WorktreeRecord> {
  const { tools, runs } = services;
  const directory = join(runs, intended.sessionId);
  ensureDirectory(tools.fileSystem, runs);
  ensureDirectory(tools.fileSystem, directory);
  using _lock = await acquireLock(tools, join(directory, 'worktree'), { waitMs: 0 });
  // Programs that a dead process started must not keep running next to us.
  services.programs.endOrphans();
  keepPlan(services, intended);
  let kept = withProgress(services, intended);
  const reach = (change: Partial<WorktreeRecord>) => {
    kept = { ...kept, ...change };
    writeWorktree(tools, services, kept);
  };
  if (!isWorktreeThere(tools.fileSystem, kept) && kept.step !== 'intended')
    reach({ status: 'preparing', step: 'intended' });
  if (kept.step === 'intended') {
    await makeWorktree(services, kept);
    reach({ step: 'checked-out' });
    await tellSubmodules(services, kept, options);
  }
  if (kept.step === 'checked-out') {
    const included = await listIncluded(services, kept, options);
    if (included.length > 0)
      options.tell(
        `copying ${counted(included.length, 'untracked file')} into the worktree (.worktreeinclude):`,
      );
    for (const path of included) options.tell(`  ${visibleLine(path)}`);
    for (const path of included) copyIncluded(services, kept, path, options);
    reach({ step: 'included', included });
  }
  if (options.signal.aborted) throw new AbortedError('The run');
  if (kept.step === 'included') {
    await runSetup(services, kept, options);
    reach({ step: 'set-up' });
  }
  if (kept.status !== 'ready') reach({ status: 'ready' });
  return kept;
}

/** The record with the steps that another process may have finished before we had the lock. */
function withProgress(services: RunServices, intended: WorktreeRecord): WorktreeRecord {
  const now = worktreeAt(services.tools.fileSystem, services, intended.path);
  if (now?.sessionId !== intended.sessionId) return intended;
  const { status, step, included } = now;
  return { ...intended, status, step, included };
}

/** Keeps the plan as it was when the run was requested; the kept copy is never rewritten. */
function keepPlan(services: RunServices, kept: WorktreeRecord): void {
  const { tools } = services;
  // A change is in the work tree itself.
  if (isChangePlan(kept)) return;
  const path = join(plansPlace(services, kept), kept.plan);
  if (lookAt(tools.fileSystem, path) !== undefined) return;
  const text = readUserFile(tools.fileSystem, kept.planSource);
  if (text === undefined) throw new PlanNotFoundError(kept.planSource);
  ensureDirectory(tools.fileSystem, dirname(path));
  createFile(tools, path, text);
}

async function makeWorktree(services: RunServices, kept: WorktreeRecord): Promise<void> {
  const { fileSystem } = services.tools;
  const { path, branch } = kept;
  const workbench = services.workbench();
  const top = topFor(services, kept);
  ensureDirectory(fileSystem, dirname(path));
  const known = await listWorktrees(workbench, top);
  const elsewhere = known.find((one) => one.branch === branch && one.path !== path);
  if (elsewhere !== undefined && lookAt(fileSystem, elsewhere.path) !== undefined)
    throw new WorktreeRefusedError(
      `The branch ${visibleLine(branch)} is checked out in ${visibleLine(elsewhere.path)}`,
      { hint: 'Switch to another branch there; two worktrees with one branch would undo each other’s work.' },
    );
  const isRegistered = known.some((one) => one.path === path && one.branch === branch);
  if (!isRegistered || !hasGitFile(services, kept)) {
    tidyLeftOver(services, kept);
    const commit = await findBranch(workbench, top, branch);
    if (commit === undefined && hasLoop(services, kept)) throw new WorktreeBranchGoneError(kept);
    await registerWorktree(workbench, top, {
      path,
      branch,
      ...(commit === undefined ? { from: kept.baseCommit } : {}),
    });
  }
  await unlockWorktree(workbench, top, path);
  removeStaleIndexLock(services, kept);
  await checkOutFiles(workbench, path);
}

function hasLoop(services: RunServices, kept: WorktreeRecord): boolean {
  return lookAt(services.tools.fileSystem, loopPlace(services, kept)) !== undefined;
}

/** Where git is asked about the repository: the place it was made from, otherwise its own directory. */
export function topFor(
  { tools }: Pick<RunServices, 'tools'>,
  { repository, gitCommonDirectory: common }: WorktreeRecord,
): string {
  const isThere = gitCommonDirectory(tools.fileSystem, repository) === common;
  return isThere ? repository : common;
}

function hasGitFile({ tools }: RunServices, { path }: WorktreeRecord): boolean {
  return lookAt(tools.fileSystem, join(path, '.git'))?.kind === 'file';
}

/** A killed git leaves at most a directory with its one file in it. Anything else is not ours to touch. */
function tidyLeftOver({ tools }: RunServices, { path }: WorktreeRecord): void {
  const { fileSystem } = tools;
  if (lookAt(fileSystem, path) === undefined) return;
  const names = listDirectory(fileSystem, path);
  if (names.some((name) => name !== '.git'))
    throw new WorktreeRefusedError(`${visibleLine(path)} exists and is not a worktree of the repository`, {
      hint: 'Look at what is in it and move it away; then run the same command again.',
    });
  if (names.includes('.git')) removeQuietly(fileSystem, join(path, '.git'));
  attempt(path, 'remove', () => fileSystem.removeDirectory(path));
}

/** Nothing else works in a worktree that is being prepared, so a lock there was left by a killed git. */
function removeStaleIndexLock(
  { tools }: RunServices,
  { path, gitCommonDirectory: common }: WorktreeRecord,
): void {
  const named = /^gitdir: (.+)$/m.exec(readFile(tools.fileSystem, join(path, '.git')) ?? '')?.[1];
  if (named === undefined || dirname(resolve(path, named)) !== join(common, 'worktrees')) return;
  const lock = join(resolve(path, named), 'index.lock');
  if (lookAt(tools.fileSystem, lock) !== undefined) removeQuietly(tools.fileSystem, lock);
}

async function tellSubmodules(
  services: RunServices,
  { path }: WorktreeRecord,
  { tell }: PrepareOptions,
): Promise<void> {
  if (lookAt(services.tools.fileSystem, join(path, '.gitmodules')) === undefined) return;
  const submodules = await listSubmodulePaths(services.workbench(), path);
  if (submodules.length === 0) return;
  const names = submodules.map(visibleLine).join(', ');
  tell(
    `note: submodules are not checked out in the worktree: ${names}. If the checks need them, let worktree.setup do it: git submodule update --init`,
  );
}

/** The files that `.worktreeinclude` names: regular ones that git does not track, by their real path in the repository. */
async function listIncluded(
  services: RunServices,
  { repository }: WorktreeRecord,
  { tell }: PrepareOptions,
): Promise<string[]> {
  const { fileSystem } = services.tools;
  const file = join(repository, '.worktreeinclude');
  const kind = lookAt(fileSystem, file)?.kind;
  if (kind === undefined) return [];
  if (kind !== 'file') {
    tell('note: .worktreeinclude is not a regular file and is ignored');
    return [];
  }
  const patterns = parseInclude(readFile(fileSystem, file) ?? '');
  tellRefused(patterns, tell);
  const wanted = (await listUntracked(services.workbench(), repository)).filter(patterns.isWanted);
  const regular = wanted.filter((path) => isRegular(services, repository, path));
  if (regular.length > MAX_INCLUDED)
    throw new WorktreeRefusedError(
      `.worktreeinclude names ${counted(regular.length, 'file')}, more than ${MAX_INCLUDED}`,
      { hint: 'Name fewer, and let worktree.setup in your own config make the rest (such as `npm ci`).' },
    );
  for (const path of wanted)
    if (!regular.includes(path))
      tell(`note: not copied because it is not a regular file: ${visibleLine(path)}`);
  return regular.sort();
}

function tellRefused({ refused }: IncludePatterns, tell: (words: string) => void): void {
  for (const line of refused)
    tell(`note: .worktreeinclude: this line is not allowed and is ignored: ${visibleLine(line)}`);
}

function isRegular({ tools }: RunServices, repository: string, path: string): boolean {
  const full = join(repository, path);
  return lookAt(tools.fileSystem, full)?.kind === 'file' && realPath(tools.fileSystem, full) === full;
}

/** Existing files stay: one may be a copy from before a crash, or belong to the branch. */
function copyIncluded(
  services: RunServices,
  { repository, path: worktree }: WorktreeRecord,
  path: string,
  { tell }: PrepareOptions,
): void {
  const { tools } = services;
  const { fileSystem } = tools;
  const [source, target] = [join(repository, path), join(worktree, path)];
  const content = isRegular(services, repository, path) ? readBytes(fileSystem, source) : undefined;
  const isPlace = content !== undefined && makeParents(services, worktree, dirname(path));
  if (!isPlace || lookAt(fileSystem, target) !== undefined) {
    if (!isPlace) tell(`note: not copied: ${visibleLine(path)}`);
    return;
  }
  const mode = (lookAt(fileSystem, source)?.mode ?? 0o600) & 0o700;
  updateUserFile(tools, target, (there) => (there === undefined ? content : undefined), mode | 0o600);
}

/** Makes the directories of a file in the worktree; false if a link would lead elsewhere. */
function makeParents({ tools }: Pick<RunServices, 'tools'>, worktree: string, directory: string): boolean {
  if (directory === '.' || directory === '') return true;
  if (!makeParents({ tools }, worktree, dirname(directory))) return false;
  const full = join(worktree, directory);
  const kind = lookAt(tools.fileSystem, full)?.kind;
  if (kind === undefined)
    attempt(full, 'create the directory', () => tools.fileSystem.makeDirectory(full, 0o755));
  return (kind ?? 'directory') === 'directory';
}

/** Runs the person's own command, from their own config: nothing in the repository names a program. */
async function runSetup(
  services: RunServices,
  { path, sessionId, repository, branch }: WorktreeRecord,
  { tell, signal }: PrepareOptions,
): Promise<void> {
  const { setup } = services.settings.worktree;
  if (setup === undefined || setup.trim() === '') return;
  tell(`setting up the worktree: ${visibleLine(setup)}`);
  const logPath = setupLogPlace(services, sessionId);
  const tail: string[] = [];
  const program = await startProgram(services.driverTools, {
    command: 'sh',
    args: ['-c', `exec 2>&1\n${setup}`],
    workingDirectory: path,
    environment: {
      ...services.environment,
      HOLDFAST_WORKTREE_REPOSITORY: repository,
      HOLDFAST_WORKTREE_BRANCH: branch,
    },
    input: 'closed',
    logPath,
    onLine: (line) => {
      if (line.trim() !== '') tail.splice(0, tail.length, line);
    },
  });
  const timer = new AbortController();
  const tooLate = services.clock.sleep(SETUP_TIMEOUT_MS, timer.signal).catch(() => {});
  const aborted = new Promise<void>((done) => signal.addEventListener('abort', () => done(), { once: true }));
  await Promise.race([program.exited, tooLate, ...(signal.aborted ? [] : [aborted])]);
  timer.abort();
  const hasEnded = program.exit !== undefined;
  const exit = await program.stop({ graceMs: 0, termMs: 0 });
  if (signal.aborted && !hasEnded) throw new AbortedError('The setup of the worktree');
  if (hasEnded && exit.code === 0) return;
  const reason = hasEnded ? `exit code ${exit.code ?? exit.signal}` : 'it did not end within an hour';
  throw new WorktreeSetupError(reason, tail[0] ?? '', logPath);
}
