import { isHoldfastError } from '../foundation/index.js';
import { type Runs, readRunRecords, reportRun } from '../run/index.js';
import { openRunStatus } from './open-run-status.js';
import { lookForRun, placeOfRun } from './run-place.js';
import { runServices } from './run-services.js';
import { type Services, servicesAt } from './services.js';

/** The runs of the project that the services work in. */
export function openRuns(services: Services): Runs {
  return {
    ...openRunStatus(services),
    report: async (session) =>
      reportRun(await readRunRecords(runServices(placeOf(services, session)), session)),
  };
}

/** An earlier run of this project, and one of any other by its id. */
function placeOf(services: Services, session: string | undefined): Services {
  if (session === undefined) return placeOfRun(services);
  try {
    return servicesAt(services, lookForRun(services, session).loops.projectDirectory);
  } catch (error) {
    // Then the project that we are in says what it does not know.
    if (!isHoldfastError(error, 'RUN_NOT_FOUND')) throw error;
    return services;
  }
}
