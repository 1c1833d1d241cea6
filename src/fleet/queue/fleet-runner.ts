import { type Logger, messageOf } from '../../foundation/index.js';
import type { Taken } from '../../queue/index.js';
import { type EntryRunner, runnerIn } from '../../worker/index.js';
import type { FleetPlace } from './fleet-place.js';
import type { FleetTaken } from './fleet-queue.js';

/** After more than this many, somebody is killing them on purpose. */
const MAX_GUARDS = 5;

/**
 * Runs entries of the fleet where `place` puts them, and everything else as `local` does. A run of the fleet outlives
 * neither its lease nor the worker: it is ended here before another machine may take it.
 */
export function fleetRunner(place: FleetPlace, local: EntryRunner, log: Logger): EntryRunner {
  return {
    async run(taken, signal) {
      if (!isOfFleet(taken)) return local.run(taken, signal);
      const { entry, lease } = taken;
      const handedOver = new AbortController();
      const handOver = () =>
        void place
          .handOver(entry, lease)
          .catch((error: unknown) => log.error('fleet.not-handed-over', { error: messageOf(error) }))
          .finally(() => handedOver.abort());
      if (lease.wanted.aborted) handOver();
      lease.wanted.addEventListener('abort', handOver, { once: true });
      const runner = runnerIn((_, stop) => place.prepare(entry, lease, stop));
      try {
        for (let guards = 1; ; guards++) {
          const end = await runner.run(taken, AbortSignal.any([signal, handedOver.signal]));
          if (end === undefined || lease.wanted.aborted) break;
          const isUnguarded = place.isUnguarded(entry) && !lease.lost.aborted;
          await place.end(entry);
          if (!isUnguarded || guards === MAX_GUARDS) return end;
          // The run ended itself because it had no guard: that is no result.
          log.warn('fleet.guard-gone', { entry: entry.id });
        }
      } finally {
        lease.wanted.removeEventListener('abort', handOver);
      }
      // Wanted elsewhere, lost, or the worker stops: nothing of it is left here.
      await place.end(entry);
      return undefined;
    },
  };
}

function isOfFleet(taken: Taken): taken is FleetTaken {
  return 'lease' in taken;
}
