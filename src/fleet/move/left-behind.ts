import { join } from 'node:path';
import {
  filledText,
  isHoldfastError,
  isUuidV4,
  listOf,
  named,
  nullable,
  number,
  optional,
  record,
  text,
  textThat,
  time,
  type ValueOf,
  whole,
  withDefault,
} from '../../foundation/index.js';
import type { CheckpointRow, StandingRow } from '../../hub/index.js';
import { describeAnswers, type QuestionSessions } from '../../sessions/question/index.js';
import {
  DOCUMENT_VERSION,
  ensureDirectory,
  type FileSystem,
  hasDirectory,
  listDirectory,
  readDocument,
  type StorageTools,
  writeDocument,
} from '../../storage/index.js';
import { forgetLease, type LeaseRecord } from './lease-file.js';

/**
 * `<state>/fleet/left-behind/<run>-<epoch>.json`: what this machine had of a run that continued elsewhere without it.
 * It is never merged automatically; a person looks at it.
 */
const LeftBehindFile = record({
  version: withDefault(whole(), () => DOCUMENT_VERSION),
  run: textThat(isUuidV4, 'not a UUID v4'),
  entry: filledText,
  epoch: number(0),
  /** Where its files are. */
  worktree: filledText,
  /** The last snapshot that others have: anything newer exists only here. */
  snapshot: nullable(text),
  /** Where that snapshot can be fetched from. */
  repository: optional(filledText),
  ref: optional(filledText),
  /** Who has it and since when, as far as was known then. */
  machine: nullable(text),
  since: nullable(time),
  notedAt: named('noted_at', time),
  /** Answers that were taken here and never reached an agent. */
  answers: withDefault(listOf(text), () => []),
});
export type LeftBehindRun = ValueOf<typeof LeftBehindFile>;

function placeIn(fleet: string): string {
  return join(fleet, 'left-behind');
}

function write(tools: StorageTools, fleet: string, left: LeftBehindRun): void {
  ensureDirectory(tools.fileSystem, fleet);
  ensureDirectory(tools.fileSystem, placeIn(fleet));
  writeDocument(tools, join(placeIn(fleet), `${left.run}-${left.epoch}.json`), left, LeftBehindFile);
}

/** Records what stays here of a run that this machine takes up again after others had it. */
export function noteLeftBehind(
  tools: StorageTools & { readonly clock: { now(): Date } },
  fleet: string,
  { lease, last }: { readonly lease: LeaseRecord; readonly last: CheckpointRow },
): void {
  const { run, entry, epoch, worktree, repository } = lease;
  const notedAt = tools.clock.now().toISOString();
  const known = {
    snapshot: last.git_oid,
    repository,
    ref: last.git_ref,
    machine: last.machine,
    since: last.at,
  };
  write(tools, fleet, { version: 1, run, entry, epoch, worktree, ...known, notedAt, answers: [] });
}

/**
 * After being away, a machine checks the leases it had: a run that continued elsewhere is left behind. Its open
 * questions here are withdrawn, because nothing waits for them any more. An answer that was given here and never
 * reached the agent is kept with its text.
 */
export async function settleLeftBehind(
  tools: StorageTools & { readonly clock: { now(): Date } },
  fleet: string,
  facts: {
    readonly leases: readonly LeaseRecord[];
    readonly standing: readonly StandingRow[];
    readonly machine: string;
    readonly lastOf: (entry: string) => Promise<CheckpointRow | undefined>;
    /** Nobody works in its worktree here any more. */
    readonly retire: (lease: LeaseRecord) => void;
    readonly questions: QuestionSessions;
  },
): Promise<LeftBehindRun[]> {
  const { leases, standing, machine, lastOf, retire, questions } = facts;
  const left: LeftBehindRun[] = [];
  for (const lease of leases) {
    const now = standing.find(({ entry }) => entry === lease.entry);
    if (now === undefined || now.epoch <= lease.epoch || now.machine === machine) continue;
    const { run, entry, epoch, worktree, repository } = lease;
    const last = await lastOf(entry);
    const one: LeftBehindRun = {
      version: 1,
      run,
      entry,
      epoch,
      worktree,
      snapshot: last?.git_oid ?? null,
      ...(last === undefined ? {} : { repository, ref: last.git_ref }),
      machine: now.machine_name,
      since: now.since,
      notedAt: tools.clock.now().toISOString(),
      answers: await unheardAnswers(questions, run, now.machine_name),
    };
    write(tools, fleet, one);
    retire(lease);
    forgetLease(tools, fleet, run);
    left.push(one);
  }
  return left;
}

async function unheardAnswers(
  questions: QuestionSessions,
  run: string,
  machine: string | null,
): Promise<string[]> {
  const answers: string[] = [];
  for (const view of await questions.list()) {
    if (view.asker?.session !== run) continue;
    if (view.outcome.status === 'pending')
      await questions.cancel(view.id, `the run continued on ${machine ?? 'another machine'}`);
    if (view.outcome.status === 'completed' && view.collectedAt === null)
      answers.push(describeAnswers(view.questions, view.outcome.answers));
  }
  return answers;
}

/** What was left behind here, newest first. */
export function listLeftBehind(fileSystem: FileSystem, fleet: string): LeftBehindRun[] {
  if (!hasDirectory(fileSystem, placeIn(fleet))) return [];
  return listDirectory(fileSystem, placeIn(fleet))
    .filter((name) => name.endsWith('.json'))
    .flatMap((name) => {
      try {
        return readDocument(fileSystem, join(placeIn(fleet), name), LeftBehindFile) ?? [];
      } catch (error) {
        if (!isHoldfastError(error)) throw error;
        return []; // damaged: the worktree itself is still there
      }
    })
    .sort((a, b) => (a.notedAt < b.notedAt ? 1 : -1));
}
