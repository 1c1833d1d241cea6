import { type CatalogKind, type KeptWorktree, worktreeLoopKind } from '../../catalog/index.js';
import { visibleLine } from '../../foundation/index.js';
import type { KeptJournals } from '../../run/journal/keep-journals.js';
import {
  forgetWorktree,
  isWorktreeThere,
  listWorktreeRecords,
  type WorktreeRecord,
  writeWorktree,
} from '../../run/worktree/record.js';
import { gitCommonDirectory } from '../../storage/index.js';
import type { Services } from '../services.js';
import { loopsOfWorktree } from './open-loops.js';

/** The loops of runs in worktrees: those of the current repository, or all of them. */
export function worktreeKinds(
  services: Services,
  journals: KeptJournals,
  { isEverywhere }: { readonly isEverywhere: boolean },
): CatalogKind[] {
  const { tools, log, config, clock } = services;
  const records = listWorktreeRecords({ fileSystem: tools.fileSystem, log }, config.layout);
  if (records.length === 0) return [];
  const common = gitCommonDirectory(tools.fileSystem, services.workingDirectory);
  return (
    records
      // The worktree that we are in is listed as the loop of this directory.
      .filter(({ path }) => path !== config.worktree?.path)
      .filter((one) => isEverywhere || one.gitCommonDirectory === common)
      .map((one) => worktreeKind(services, one, journals, clock))
  );
}

/** The loop of one run in a worktree. */
export function worktreeKind(
  services: Services,
  worktree: WorktreeRecord,
  journals: KeptJournals,
  clock: { now(): Date },
): CatalogKind {
  const loops = loopsOfWorktree(services, worktree);
  return worktreeLoopKind({ loops, clock, kept: keptWorktree(services, worktree, journals) });
}

function keptWorktree(services: Services, worktree: WorktreeRecord, journals: KeptJournals): KeptWorktree {
  const { tools, config } = services;
  const { sessionId, repository, repositoryName, branch } = worktree;
  const looking = () => import('./look-at-worktree.js');
  const note = (status: WorktreeRecord['status']) =>
    writeWorktree(tools, config.layout, { ...worktree, status });
  return {
    repository,
    ...(repositoryName === undefined ? {} : { repositoryName }),
    branch,
    async refuseWork() {
      const { lookAtWorktree, refuseWork } = await looking();
      refuseWork(await lookAtWorktree(services, worktree));
    },
    async advice() {
      const { lookAtWorktree } = await looking();
      const { isThere, isBranchThere, path, commands } = await lookAtWorktree(services, worktree);
      if (!isThere && !isBranchThere) return undefined;
      const words = [...commands.merge, ...commands.discard].map(visibleLine).join(' · ');
      return `its work is in ${visibleLine(path)}; to merge it or discard it: ${words}`;
    },
    remove() {
      journals.remove(sessionId);
      note('removed');
    },
    restore() {
      if (!journals.restore(sessionId)) return false;
      note('ready');
      return true;
    },
    trashed: () => journals.trashed(sessionId).map((entry) => ({ id: sessionId, entry })),
    purge(olderThanMs) {
      if (!journals.purgeOlder(sessionId, olderThanMs)) return [];
      // As long as the worktree exists, its record must say whose it was.
      if (!isWorktreeThere(tools.fileSystem, worktree)) forgetWorktree(tools, config.layout, worktree);
      return [sessionId];
    },
  };
}
