import { join } from 'node:path';
import type { QuestionSessionsOptions } from '../../sessions/question/index.js';
import type { LockTools } from '../../storage/index.js';

/** The leases that runs of the fleet hold here. On most machines, which never had one, this costs a single lookup. */
export function runLeases(tools: LockTools, fleet: string): NonNullable<QuestionSessionsOptions['leases']> {
  return {
    areAny: () => tools.fileSystem.look(join(fleet, 'leases')) !== undefined,
    async assertHolds(run) {
      const { assertLeaseHolds } = await import('./lease-holds.js');
      assertLeaseHolds(tools, fleet, run);
    },
  };
}
