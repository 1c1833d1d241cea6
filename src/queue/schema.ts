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

/** What happens to the entries that come after a failed one. */
export const FAILURE_POLICIES = ['stop', 'continue', 'ask'] as const;
export type FailurePolicy = (typeof FAILURE_POLICIES)[number];

/** The options of a run, as typed. */
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
  /** The labels a machine of the fleet must have to run it. */
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

/** The plan as it was when it was queued: its files are kept beside the entry, and the run uses those. */
const QueuedPlan = record({
  kind: oneOf(['prp', 'change']),
  /** The name a person uses: its path in the repository, or the name of the change. */
  name: filledText,
  /** Where the person has it: the file, or the directory of the change. */
  source: absolute,
  /** SHA-256 of the names and contents of its files. */
  hash: filledText,
  /** The task, if it comes from a list of tasks. */
  task: optional(filledText),
  /** The person's file, as it looked then: while it looks the same, it need not be read again. */
  seen: optional(SeenFile),
  /** The paths of its files, relative to where they are kept. */
  files: listOf(inside, 1),
});
export type QueuedPlan = ValueOf<typeof QueuedPlan>;

/** Who has an entry, for people to read: only the lock decides. */
const WorkerMark = record({ pid: whole(), host: text, since: time });

/** `queue/entries/<id>.json`. */
export const EntryRecord = record({
  version: withDefault(whole(), () => DOCUMENT_VERSION),
  id: uuid,
  status: oneOf(entryLifecycle.states),
  plan: QueuedPlan,
  /** The top of the work tree it was queued in. */
  project: absolute,
  /** The directory that all worktrees of its repository share; null without git. */
  repository: nullable(absolute),
  /** The commit its branch starts at; null if it runs in place or continues the work of another entry. */
  base: nullable(filledText),
  /** The entry whose worktree and branch it continues in. */
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
  /** The session of its run; chosen when it is taken. */
  runId: named('run_id', nullable(uuid)),
  worker: nullable(WorkerMark),
  startedAt: named('started_at', nullable(time)),
  endedAt: named('ended_at', nullable(time)),
  /** Why it failed, or was put back. */
  reason: nullable(text),
  /** Where it ran; an entry that continues its work runs there, too. */
  worktree: nullable(absolute),
  /** The question a person was asked about its failure. */
  question: nullable(text),
});
export type Entry = ValueOf<typeof EntryRecord> & {
  /** Present if machines share the entry; absent if it belongs to this machine alone. */
  readonly fleet?: FleetFacts | undefined;
};

/** What an entry of the fleet has in addition. Its `project` is where it was queued, on that machine. */
export interface FleetFacts {
  /** The login of the person who queued it. */
  readonly by: string;
  /** The machine it was queued on. */
  readonly from: string;
  readonly isFromHere: boolean;
  /** Where its repository is. */
  readonly repository: string;
  /** The labels a machine must have. */
  readonly labels: readonly string[];
  /** The machine that has it, or had it last. */
  readonly machine: string | null;
  /** How often it was taken; its snapshots are stored under this number. */
  readonly epoch: number;
  /** Null if nobody has it. */
  readonly lease: FleetLease | null;
  /** Why none of the workers takes it; null if one may. */
  readonly obstacle: string | null;
}

/** How long its holder has been silent, and how soon it will be taken over; both by the clock of the database. */
export interface FleetLease {
  readonly quietSeconds: number;
  /** 0 or less: it has ended. */
  readonly endsInSeconds: number;
}

/** `queue/queue.json`. */
export const QueueRecord = record({
  version: withDefault(whole(), () => DOCUMENT_VERSION),
  /** When the queue was paused; null if it is not. */
  pausedAt: named('paused_at', nullable(time)),
});
export type QueueRecord = ValueOf<typeof QueueRecord>;
