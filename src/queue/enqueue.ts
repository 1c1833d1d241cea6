import { InvalidInputError, visibleExcerpt, visibleLine } from '../foundation/index.js';
import { gitCommonDirectory } from '../storage/index.js';
import { findBase, findCommit, findRepositoryTop, type WorkspaceTools } from '../workspace/index.js';
import { EntryNotFoundError } from './errors.js';
import { nextMoment } from './moments.js';
import {
  PlanNotQueuedError,
  type PlanPlace,
  type ReadPlan,
  readChange,
  readPrp,
  readTasks,
} from './plan-content.js';
import type { NewEntry, Queue } from './port.js';
import type { Entry, EntryOptions, FailurePolicy } from './schema.js';

/** What a person wants to be queued. */
export interface QueueWishes {
  readonly plans: readonly string[];
  readonly change?: string | undefined;
  /** A list of tasks, each of which becomes an entry. */
  readonly from?: string | undefined;
  readonly options: EntryOptions;
  /** Full ids. */
  readonly after: readonly string[];
  readonly base?: string | undefined;
  readonly notBefore?: string | undefined;
  readonly priority: number;
  readonly isInPlace: boolean;
  readonly onFailure: FailurePolicy;
  readonly retries: number;
}

/** What queueing needs of the place where it is done. */
export interface QueueingPlace extends PlanPlace {
  readonly workspace: WorkspaceTools;
  readonly now: Date;
  /** Whether what is queued goes to other machines. */
  readonly isShared?: boolean | undefined;
}

/** An entry as it would be queued, and the content of its plan. */
export interface Wanted {
  readonly entry: NewEntry;
  readonly content: ReadPlan['content'];
}

/** Works out what is to be queued; nothing is written. Throws PLAN_NOT_FOUND, PLAN_NOT_QUEUED, INVALID_INPUT, CHANGE_NOT_FOUND, GIT_FAILED. */
export async function planEntries(
  queue: Pick<Queue, 'get'>,
  place: QueueingPlace,
  wishes: QueueWishes,
): Promise<Wanted[]> {
  const plans = readPlans(place, wishes);
  const before: Entry[] = [];
  for (const id of wishes.after) before.push((await queue.get(id)) ?? missing(id));
  const spot = await spotOf(place, wishes, before);
  const { options, priority, onFailure, retries: retriesLeft, notBefore } = wishes;
  return plans.map(({ plan, content }) => ({
    content,
    entry: {
      plan,
      ...spot,
      options: plan.task === undefined ? options : { ...options, phases: options.phases ?? 'work' },
      after: [...wishes.after],
      notBefore: notBefore === undefined ? null : nextMoment(notBefore, place.now).toISOString(),
      priority,
      onFailure,
      retriesLeft,
    },
  }));
}

function readPlans(place: QueueingPlace, { plans, change, from }: QueueWishes): ReadPlan[] {
  const ways = [plans.length > 0, change !== undefined, from !== undefined].filter(Boolean).length;
  if (ways !== 1)
    throw new InvalidInputError('Plans, --change <name> or --from <tasks.md>: one of them', {
      hint: 'Such as `holdfast queue add docs/prps/login.md docs/prps/search.md`.',
    });
  if (change !== undefined) return [readChange(place, change)];
  return from === undefined ? plans.map((plan) => readPrp(place, plan)) : readTasks(place, from);
}

/** Where its work is done: in place, on in the worktree of another, or from a commit of its own. */
async function spotOf(
  place: QueueingPlace,
  { isInPlace, base }: QueueWishes,
  before: readonly Entry[],
): Promise<Pick<NewEntry, 'project' | 'repository' | 'base' | 'continues' | 'isInPlace'>> {
  const { fileSystem, project, workspace } = place;
  const top = findRepositoryTop(fileSystem, fileSystem.resolve(project));
  const repository = top === undefined ? undefined : gitCommonDirectory(fileSystem, top);
  if (isInPlace) {
    if (base !== undefined) throw new InvalidInputError('One of --in-place and --base, not both');
    return { project, repository: repository ?? null, base: null, continues: null, isInPlace };
  }
  if (top === undefined || repository === undefined)
    throw new PlanNotQueuedError(`${visibleLine(project)} is not in a work tree of git`, {
      hint: place.isShared === true ? SHARED_WANTS : WANTS,
    });
  const earlier = before.filter((one) => one.repository === repository && !one.isInPlace);
  const continues = base === undefined ? (earlier.at(-1)?.id ?? null) : null;
  const commit =
    base === undefined ? (await findBase(workspace, top))?.commit : await findCommit(workspace, top, base);
  if (commit === undefined)
    throw base === undefined
      ? new PlanNotQueuedError(`${visibleLine(top)} has no commit yet, and a worktree begins at one`, {
          hint: 'Commit something first, or say --in-place.',
        })
      : new InvalidInputError(`There is no commit ${visibleExcerpt(base, 80)} in ${visibleLine(top)}`, {
          place: 'base',
        });
  return { project, repository, base: continues === null ? commit : null, continues, isInPlace };
}

const WANTS =
  'Each entry gets a git worktree of its own, and a bare repository has no files to begin with. Say --in-place to work in the directory itself.';
/** All that is wanted, so that nobody is told of one thing after the other. */
const SHARED_WANTS =
  'Other machines get it by git: it wants a repository whose commit is at a remote (git init, git commit, git remote add origin <url>, git push). Or say --local --in-place, to work in the directory itself, on this machine alone.';

function missing(id: string): never {
  throw new EntryNotFoundError(id);
}
