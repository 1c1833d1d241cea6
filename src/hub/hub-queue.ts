import type { HubConnection } from './connection.js';
import {
  AccountRow,
  BeforeRow,
  ContentRow,
  EntryRow,
  OfferRow,
  QueueRow,
  TakenRow,
  UseRow,
} from './queue-rows.js';
import { checkedRows } from './rows.js';
import { storable } from './storable.js';

/** The channel that is notified when an entry has changed or may be taken. */
export const QUEUE_CHANNEL = 'hf_queue';

/** An entry as it is sent to the hub, spelled like its columns. */
export interface NewEntryRow {
  readonly priority: number;
  readonly needs: readonly string[];
  readonly agent: string | null;
  readonly account: string | null;
  readonly repository: string;
  readonly base: string | null;
  readonly continues: string | null;
  readonly project: string;
  readonly plan: unknown;
  readonly options: unknown;
  readonly after: readonly string[];
  readonly not_before: string | null;
  readonly on_failure: string;
  readonly retries_left: number;
}

/** What a worker takes and by which rules; see `take_entry`. */
export interface TakeRules {
  readonly labels: readonly string[];
  readonly trusted: readonly string[];
  readonly leaseSeconds: number;
  readonly limits: {
    /** The agent of entries that name none. */
    readonly agent: string;
    /** LIKE patterns; null accepts every repository. */
    readonly repositories: readonly string[] | null;
    readonly bypass: boolean;
    /** Entries that this worker leaves alone. */
    readonly own: readonly string[];
    /** What this machine cannot run. */
    readonly refused: readonly Use[];
    /** What this machine must not start now. */
    readonly waiting: readonly Use[];
    readonly agent_slots: Readonly<Record<string, number>>;
    readonly account_slots: Readonly<Record<string, number>>;
    readonly day: { readonly day: string; readonly cost_usd?: number; readonly tokens?: number } | null;
  };
}

export interface Use {
  readonly agent: string | null;
  readonly account: string | null;
}

export interface EntryEndRow {
  readonly outcome: 'done' | 'failed';
  readonly reason: string | null;
  readonly worktree: string | null;
  readonly has_prompted: boolean;
  readonly report: string | null;
  readonly question: string | null;
}

const COLUMNS = `e.id, e.state, e.priority, e.position, e.needs, e.agent, e.account, e.repository, e.base, e.continues,
  e.project, e.plan, e.options, e.after, e.not_before, e.on_failure, e.retries_left, e.created_by::text as created_by,
  e.created_from, f.name as from_name, e.created_at, e.revision, e.run_id, e.machine, m.name as machine_name, e.epoch, e.started_at,
  e.ended_at, e.reason, e.worktree, e.question, e.report is not null as has_report,
  extract(epoch from clock_timestamp() - e.renewed_at) as quiet_seconds,
  extract(epoch from e.lease_until - clock_timestamp()) as ends_in_seconds`;
const JOINS = `left join holdfast.machine m on m.id = e.machine left join holdfast.machine f on f.id = e.created_from`;

/** The queue's functions and tables as typed calls. Each throws FLEET_UNREACHABLE, FLEET_REFUSED, FLEET_RULE, FLEET_SCHEMA. */
export class HubQueue {
  readonly connection: HubConnection;

  constructor(connection: HubConnection) {
    this.connection = connection;
  }

  async queue(): Promise<QueueRow> {
    const [row] = await this.connection.rows('select revision, paused_at, hold_until from holdfast.queue');
    return QueueRow.parse(row);
  }

  /** The open entries, those that ended within a month, and the entries that these come after. */
  async entries(): Promise<{ rows: EntryRow[]; refused: number }> {
    const found = await this.connection.rows(
      `with shown as (select id, after, continues from holdfast.entry where removed_at is null
         and (state not in ('done', 'failed') or ended_at > clock_timestamp() - interval '30 days'))
       select ${COLUMNS} from holdfast.entry e ${JOINS}
       where e.removed_at is null and (e.id in (select id from shown) or e.id in (select unnest(after) from shown)
         or e.id in (select continues from shown))`,
    );
    return checkedRows(EntryRow, found);
  }

