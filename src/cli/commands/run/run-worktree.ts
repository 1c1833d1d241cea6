import { join } from 'node:path';
import { openLoops } from '../../../app/index.js';
import { worktreesOf } from '../../../app/run/run-place.js';
import { runServices } from '../../../app/run/run-services.js';
import { type Services, servicesAt } from '../../../app/services.js';
import { AbortedError, counted, visibleLine } from '../../../foundation/index.js';
import {
  checkCostLimit,
  describeLost,
  type FoundRun,
  findRun,
  intendWorktree,
  listUncommitted,
  prepareRun,
  prepareWorktree,
  type RunServices,
  type RunWishes,
  refuseSecondRun,
  repositoryOf,
} from '../../../run/index.js';
import { isWorktreeThere, plansPlace, type WorktreeRecord } from '../../../run/worktree/record.js';
import { type CommandContext, ConfirmationMissingError, UsageError } from '../../command.js';
import { saysYes } from '../../says-yes.js';

/** A run as requested inside its worktree. */
export interface PlacedRun<Values> extends Asked<Values> {
  readonly context: CommandContext;
  readonly plan: string;
}

interface Asked<Values> {
  readonly wishes: RunWishes;
  readonly values: Values;
}

/** The options about the session and its worktree. */
interface WorktreeValues {
  readonly worktree: string | undefined;
  readonly recreate: boolean;
  readonly new: boolean;
  readonly resume: boolean;
  readonly reset: boolean;
  readonly skip: boolean;
  readonly abort: boolean;
  readonly dryRun: boolean;
  readonly dirty: boolean;
}

const OVER: readonly string[] = ['completed', 'aborted'];

/** `--worktree`: makes a worktree, or finds the one that a run of this plan has, and says where it is. */
export async function placeInWorktree<Values extends WorktreeValues>(
  context: CommandContext,
  asked: Asked<Values>,
): Promise<PlacedRun<Values>> {
  const { wishes, values } = asked;
  if (!('prp' in wishes.plan))
    throw new UsageError(
      '--worktree goes with a plan, not with --change: a change keeps its tasks in the tree itself',
      {
        hint: 'Make the worktree yourself and run there: `git worktree add ../<name>`, then `cd ../<name> && holdfast run --change …`.',
      },
    );
  // Even inside one of our worktrees, this asks for another one.
  const own: RunServices = { ...runServices(context.services), worktree: undefined };
  const found = findRun(own, wishes);
  const known = values.new ? undefined : findKnown(context, own, found, values);
  if (known !== undefined) return placeInKnown(context, own, asked, known);
  if (values.resume || values.reset || values.skip || values.abort)
    throw new ConfirmationMissingError(`There is no run of ${visibleLine(found.plan.path)} in a worktree`, {
      hint: 'Leave the option out to start one, or see every run with `holdfast top --once`.',
    });
  if (values.dryRun) throw new UsageError('Use --worktree or --dry-run, not both: a dry run makes nothing');
  const prepared = prepareRun(own, found, true);
  await checkCostLimit(own, prepared, true);
  for (const warning of found.plan.warnings ?? []) context.terminal.note(`note: ${visibleLine(warning)}`);
  if (!values.dirty) await confirmDirtyBase(context, own, found);
  if (context.signal.aborted) throw new AbortedError('The run');
  const { plan } = found;
  const intended = await intendWorktree(own, { name: values.worktree ?? '', planPath: plan.path });
  return makeReady(context, own, asked, intended, true);
}

/** The run of this plan in a worktree of this repository that could continue, or was never started. */
function findKnown(
  { services }: CommandContext,
  own: RunServices,
  { plan }: FoundRun,
  { worktree: name = '' }: WorktreeValues,
): WorktreeRecord | undefined {
  const { common } = repositoryOf(own);
  const known = worktreesOf(services).filter(
    (one) =>
      one.gitCommonDirectory === common &&
      one.planSource === plan.path &&
      (name === '' || one.branch === `holdfast/${name}-${one.sessionId.slice(0, 4)}`) &&
      !OVER.includes(openLoops(servicesAt(services, one.path)).get()?.status ?? ''),
  );
  if (known.length <= 1) return known[0];
  const ids = known.map(({ sessionId }) => sessionId.slice(0, 8)).join(', ');
  throw new ConfirmationMissingError(
    `There are several runs of ${visibleLine(plan.path)} in worktrees: ${ids}`,
    {
      hint: 'Resume one with `holdfast resume <id>`, or use --new to start another beside them.',
    },
  );
}

