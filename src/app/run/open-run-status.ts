import type { Runs } from '../../run/index.js';
import { readRunStatus } from '../../run/report/run-status.js';
import type { Services } from '../services.js';
import { openLoops } from '../sessions/open-loops.js';
import { runShelf } from './run-shelf.js';

/** The status of this project's run: all that commands that start often need of it. */
export function openRunStatus(services: Services): Pick<Runs, 'status'> {
  return { status: () => readRunStatus(runShelf(services), openLoops(services)) };
}