  async entry(id: string): Promise<EntryRow | undefined> {
    const found = await this.connection.rows(
      `select ${COLUMNS} from holdfast.entry e ${JOINS} where e.id = $1 and e.removed_at is null`,
      [id],
    );
    return checkedRows(EntryRow, found).rows[0];
  }

  /** The files of its plan by path, as base64. */
  async content(id: string): Promise<Readonly<Record<string, string>> | undefined> {
    const found = await this.connection.rows('select content from holdfast.entry where id = $1', [id]);
    return checkedRows(ContentRow, found).rows[0]?.content;
  }

  async report(id: string): Promise<string | undefined> {
    const [row] = await this.connection.rows('select report from holdfast.entry where id = $1', [id]);
    return typeof row?.report === 'string' ? row.report : undefined;
  }

  /** The agents and accounts of waiting entries. */
  async waitingUses(): Promise<Use[]> {
    const found = await this.connection.rows(
      `select distinct agent, account from holdfast.entry where removed_at is null
         and (state = 'queued' or (state = 'running' and lease_until <= clock_timestamp()))`,
    );
    return checkedRows(UseRow, found).rows;
  }

  /** Stores an entry; storing the same one again changes nothing. */
  async enqueue(
    machine: string,
    id: string,
    entry: NewEntryRow,
    content: Readonly<Record<string, string>>,
  ): Promise<void> {
    await this.connection.rows('select holdfast.enqueue($1, $2, $3, $4)', [
      machine,
      id,
      storable(entry),
      storable(content),
    ]);
  }

  async change(
    id: string,
    revision: number,
    change: Readonly<Record<string, unknown>>,
    content: Readonly<Record<string, string>> | null,
  ): Promise<void> {
    await this.connection.rows('select holdfast.change_entry($1, $2, $3, $4)', [
      id,
      revision,
      storable(change),
      content === null ? null : storable(content),
    ]);
  }

  async move(id: string, position: number, priority: number | null): Promise<void> {
    await this.connection.rows('select holdfast.move_entry($1, $2, $3)', [id, position, priority]);
  }

  async remove(id: string): Promise<void> {
    await this.connection.rows('select holdfast.remove_entry($1)', [id]);
  }

  async pauseAll(isPaused: boolean): Promise<void> {
    await this.connection.rows('select holdfast.pause_queue($1)', [isPaused]);
  }

  async pause(id: string, isPaused: boolean): Promise<void> {
    await this.connection.rows('select holdfast.pause_entry($1, $2)', [id, isPaused]);
  }

  async retry(id: string, isNewRun: boolean): Promise<void> {
    await this.connection.rows('select holdfast.retry_entry($1, $2)', [id, isNewRun]);
  }

  async settle(id: string, onFailure: string): Promise<void> {
    await this.connection.rows('select holdfast.settle_entry($1, $2)', [id, onFailure]);
  }

  /** One statement; asking again with the same token gives the same entry. */
  async take(machine: string, token: string, rules: TakeRules): Promise<TakenRow | undefined> {
    const { labels, trusted, leaseSeconds, limits } = rules;
    const found = await this.connection.rows(
      `select ${COLUMNS}, e.is_taken_over from holdfast.take_entry($1, $2, $3, $4, $5, $6) e ${JOINS}`,
      [machine, token, labels, trusted, leaseSeconds, storable(limits)],
    );
    return checkedRows(TakenRow, found).rows[0];
  }

  /** Who had an entry before its current holder, and whether somebody had it moved there. */
  async before(entry: string, epoch: number): Promise<BeforeRow | undefined> {
    const found = await this.connection.rows(
      `select m.name as machine, t.machine = e.machine as is_here,
         exists (select from holdfast.audit a where a.what = 'move-run' and a.subject = e.run_id::text || ' ' || own.name
           and a.at > t.at) as is_moved
       from holdfast.entry e join holdfast.machine own on own.id = e.machine
         cross join lateral (select p.machine, p.at from holdfast.taking p where p.entry = e.id and p.epoch < e.epoch
           order by p.epoch desc limit 1) t
         join holdfast.machine m on m.id = t.machine
       where e.id = $1 and e.epoch = $2`,
      [entry, epoch],
    );
    return checkedRows(BeforeRow, found).rows[0];
  }

