import type { Admission, Queue } from '../../queue/index.js';
import type { EntryRunner, WorkerEvent } from '../../worker/index.js';

export interface WorkOptions {
  readonly slots?: number | undefined;
  readonly isOnce?: boolean | undefined;
  /** Take nothing after this time. */
  readonly until?: Date | undefined;
  readonly admission?: Admission | undefined;
  readonly signal: AbortSignal;
  readonly onEvent?: ((event: WorkerEvent) => void) | undefined;
  /** What this machine has, for entries of the fleet that ask for it. */
  readonly labels?: readonly string[] | undefined;
  /** Called when the queue of the fleet cannot be reached, and (with undefined) when it can be again. */
  readonly onFleetTrouble?: ((reason: string | undefined) => void) | undefined;
  /** Called when this home joins or leaves a fleet, with its machine name there; undefined if it is in no fleet. */
  readonly onIdentity?: ((machine: string | undefined) => void) | undefined;
}

/** What a worker serves. */
export interface Served extends AsyncDisposable {
  readonly queue: Queue;
  readonly runner: EntryRunner;
  /** The name of this machine in its fleet; undefined if it is in none now. */
  readonly machine: string | undefined;
  /** Fires when this home becomes another machine, joins another fleet, or leaves: then something else must be served. */
  readonly changed: AbortSignal;
}
