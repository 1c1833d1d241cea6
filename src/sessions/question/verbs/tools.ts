import type { Actor, Clock, Ids, Logger } from '../../../foundation/index.js';
import type { FileSystem, ProcessIdentity } from '../../../storage/index.js';
import type { QuestionLimits } from '../check-questions.js';
import type { QuestionStore } from '../store.js';

/** What every verb of question sessions needs. */
export interface QuestionTools {
  readonly store: QuestionStore;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Logger;
  readonly fileSystem: FileSystem;
  /** Who we are, for the asker's record and for judging whether others are gone. */
  readonly identity: ProcessIdentity;
  /** Who decides through this object, for whoever wants to know who gave an answer; `library` if absent. */
  readonly actor?: Actor | undefined;
  readonly limits: QuestionLimits;
  /** How many sets may be pending. */
  readonly maxSessions: number;
  /** How long a set that is not pending is kept after its last activity. */
  readonly retentionMs: number;
  /** When a new set times out; 0 = never. */
  readonly timeoutMs: number;
  /** What runs of the fleet work here under; absent where runs stay where they are. */
  readonly leases?: RunLeases | undefined;
}

/** The leases of this machine. */
export interface RunLeases {
  /** Whether there was ever one. */
  areAny(): boolean;
  /** Throws RUN_MAY_HAVE_MOVED where that of this run is over: another machine may be at it by now. */
  assertHolds(run: string): Promise<void>;
}
