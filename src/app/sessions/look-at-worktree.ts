import { refuseWork, reportWorktree, type WorktreeReport } from '../../run/index.js';
import type { WorktreeRecord } from '../../run/worktree/record.js';
import { runServices } from '../run/run-services.js';
import { type Services, servicesAt } from '../services.js';

export { refuseWork };

/** A worktree as it stands now. Only who deletes or cleans wants to know: lists must not load all that a run needs. */
export async function lookAtWorktree(services: Services, worktree: WorktreeRecord): Promise<WorktreeReport> {
  const there = runServices(servicesAt(services, worktree.path));
  return (await reportWorktree(there, worktree)).report;
}
