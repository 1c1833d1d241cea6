import { type Runs, reportRun } from '../run/index.js';
import { openLoops } from './loops.js';
import { readRunRecords } from './run-records.js';
import { readRunStatus } from './run-status.js';
import type { Services } from './services.js';

/** The runs of the project that the services work in. */
export function openRuns(services: Services): Runs {
  return {
    status: () => readRunStatus(services, openLoops(services)),
    report: async (session) => reportRun(await readRunRecords(services, session)),
  };
}
