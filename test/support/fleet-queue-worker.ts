import { bootClock, FleetQueue } from '../../src/fleet/index.js';
import { isHoldfastError, systemClock, systemIds } from '../../src/foundation/index.js';
import { Hub } from '../../src/hub/index.js';
import { nodeFileSystem } from '../../src/storage/index.js';
import { doorTo, workerRules } from './fleet-queues.js';
import { DONE, TAKER } from './queue-entries.js';
import { storageTools } from './storage-tools.js';
import { tempDir } from './temp-dir.js';
import { serve } from './worker-side.js';

export interface Done {
  readonly entry: string;
  readonly epoch: number;
}

/** A worker in its own process that takes and finishes entries until none are left. */
export type FleetQueueWorker = {
  drain(input: { readonly url: string; readonly joinUrl: string }): Promise<{ done: Done[]; cutOff: number }>;
  /** The time according to this process. */
  now(): string;
};

const handlers: FleetQueueWorker = {
  async drain({ url, joinUrl }) {
    await using dir = await tempDir();
    const machine = { id: systemIds.uuid(), name: `m-${process.pid}` };
    {
      await using joining = doorTo(joinUrl);
      const { connection } = await joining.open();
      await new Hub(connection).join({ ...machine, bootId: 'b', version: '1' });
    }
    await using queue = new FleetQueue({
      door: doorTo(url),
      machine,
      tools: storageTools(),
      directory: dir.path,
      boot: bootClock(nodeFileSystem, systemClock),
      repositoryOf: async () => '',
      rules: workerRules(),
    });
    const done: Done[] = [];
    let cutOff = 0;
    for (;;) {
      try {
        const taken = await queue.take(TAKER);
        if (taken === undefined) return { done, cutOff };
        done.push({ entry: taken.entry.id, epoch: taken.fence });
        await taken.finish({ ...DONE, report: null });
      } catch (error) {
        if (!isHoldfastError(error, 'FLEET_UNREACHABLE')) throw error;
        cutOff += 1;
      }
    }
  },
  now: () => new Date().toISOString(),
};

serve(handlers);
