import { findId, isHoldfastError, isUuidV4 } from '../../foundation/index.js';
import { type Runs, readGoneRun, readRunRecords, reportRun } from '../../run/index.js';
import { hasDirectory, listDirectory } from '../../storage/index.js';
import { type Services, servicesAt } from '../services.js';
import { openRunStatus } from './open-run-status.js';
import { lookForRun, placeOfRun } from './run-place.js';
import { runServices } from './run-services.js';

export interface RunsOptions {
  /** Whether git may be started to see the current state of a tree; the page server starts nothing. */
  readonly looksAtTree?: boolean | undefined;
}

/** The runs of the project that the services work in. */
export function openRuns(services: Services, options: RunsOptions = {}): Runs {
  return {
    ...openRunStatus(services),
    async report(session) {
      const place = placeOf(services, session);
      if (place !== undefined) return reportRun(await readRunRecords(runServices(place), session, options));
      const gone = await readGone(services, session ?? '');
      // Let the current project report that it does not know the session.
      return reportRun(gone ?? (await readRunRecords(runServices(services), session, options)));
    },
  };
}

/** The services for an earlier run of this project or, by id, of any other; undefined if no project has it. */
function placeOf(services: Services, session: string | undefined): Services | undefined {
  if (session === undefined) return placeOfRun(services);
  try {
    return servicesAt(services, lookForRun(services, session).loops.projectDirectory);
  } catch (error) {
    if (!isHoldfastError(error, 'RUN_NOT_FOUND')) throw error;
    return undefined;
  }
}

/** A run whose project is gone still has its journal. Throws AMBIGUOUS_ID. */
async function readGone(services: Services, session: string) {
  const { fileSystem } = services.tools;
  const { runs } = services.config.layout;
  const ids = hasDirectory(fileSystem, runs) ? listDirectory(fileSystem, runs).filter(isUuidV4) : [];
  const id = findId(ids, session.toLowerCase());
  return id === undefined ? undefined : await readGoneRun(runServices(services), id);
}
