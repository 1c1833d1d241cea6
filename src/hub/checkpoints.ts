import * as z from 'zod';
import type { HubConnection } from './connection.js';
import { checkedRows } from './rows.js';
import { storable } from './storable.js';

/** Who has an entry: anybody with an earlier epoch or another token can no longer write. */
export interface HubFence {
  readonly entry: string;
  readonly epoch: number;
  readonly token: string;
}

const Oid = z.string().regex(/^[0-9a-f]{40,64}$/);

/** The last point from which a run can be resumed. Another machine wrote it. */
const CheckpointRow = z.object({
  epoch: z.coerce.number(),
  n: z.coerce.number(),
  run: z.uuid(),
  machine: z.string().max(63),
  machine_id: z.uuid(),
  at: z.date().transform((date) => date.toISOString()),
  git_oid: Oid,
  git_parent: Oid,
  git_ref: z
    .string()
    .max(300)
    .regex(/^refs\/(?:holdfast|heads\/holdfast)\/[0-9a-f/-]+$/),
  left_out: z.array(z.object({ path: z.string().max(4_096), reason: z.string().max(40) })).max(10_000),
  documents: z.unknown(),
  questions: z.array(z.unknown()).max(1_000),
  records: z.coerce.number(),
  prompt: z.string().nullable(),
});
export type CheckpointRow = z.infer<typeof CheckpointRow>;

const MovedRow = z.object({
  entry: z.uuid(),
  run: z.uuid(),
  machine: z.string().max(63).nullable(),
  is_held: z.boolean().optional(),
});
export type MovedRow = z.infer<typeof MovedRow>;

const StandingRow = z.object({
  entry: z.uuid(),
  epoch: z.coerce.number(),
  state: z.string().max(40),
  machine: z.uuid().nullable(),
  machine_name: z.string().max(63).nullable(),
  since: z
    .date()
    .transform((date) => date.toISOString())
    .nullable(),
});
export type StandingRow = z.infer<typeof StandingRow>;

const EndedRunRow = z.object({
  run: z.uuid(),
  repository: z.string().max(2_000),
  base: z.string().max(100).nullable(),
});
export type EndedRunRow = z.infer<typeof EndedRunRow>;

const BaseRow = z.object({ base: z.string().max(100) });

export interface NewCheckpoint {
  readonly git: {
    readonly commit: string;
    readonly parent: string;
    readonly ref: string;
    readonly left_out: readonly { readonly path: string; readonly reason: string }[];
  };
  readonly documents: unknown;
  /** The records of the conversation that the hub may still lack, and how many there are in all. */
  readonly records: readonly { readonly seq: number; readonly record: unknown }[];
  readonly count: number;
  readonly questions: readonly unknown[];
  readonly prompt: string | null;
}

/** What the hub keeps so that runs can be resumed elsewhere. Each call throws FLEET_UNREACHABLE, FLEET_REFUSED, FLEET_RULE. */
export class Checkpoints {
  readonly #connection: HubConnection;

  constructor(connection: HubConnection) {
    this.#connection = connection;
  }

