import { refuseWork, reportWorktree, type WorktreeReport } from '../../run/index.js';
import type { WorktreeRecord } from '../../run/worktree/record.js';
import { runServices } from '../run/run-services.js';
import { type Services, servicesAt } from '../services.js';

export { refuseWork };

/** The current state of a worktree. Only deleting and cleaning need it: lists must not load all that a run needs. */
export async function lookAtWorktree(services: Services, worktree: WorktreeRecord): Promise<WorktreeReport> {
  const there = runServices(servicesAt(services, worktree.path));
  return (await reportWorktree(there, worktree)).report;
}
