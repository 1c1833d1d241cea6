import {
  count,
  filledText,
  flag,
  isUuidV4,
  listOf,
  named,
  nullable,
  number,
  oneOf,
  optional,
  record,
  text,
  textThat,
  time,
  type ValueOf,
  whole,
  withDefault,
} from '../foundation/index.js';
import { DOCUMENT_VERSION } from '../storage/index.js';
import { entryLifecycle } from './lifecycle.js';

const absolute = textThat((path) => path.startsWith('/'), 'not an absolute path');
const uuid = textThat(isUuidV4, 'not a UUID v4');
const inside = textThat(
  (path) => path !== '' && !path.startsWith('/') && !path.split('/').includes('..'),
  'not a path inside of a directory',
);

/** What happens to what comes after an entry that failed. */
export const FAILURE_POLICIES = ['stop', 'continue', 'ask'] as const;
export type FailurePolicy = (typeof FAILURE_POLICIES)[number];

/** What a run is started with, as it was typed. */
const EntryOptions = record({
  agent: optional(filledText),
  model: optional(filledText),
  verify: withDefault(listOf(text), () => []),
  prepare: optional(filledText),
  phases: optional(filledText),
  permissions: optional(filledText),
  maxCost: named('max_cost', optional(number(0))),
  maxTokens: named('max_tokens', optional(count)),
  maxTime: named('max_time', optional(filledText)),
  account: optional(filledText),
  /** What a machine of the fleet must have to run it. */
  labels: optional(listOf(filledText)),
  isUnattended: named(
    'unattended',
    withDefault(flag, () => false),
  ),
  isDirtyTaken: named(
    'dirty',
    withDefault(flag, () => false),
  ),
});
export type EntryOptions = ValueOf<typeof EntryOptions>;

/** What was known about a file without reading it. */
const SeenFile = record({ inode: number(), size: number(), modifiedMs: named('modified_ms', number()) });
export type SeenFile = ValueOf<typeof SeenFile>;

/** The plan as it was when it was queued: its files are kept beside the entry, and they are what runs. */
const QueuedPlan = record({
  kind: oneOf(['prp', 'change']),
  /** How a person calls it: its path in the repository, or the name of the change. */
  name: filledText,
  /** Where the person has it: the file, or the directory of the change. */
  source: absolute,
  /** SHA-256 over the names and the contents of its files. */
  hash: filledText,
  /** Of a list of tasks: the one that it is. */
  task: optional(filledText),
  /** The file where the person has it, as it was seen then: while it looks the same, it need not be read again. */
  seen: optional(SeenFile),
  /** Its files, by their paths below what is kept. */
  files: listOf(inside, 1),
});
export type QueuedPlan = ValueOf<typeof QueuedPlan>;

/** Who has an entry, for people: the lock decides. */
const WorkerMark = record({ pid: whole(), host: text, since: time });

/** `queue/entries/<id>.json`. */
export const EntryRecord = record({
  version: withDefault(whole(), () => DOCUMENT_VERSION),
  id: uuid,
  status: oneOf(entryLifecycle.states),
  plan: QueuedPlan,
  /** The top of the work tree that it was queued in. */
  project: absolute,
  /** What all worktrees of its repository share; null without git. */
  repository: nullable(absolute),
  /** Where its branch begins; null in place, and where it goes on with the work of another. */
  base: nullable(filledText),
  /** The entry whose worktree and branch it goes on in. */
  continues: nullable(uuid),
  isInPlace: named('in_place', flag),
  options: EntryOptions,
  after: listOf(uuid),
  notBefore: named('not_before', nullable(time)),
  priority: number(),
  position: number(),
  onFailure: named('on_failure', oneOf(FAILURE_POLICIES)),
  /** How often it may still be started again after a start that prompted nobody. */
  retriesLeft: named('retries_left', count),
  addedAt: named('added_at', time),
  /** The session of its run; decided when it is taken. */
  runId: named('run_id', nullable(uuid)),
  worker: nullable(WorkerMark),
  startedAt: named('started_at', nullable(time)),
  endedAt: named('ended_at', nullable(time)),
  /** Why it failed, or was put back. */
  reason: nullable(text),
  /** Where it ran: what goes on with its work goes there. */
  worktree: nullable(absolute),
  /** What a person was asked about its failure. */
  question: nullable(text),
});
export type Entry = ValueOf<typeof EntryRecord> & {
  /** Of an entry that machines share; absent for one of this machine alone. */
  readonly fleet?: FleetFacts | undefined;
};

/** What an entry of the fleet has besides. Its `project` is where it was queued, on that machine. */
export interface FleetFacts {
  /** The login of who queued it. */
  readonly by: string;
  /** The machine that it was queued on. */
  readonly from: string;
  readonly isFromHere: boolean;
  /** Where its repository is. */
  readonly repository: string;
  /** What a machine must have. */
  readonly labels: readonly string[];
  /** The machine that has it, or had it last. */
  readonly machine: string | null;
  /** How often it was taken: its snapshots are under this number. */
  readonly epoch: number;
  /** Null where nobody has it. */
  readonly lease: FleetLease | null;
  /** Why no worker that is there takes it; null where one may. */
  readonly obstacle: string | null;
}

/** How long its holder gave no sign, and in how long it will be taken over; both on the clock of the database. */
export interface FleetLease {
  readonly quietSeconds: number;
  /** 0 or less: it ended. */
  readonly endsInSeconds: number;
}

/** `queue/queue.json`. */
export const QueueRecord = record({
  version: withDefault(whole(), () => DOCUMENT_VERSION),
  /** Since when nothing is taken; null while everything may be. */
  pausedAt: named('paused_at', nullable(time)),
});
export type QueueRecord = ValueOf<typeof QueueRecord>;
