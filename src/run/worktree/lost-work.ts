import { counted, visibleLine } from '../../foundation/index.js';
import { compareToBase } from '../../workspace/index.js';
import type { RunServices } from '../open/run-services.js';
import { topFor } from './prepare.js';
import type { WorktreeRecord } from './record.js';

const MAX_NAMED = 10;

/** Which uncommitted work was lost with a removed worktree, as far as it was measured; for a person. */
export async function describeLost(services: RunServices, worktree: WorktreeRecord): Promise<string> {
  const state = services.openLoops().get()?.state;
  const measured = state?.filesChanged ?? undefined;
  if (measured === undefined)
    return 'What was not committed there is lost; which files that affects was not measured';
  const committed = await compareToBase(services.workbench(), topFor(services, worktree), worktree);
  const lost = measured.map(({ path }) => path).filter((path) => committed?.has(path) !== true);
  if (lost.length === 0)
    return 'As last measured, every file that it had changed is committed; later changes are lost';
  const named = lost.slice(0, MAX_NAMED).map(visibleLine).join(', ');
  const more = lost.length > MAX_NAMED ? ` and ${lost.length - MAX_NAMED} more` : '';
  return `Lost with it, as last measured: ${counted(lost.length, 'file')} that ${lost.length === 1 ? 'was' : 'were'} not committed (${named}${more})`;
}