  /** Stores a checkpoint under a fence; returns its number within the epoch. */
  async store({ entry, epoch, token }: HubFence, made: NewCheckpoint): Promise<number> {
    const [row] = await this.#connection.rows(
      'select holdfast.checkpoint($1, $2, $3, $4, $5, $6, $7, $8, $9) as n',
      [
        entry,
        epoch,
        token,
        storable(made.git),
        storable(made.documents),
        storable(made.records),
        made.count,
        storable(made.questions),
        made.prompt === null ? null : (JSON.parse(storable(made.prompt)) as string),
      ],
    );
    return Number(row?.n);
  }

  /** The last checkpoint of an entry; undefined if there is none. */
  async last(entry: string): Promise<CheckpointRow | undefined> {
    const found = await this.#connection.rows(
      `select c.epoch, c.n, c.run, m.name as machine, c.machine as machine_id, c.at, c.git_oid, c.git_parent, c.git_ref, c.left_out,
         c.documents, c.questions, c.records, c.prompt
       from holdfast.checkpoint c join holdfast.machine m on m.id = c.machine
       where c.entry = $1 order by c.epoch desc, c.n desc limit 1`,
      [entry],
    );
    const { rows, refused } = checkedRows(CheckpointRow, found);
    if (refused > 0) throw new TypeError('the last checkpoint has not the form of one');
    return rows[0];
  }

  /** The records of the conversation before a position, in order. */
  async records(entry: string, before: number): Promise<Record<string, unknown>[]> {
    const found = await this.#connection.rows(
      'select record from holdfast.record where entry = $1 and seq < $2 order by seq',
      [entry, before],
    );
    return found.map(({ record }) => record as Record<string, unknown>);
  }

  /** What the run asked on the machines that had it before. Changes nothing. */
  async asked(entry: string): Promise<{ id: string; summary: unknown }[]> {
    const found = await this.#connection.rows(
      `select s.id, s.summary from holdfast.session s join holdfast.entry e on e.id = $1
       where s.kind = 'question' and s.home <> e.machine and s.gone_at is null
         and s.summary->'asker'->>'session' = e.run_id::text
         and s.home in (select t.machine from holdfast.taking t where t.entry = e.id)`,
      [entry],
    );
    return found.map(({ id, summary }) => ({ id: String(id), summary }));
  }

  /** Makes this machine the home of what the run asked on others; requests on their way there are sent here instead. */
  async takeOver({ entry, epoch, token }: HubFence): Promise<{ id: string; summary: unknown }[]> {
    const found = await this.#connection.rows('select * from holdfast.take_over($1, $2, $3)', [
      entry,
      epoch,
      token,
    ]);
    return found.map(({ id, summary }) => ({ id: String(id), summary }));
  }

  /** Asks the holder of a run to give it to another machine at the end of its iteration. */
  async move(run: string, to: string): Promise<MovedRow | undefined> {
    const found = await this.#connection.rows('select * from holdfast.move_run($1, $2)', [run, to]);
    return checkedRows(MovedRow, found).rows[0];
  }

  /** Ends the lease of a run, whoever holds it. */
  async release(run: string, isForced: boolean): Promise<MovedRow | undefined> {
    const found = await this.#connection.rows('select * from holdfast.release_run($1, $2)', [run, isForced]);
    return checkedRows(MovedRow, found).rows[0];
  }

  /** The state and holder of entries. */
  async standing(entries: readonly string[]): Promise<StandingRow[]> {
    const found = await this.#connection.rows(
      `select e.id as entry, e.epoch, e.state, e.machine, m.name as machine_name,
         (select t.at from holdfast.taking t where t.entry = e.id and t.epoch = e.epoch) as since
       from holdfast.entry e left join holdfast.machine m on m.id = e.machine where e.id = any($1)`,
      [entries],
    );
    return checkedRows(StandingRow, found).rows;
  }

  /** Runs that ended so long ago that the hub keeps nothing to resume them from: as `tidy` in the schema. */
  async longEnded(): Promise<EndedRunRow[]> {
    const found = await this.#connection.rows(
      `select e.run_id as run, e.repository, e.base from holdfast.entry e
       where e.run_id is not null and e.state <> 'running' and (e.state in ('done', 'failed') or e.removed_at is not null)
         and coalesce(e.ended_at, e.removed_at) < clock_timestamp() - interval '30 days'`,
    );
    return checkedRows(EndedRunRow, found).rows;
  }

  /** The commits that queued and running entries start from. */
  async openBases(): Promise<string[]> {
    const found = await this.#connection.rows(
      `select distinct base from holdfast.entry
       where base is not null and removed_at is null and state not in ('done', 'failed')`,
    );
    return checkedRows(BaseRow, found).rows.map(({ base }) => base);
  }
}
