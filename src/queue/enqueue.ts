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

/** What a person wants to queue. */
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

/** What queueing needs to know about the place where it happens. */
export interface QueueingPlace extends PlanPlace {
  readonly workspace: WorkspaceTools;
  readonly now: Date;
  /** Whether other machines can take what is queued. */
  readonly isShared?: boolean | undefined;
}

/** An entry as it would be queued, with the content of its plan. */
export interface PlannedEntry {
  readonly entry: NewEntry;
  readonly content: ReadPlan['content'];
}

/**
 * Works out what would be queued and writes nothing. Throws PLAN_NOT_FOUND, PLAN_NOT_QUEUED, INVALID_INPUT,
 * CHANGE_NOT_FOUND, GIT_FAILED.
 */
export async function planEntries(
  queue: Pick<Queue, 'get'>,
  place: QueueingPlace,
  wishes: QueueWishes,
): Promise<PlannedEntry[]> {
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
    throw new InvalidInputError('Give either plans, --change <name> or --from <tasks.md>', {
      hint: 'For example: `holdfast queue add docs/prps/login.md docs/prps/search.md`.',
    });
  if (change !== undefined) return [readChange(place, change)];
  return from === undefined ? plans.map((plan) => readPrp(place, plan)) : readTasks(place, from);
}

/** Where the work happens: in place, in the worktree of an earlier entry, or in a new one from a commit. */
async function spotOf(
  place: QueueingPlace,
  { isInPlace, base }: QueueWishes,
  before: readonly Entry[],
): Promise<Pick<NewEntry, 'project' | 'repository' | 'base' | 'continues' | 'isInPlace'>> {
  const { fileSystem, project, workspace } = place;
  const top = findRepositoryTop(fileSystem, fileSystem.resolve(project));
  const repository = top === undefined ? undefined : gitCommonDirectory(fileSystem, top);
  if (isInPlace) {
    if (base !== undefined) throw new InvalidInputError('Use --in-place or --base, not both');
    return { project, repository: repository ?? null, base: null, continues: null, isInPlace };
  }
  if (top === undefined || repository === undefined)
    throw new PlanNotQueuedError(`${visibleLine(project)} is not in a git work tree`, {
      hint: place.isShared === true ? SHARED_WANTS : WANTS,
    });
  const earlier = before.filter((one) => one.repository === repository && !one.isInPlace);
  const continues = base === undefined ? (earlier.at(-1)?.id ?? null) : null;
  const commit =
    base === undefined ? (await findBase(workspace, top))?.commit : await findCommit(workspace, top, base);
  if (commit === undefined)
    throw base === undefined
      ? new PlanNotQueuedError(`${visibleLine(top)} has no commit yet, and a worktree starts from one`, {
          hint: 'Commit something first, or use --in-place.',
        })
      : new InvalidInputError(`There is no commit ${visibleExcerpt(base, 80)} in ${visibleLine(top)}`, {
          place: 'base',
        });
  return { project, repository, base: continues === null ? commit : null, continues, isInPlace };
}

const WANTS =
  'Each entry gets a git worktree of its own, and a bare repository has no files to begin with. Use --in-place to work in the directory itself.';
/** Lists every requirement at once, so that a person need not discover them one after the other. */
const SHARED_WANTS =
  'Other machines get it with git, so it needs a repository whose commit is at a remote (git init, git commit, git remote add origin <url>, git push). Or use --local --in-place to work in the directory itself, on this machine alone.';

function missing(id: string): never {
  throw new EntryNotFoundError(id);
}