async function placeInKnown<Values extends WorktreeValues>(
  context: CommandContext,
  own: RunServices,
  asked: Asked<Values>,
  known: WorktreeRecord,
): Promise<PlacedRun<Values>> {
  const there = servicesAt(context.services, known.path);
  const hasLoop = openLoops(there).isFound();
  if (hasLoop) {
    refuseBeside(there, known);
    await confirmRecreation(context, runServices(there), known, asked.values.recreate);
  } else context.terminal.note(`continuing with the worktree that was begun: ${visibleLine(known.path)}`);
  return makeReady(context, own, asked, known, !hasLoop);
}

/** Refuses to start a running one again; --new starts another beside it. */
function refuseBeside(there: Services, { plan, sessionId }: WorktreeRecord): void {
  const loops = openLoops(there);
  if (loops.owner().hold !== 'held') return;
  const prp = join(plansPlace(there.config.layout, { sessionId }), plan);
  refuseSecondRun(
    there,
    findRun(runServices(there), { plan: { prp }, verify: [], budget: {}, isUnattended: true }),
  );
}

/** Uncommitted work in a removed worktree is lost; says so before the run continues without it. Throws CONFIRMATION_MISSING. */
export async function confirmRecreation(
  { terminal, isJson }: CommandContext,
  there: RunServices,
  known: WorktreeRecord,
  isConfirmed: boolean,
): Promise<void> {
  if (isWorktreeThere(there.tools.fileSystem, known)) return;
  const lost = await describeLost(there, known);
  const words = `The worktree ${visibleLine(known.path)} was removed. ${lost}`;
  if (isConfirmed) {
    terminal.note(words);
    return;
  }
  if (terminal.isInteractive && !isJson) {
    terminal.complain(words);
    if (await saysYes(terminal, `Make it again from ${visibleLine(known.branch)}?`)) return;
  }
  throw new ConfirmationMissingError(words, {
    hint: `Use --recreate to make it again from its branch ${visibleLine(known.branch)}.`,
  });
}

async function makeReady<Values extends WorktreeValues>(
  context: CommandContext,
  own: RunServices,
  { wishes, values }: Asked<Values>,
  intended: WorktreeRecord,
  isNew: boolean,
): Promise<PlacedRun<Values>> {
  const { services, terminal, signal } = context;
  const tell = (words: string) => terminal.note(words);
  const ready = await prepareWorktree(own, intended, { tell, signal });
  tell(`worktree ${visibleLine(ready.path)} on ${visibleLine(ready.branch)}, from ${baseWords(ready)}`);
  const there = servicesAt(services, ready.path);
  const plan = join(plansPlace(there.config.layout, ready), ready.plan);
  return {
    context: { ...context, services: there },
    plan,
    values: { ...values, worktree: undefined, recreate: false, new: false, dirty: isNew || values.dirty },
    wishes: { ...wishes, plan: { prp: plan } },
  };
}

function baseWords({ baseBranch, baseCommit }: WorktreeRecord): string {
  const commit = baseCommit.slice(0, 8);
  return baseBranch === null ? commit : `${visibleLine(baseBranch)} (${commit})`;
}

async function confirmDirtyBase(context: CommandContext, own: RunServices, found: FoundRun): Promise<void> {
  const { terminal } = context;
  const { top } = repositoryOf(own);
  const files = await listUncommitted(own, { ...found, projectDirectory: top });
  if (files.length === 0) return;
  const words = `${counted(files.length, 'uncommitted file')}: uncommitted changes are not in the worktree`;
  if (terminal.isInteractive && (await saysYes(terminal, `${words}. Start anyway?`))) return;
  throw new ConfirmationMissingError(words, { hint: 'Commit what the run needs first, or use --dirty.' });
}
