import type { Entry } from '../../queue/index.js';
import type { EntryPlace } from '../../worker/index.js';
import type { LeaseHolder } from './lease.js';

/**
 * Where the run of a fleet entry works on this machine, and how it leaves. The only seam between the queue, which takes
 * and holds, and what carries a run from machine to machine.
 */
export interface FleetPlace {
  /**
   * Prepares the place, or picks up what is known of the run. Doing it twice has the same effect as once. Whatever is
   * started there is ended no later than `lease.deadlineMs`. Throws ENTRY_PLACE, GIT_FAILED.
   */
  prepare(entry: Entry, lease: LeaseHolder, signal: AbortSignal): Promise<EntryPlace>;
  /** Whether the guard is gone although nobody here ended it: the run has then ended itself. */
  isUnguarded(entry: Entry): boolean;
  /** Ends everything of the run here and waits until it is gone: the lease was lost, or the worker stops. Never throws. */
  end(entry: Entry): Promise<void>;
  /** Finishes the iteration and then ends as `end` does: the run should move elsewhere. Never throws. */
  handOver(entry: Entry, lease: LeaseHolder): Promise<void>;
}
