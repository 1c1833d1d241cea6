import type { Actor, Clock, Ids, Logger } from '../../foundation/index.js';
import type { FileSystem, ProcessIdentity } from '../../storage/index.js';
import type { QuestionLimits } from './check-questions.js';
import type { QuestionStore } from './store.js';

/** What every verb of question sessions needs. */
export interface QuestionTools {
  readonly store: QuestionStore;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Logger;
  readonly fileSystem: FileSystem;
  /** Who we are, for the asker's record and for judging whether other processes are gone. */
  readonly identity: ProcessIdentity;
  /** Who decides through this object, so that others can see who gave an answer; `library` if absent. */
  readonly actor?: Actor | undefined;
  readonly limits: QuestionLimits;
  /** How many sets may be pending. */
  readonly maxSessions: number;
  /** How long a set that is not pending is kept after its last activity. */
  readonly retentionMs: number;
  /** When a new set times out; 0 = never. */
  readonly timeoutMs: number;
  /** The leases that runs of the fleet work under here; absent if runs never move. */
  readonly leases?: RunLeases | undefined;
}

/** The leases of this machine. */
export interface RunLeases {
  /** Whether there has ever been one. */
  areAny(): boolean;
  /** Throws RUN_MAY_HAVE_MOVED if this run's lease is over: another machine may have taken the run over. */
  assertHolds(run: string): Promise<void>;
}