  /** Returns what the holder is asked to do. Throws FLEET_RULE (`fenced`). */
  async renew(entry: string, epoch: number, token: string, leaseSeconds: number): Promise<string | null> {
    const [row] = await this.connection.rows('select holdfast.renew($1, $2, $3, $4) as wish', [
      entry,
      epoch,
      token,
      leaseSeconds,
    ]);
    return typeof row?.wish === 'string' ? row.wish : null;
  }

  async finish(entry: string, epoch: number, token: string, end: EntryEndRow): Promise<void> {
    await this.connection.rows('select holdfast.finish($1, $2, $3, $4)', [
      entry,
      epoch,
      token,
      storable(end),
    ]);
  }

  async release(entry: string, epoch: number, token: string): Promise<void> {
    await this.connection.rows('select holdfast.release($1, $2, $3)', [entry, epoch, token]);
  }

  /** Asks for everything that this machine holds to be given back; returns how many entries that is. */
  async wishHandOver(machine: string): Promise<number> {
    const [row] = await this.connection.rows('select holdfast.wish_hand_over($1) as count', [machine]);
    return Number(row?.count ?? 0);
  }

  async offer(
    worker: string,
    machine: string,
    offer: {
      readonly labels: readonly string[];
      readonly trusted: readonly string[];
      readonly agents: readonly string[];
      readonly slots: number;
    },
  ): Promise<void> {
    const { labels, trusted, agents, slots } = offer;
    await this.connection.rows('select holdfast.offer_work($1, $2, $3, $4, $5, $6)', [
      worker,
      machine,
      labels,
      trusted,
      agents,
      slots,
    ]);
  }

  async endOffer(worker: string, machine: string): Promise<void> {
    await this.connection.rows('select holdfast.end_work($1, $2)', [worker, machine]);
  }

  /** The workers that have reported recently. */
  async offers(): Promise<OfferRow[]> {
    const found = await this.connection.rows(
      `select m.name as machine, w.labels, w.trusted, w.agents, w.slots from holdfast.worker w
         join holdfast.machine m on m.id = w.machine
       where m.left_at is null and w.seen_at > clock_timestamp() - interval '2 minutes' order by m.name`,
    );
    return checkedRows(OfferRow, found).rows;
  }

  /**
   * Records that an account is used up until `until`, as it was told here; null means that it answered the run that
   * tried first.
   */
  async noteAccount(
    machine: string,
    account: string,
    until: string | null,
    scope: string | null,
  ): Promise<void> {
    await this.connection.rows('select holdfast.note_account($1, $2, $3, $4)', [
      machine,
      account,
      until,
      scope,
    ]);
  }

  /** This person's accounts that are used up, or that one run is trying again. */
  async accounts(): Promise<AccountRow[]> {
    const found = await this.connection.rows(
      'select name, until, scope from holdfast.account where owner = session_user',
    );
    return checkedRows(AccountRow, found).rows;
  }

  /** Records what this machine used on a day; returns what the same person's other machines used. */
  async noteDay(
    machine: string,
    day: string,
    use: { readonly costUsd: number; readonly tokens: number },
  ): Promise<{ readonly costUsd: number; readonly tokens: number }> {
    const [row] = await this.connection.rows('select * from holdfast.note_day($1, $2, $3, $4)', [
      machine,
      day,
      use.costUsd,
      use.tokens,
    ]);
    return { costUsd: Number(row?.cost_usd ?? 0), tokens: Number(row?.tokens ?? 0) };
  }

  async whoAmI(): Promise<string> {
    const [row] = await this.connection.rows('select session_user::text as name');
    return String(row?.name);
  }
}
