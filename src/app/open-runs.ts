import { type Runs, readRunRecords, reportRun } from '../run/index.js';
import { readRunStatus } from '../run/run-status.js';
import { openLoops } from './loops.js';
import { runServices } from './run-services.js';
import { runShelf } from './run-shelf.js';
import type { Services } from './services.js';

/** The runs of the project that the services work in. */
export function openRuns(services: Services): Runs {
  return {
    status: () => readRunStatus(runShelf(services), openLoops(services)),
    report: async (session) => reportRun(await readRunRecords(runServices(services), session)),
  };
}
