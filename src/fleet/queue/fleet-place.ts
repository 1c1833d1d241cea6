import type { Entry } from '../../queue/index.js';
import type { RunPlace } from '../../worker/index.js';
import type { LeaseHolder } from './lease.js';

/**
 * Where the run of an entry of the fleet works on this machine, and how it leaves. The one seam between the queue, which takes and
 * holds, and what carries a run from machine to machine.
 */
export interface FleetPlace {
  /**
   * Makes the place ready, or goes on with what is known of the run. Done twice it is done once. Whatever is started there is
   * ended at `lease.deadlineMs` at the latest. Throws ENTRY_PLACE, GIT_FAILED.
   */
  prepare(entry: Entry, lease: LeaseHolder, signal: AbortSignal): Promise<RunPlace>;
  /** Whether what was to end the run is gone, though nobody here ended it: the run ended itself then. */
  isUnguarded(entry: Entry): boolean;
  /** Ends what runs of it here, whole, and waits until it is gone: the lease was lost, or the worker stops. Never throws. */
  end(entry: Entry): Promise<void>;
  /** Brings the iteration to its end and then ends as `end`: the run is wanted elsewhere. Never throws. */
  handOver(entry: Entry, lease: LeaseHolder): Promise<void>;
}
