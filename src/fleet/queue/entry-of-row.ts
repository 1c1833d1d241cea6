import { RecordFault, visibleLine } from '../../foundation/index.js';
import type { EntryRow, OfferRow } from '../../hub/index.js';
import { type Entry, EntryRecord, type NewEntry } from '../../queue/index.js';
import { type FileSystem, gitCommonDirectory } from '../../storage/index.js';

/** What is needed to read rows on this machine. */
export interface RowReader {
  readonly machine: string;
  readonly fileSystem: FileSystem;
  /** The current workers; undefined if nobody asked for them. */
  readonly offers?: readonly OfferRow[] | undefined;
}

/**
 * Makes an entry of its row, through the same codec as a file. Somebody else wrote it: it names no path on this
 * machine, except for what was queued here. Throws RecordFault.
 */
export function entryOfRow(row: EntryRow, reader: RowReader): Entry {
  const isFromHere = row.created_from === reader.machine;
  const record = EntryRecord.fromDisk({
    version: 1,
    id: row.id,
    status: row.state,
    plan: row.plan,
    project: row.project,
    repository: isFromHere ? (commonDirectory(reader.fileSystem, row.project) ?? null) : null,
    base: row.base,
    continues: row.continues,
    in_place: false,
    options: row.options,
    after: row.after,
    not_before: row.not_before,
    priority: row.priority,
    position: row.position,
    on_failure: row.on_failure,
    retries_left: row.retries_left,
    added_at: row.created_at,
    run_id: row.run_id,
    worker: null,
    started_at: row.started_at,
    ended_at: row.ended_at,
    reason: row.reason,
    worktree: row.worktree,
    question: row.question,
  });
  const { quiet_seconds: quietSeconds, ends_in_seconds: endsInSeconds } = row;
  const hasLease = row.state === 'running' && quietSeconds !== null && endsInSeconds !== null;
  return {
    ...record,
    fleet: {
      by: row.created_by,
      from: row.from_name ?? '?',
      isFromHere,
      repository: row.repository,
      labels: row.needs,
      machine: row.machine_name,
      epoch: row.epoch,
      lease: hasLease ? { quietSeconds, endsInSeconds } : null,
      obstacle: row.state === 'queued' ? obstacleTo(row, reader.offers) : null,
    },
  };
}

/** An entry as it is sent, in the disk spelling that the same codec reads. */
export function rowOfEntry(entry: NewEntry, repository: string) {
  const { plan, options } = EntryRecord.toDisk({
    ...entry,
    version: 1,
    id: '00000000-0000-4000-8000-000000000000',
    status: 'queued',
    position: 0,
    addedAt: new Date(0).toISOString(),
    runId: null,
    worker: null,
    startedAt: null,
    endedAt: null,
    reason: null,
    worktree: null,
    question: null,
  }) as { plan: unknown; options: unknown };
  return {
    priority: entry.priority,
    needs: entry.options.labels ?? [],
    agent: entry.options.agent ?? null,
    account: entry.options.account ?? null,
    repository,
    base: entry.base,
    continues: entry.continues,
    project: entry.project,
    plan,
    options,
    after: entry.after,
    not_before: entry.notBefore,
    on_failure: entry.onFailure,
    retries_left: entry.retriesLeft,
  };
}

/** Why none of the current workers takes it; undefined if one may, or if there are no workers at all. */
export function obstacleTo(
  { created_by: by, needs, agent }: Pick<EntryRow, 'created_by' | 'needs' | 'agent'>,
  offers: readonly OfferRow[] | undefined,
): string | null {
  if (offers === undefined || offers.length === 0) return null;
  const trusting = offers.filter(({ trusted }) => trusted.includes(by));
  if (trusting.length === 0)
    return `no worker runs what ${visibleLine(by)} queues; fleet.trust in a machine's own config says whose entries it runs`;
  const fitting = trusting.filter(({ labels }) => needs.every((label) => labels.includes(label)));
  if (fitting.length === 0)
    return `no worker that may run it has ${needs.length === 1 ? 'the label' : 'the labels'} ${needs.map((label) => visibleLine(label)).join(', ')}`;
  if (agent !== null && !fitting.some(({ agents }) => agents.includes(agent)))
    return `no worker that may run it has the agent ${visibleLine(agent)}`;
  return null;
}

/** Whether the row is at fault, and not our code. */
export function isRowFault(error: unknown): error is RecordFault {
  return error instanceof RecordFault;
}

function commonDirectory(fileSystem: FileSystem, project: string): string | undefined {
  try {
    return gitCommonDirectory(fileSystem, project);
  } catch {
    return undefined; // gone or unreadable: it then continues nothing
  }
}
