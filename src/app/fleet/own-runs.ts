import type { OwnRuns } from '../../fleet/index.js';
import { startOfDay } from '../../foundation/index.js';
import { steerRun } from '../../run/open/steer-run.js';
import { findRunOf, openAllRuns } from '../overview/open-overview.js';
import { runServices } from '../run/run-services.js';
import type { Services } from '../services.js';

/** The runs of this machine, for its link to the fleet: read from the files, and steered as a person here would steer them. */
export function ownRuns(services: Services): OwnRuns {
  const runs = openAllRuns(services);
  return {
    read: () => runs.read(startOfDay(services.clock.now())),
    find: (id) => runs.find(id),
    ids: () => runs.ids(),
    watch: (onHint) => runs.watch(onHint),
    look: () => runs.lookAtOwners(),
    async steer(id, asked, { actor, request }) {
      const { loops, isArchived } = findRunOf(services, id);
      if (isArchived) {
        const left = loops.archived().find(({ name }) => name === id);
        const isDone = left?.loop.applied(request) !== undefined;
        return { isDone, words: 'A newer run of its project took its place.' };
      }
      return steerRun(runServices(services).at(loops.projectDirectory), asked, {
        sessionId: id,
        actor,
        appliedRequest: request,
        // Never fires: a run must not be left half started.
        signal: new AbortController().signal,
      });
    },
  };
}
