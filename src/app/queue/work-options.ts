import type { Admission, Queue } from '../../queue/index.js';
import type { EntryRunner, WorkerEvent } from '../../worker/index.js';

export interface WorkOptions {
  readonly slots?: number | undefined;
  readonly isOnce?: boolean | undefined;
  /** Takes nothing after that. */
  readonly until?: Date | undefined;
  readonly admission?: Admission | undefined;
  readonly signal: AbortSignal;
  readonly onEvent?: ((event: WorkerEvent) => void) | undefined;
  /** What this machine has, for entries of the fleet that ask for it. */
  readonly labels?: readonly string[] | undefined;
  /** Told when the queue of the fleet cannot be asked, and (undefined) when it can again. */
  readonly onFleetTrouble?: ((reason: string | undefined) => void) | undefined;
  /** Told when this home joined or left meanwhile, with the machine that it is now; undefined where it is in no fleet. */
  readonly onIdentity?: ((machine: string | undefined) => void) | undefined;
}

/** What a worker serves. */
export interface Served extends AsyncDisposable {
  readonly queue: Queue;
  readonly runner: EntryRunner;
  /** What this machine is called in its fleet; undefined where it is in none now. */
  readonly machine: string | undefined;
  /** Fires when this home is another machine, in another fleet, or in none: then something else is to be served. */
  readonly changed: AbortSignal;
}
