import { join } from 'node:path';
import type { QuestionSessionsOptions } from '../../sessions/question/index.js';
import type { LockTools } from '../../storage/index.js';

/** The leases under which runs of the fleet work here. Most machines never had one: then a look is all it costs. */
export function runLeases(tools: LockTools, fleet: string): NonNullable<QuestionSessionsOptions['leases']> {
  return {
    areAny: () => tools.fileSystem.look(join(fleet, 'leases')) !== undefined,
    async assertHolds(run) {
      const { assertLeaseHolds } = await import('./lease-holds.js');
      assertLeaseHolds(tools, fleet, run);
    },
  };
}
