import { type Runs, readRunRecords, reportRun } from '../run/index.js';
import { openRunStatus } from './open-run-status.js';
import { runServices } from './run-services.js';
import type { Services } from './services.js';

/** The runs of the project that the services work in. */
export function openRuns(services: Services): Runs {
  return {
    ...openRunStatus(services),
    report: async (session) => reportRun(await readRunRecords(runServices(services), session)),
  };
}
