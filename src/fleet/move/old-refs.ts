import { type Clock, isHoldfastError, type Logger, messageOf } from '../../foundation/index.js';
import type { Checkpoints, EndedRunRow } from '../../hub/index.js';
import { type LockTools, lookAt } from '../../storage/index.js';
import {
  hasCommit,
  isInHistory,
  listRemoteRefs,
  removeRemoteRefs,
  type WorkspaceTools,
} from '../../workspace/index.js';
import { bringCommit, type FleetRepository, openRepository, repositoryPlace } from './repository.js';

export interface OldRefsOptions {
  readonly tools: LockTools;
  readonly workbench: WorkspaceTools;
  /** `<state>/fleet`. */
  readonly directory: string;
  readonly clock: Clock;
  readonly log: Logger;
  checkpoints(): Promise<Checkpoints>;
}

const EVERY_MS = 24 * 3_600_000;
const PATTERNS = ['refs/holdfast/*', 'refs/heads/holdfast/*'] as const;
const REF = /^refs\/(?:heads\/)?holdfast\/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\/\d+$/;

/** Removes old refs now and once a day until the signal fires. Never throws: a failure is retried the next day. */
export async function keepRefsTidy(options: OldRefsOptions, signal: AbortSignal): Promise<void> {
  const { clock, log } = options;
  while (!signal.aborted) {
    try {
      await removeOldRefs(options, signal);
    } catch (error) {
      const level = isHoldfastError(error) ? 'info' : 'error';
      log[level]('fleet.refs-not-removed', { error: messageOf(error) });
    }
    await clock.sleep(EVERY_MS, signal).catch(() => {});
  }
}

/**
 * Removes the refs of runs that ended long ago from the git servers this machine had work from; returns how many. It
 * compares what is there with what the hub says, so it need not remember what was removed. A ref stays if the hub does
 * not know its run, or if it contains the commit that another run starts from. Throws as the hub.
 */
export async function removeOldRefs(options: OldRefsOptions, signal?: AbortSignal): Promise<number> {
  const { tools, directory, log } = options;
  const hub = await options.checkpoints();
  const ended = await hub.longEnded();
  if (ended.length === 0) return 0;
  const bases = await hub.openBases();
  let removed = 0;
  for (const url of new Set(ended.map(({ repository }) => repository))) {
    if (signal?.aborted) break;
    if (lookAt(tools.fileSystem, repositoryPlace(directory, url)) === undefined) continue;
    const runs = new Map(
      ended.filter(({ repository }) => repository === url).map((row) => [row.run, row] as const),
    );
    try {
      removed += await removeIn(options, url, runs, bases);
    } catch (error) {
      // A server that is unreachable, or that lets nobody remove anything: the others are checked all the same.
      if (!isHoldfastError(error)) throw error;
      log.info('fleet.refs-not-removed', { error: messageOf(error) });
    }
  }
  if (removed > 0) log.info('fleet.refs-removed', { removed });
  return removed;
}

async function removeIn(
  options: OldRefsOptions,
  url: string,
  runs: ReadonlyMap<string, EndedRunRow>,
  bases: readonly string[],
): Promise<number> {
  const { tools, workbench, directory } = options;
  const repository = await openRepository(tools, workbench, directory, url);
  const old = new Map<string, string>();
  for (const [ref, commit] of await listRemoteRefs(workbench, repository, PATTERNS)) {
    const run = runs.get(REF.exec(ref)?.[1] ?? '');
    if (run === undefined) continue;
    const others = bases.filter((base) => base !== run.base);
    if (!(await isBaseOf(options, repository, { ref, commit }, others))) old.set(ref, commit);
  }
  if (old.size > 0) await removeRemoteRefs(workbench, repository, old);
  return old.size;
}

/** Whether one of these commits is in the history that a ref keeps at the server. */
async function isBaseOf(
  { tools, workbench }: OldRefsOptions,
  repository: FleetRepository,
  { ref, commit }: { readonly ref: string; readonly commit: string },
  bases: readonly string[],
): Promise<boolean> {
  if (bases.length === 0) return false;
  await bringCommit(tools, workbench, repository, { commit, ref });
  for (const earlier of bases)
    if (
      (await hasCommit(workbench, repository, earlier)) &&
      (await isInHistory(workbench, repository, { earlier, commit }))
    )
      return true;
  return false;
}
