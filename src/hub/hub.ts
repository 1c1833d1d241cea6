import type { HubConnection } from './connection.js';
import { checkedRows, MachineRow, OutRow, RequestRow, SessionRow, SignRow, StampRow } from './rows.js';
import { storable } from './storable.js';

/** A row of the mirror, as its home sends it. */
export interface MirrorRow {
  readonly id: string;
  /** Changes whenever anything in the row changes. */
  readonly stamp: string;
  readonly state: string;
  readonly needs_person: boolean;
  readonly is_ended: boolean;
  readonly created_at: string;
  readonly last_activity: string;
  readonly summary: unknown;
}

export type MirroredKind = 'question' | 'run';

export interface NewRequest {
  readonly id: string;
  readonly home: string;
  readonly sessionKind: MirroredKind;
  readonly session: string;
  readonly kind: string;
  readonly body: unknown;
}

/** The channel on which a machine is notified. */
export function channelOf(machine: string): string {
  return `hf_m_${machine.replaceAll('-', '')}`;
}

/** The channel that is notified when what is waiting may have changed anywhere. */
export const INBOX_CHANNEL = 'hf_inbox';

/** The channel that is notified when a run may look different anywhere. */
export const OVERVIEW_CHANNEL = 'hf_overview';

/** Which sessions: those waiting, those open, all, those open or ended since then, or those with these ids. */
export type SessionFilter =
  | 'waiting'
  | 'open'
  | 'all'
  | { readonly since: string }
  | { readonly prefix: string };

/** More than anybody looks through; one list is one reply of the database. */
const MAX_SESSIONS = 1_000;

const REQUEST = `select r.id, r.home, r.session_kind, r.session, r.kind, r.body, r.by, m.name as machine, r.at, r.state, r.reply
  from holdfast.request r join holdfast.machine m on m.id = r.sender`;

/** The hub's functions and tables as typed calls. Each throws FLEET_UNREACHABLE, FLEET_REFUSED, FLEET_RULE, FLEET_SCHEMA. */
export class Hub {
  readonly connection: HubConnection;
  /** The kinds of which a list was too long. */
  readonly #leftOut = new Set<MirroredKind>();

  constructor(connection: HubConnection) {
    this.connection = connection;
  }

  async join(machine: { id: string; name: string; bootId: string; version: string }): Promise<void> {
    const { id, name, bootId, version } = machine;
    await this.connection.rows('select holdfast.join_fleet($1, $2, $3, $4)', [id, name, bootId, version]);
  }

  async beat(machine: string, bootId: string, version: string): Promise<void> {
    await this.connection.rows('select holdfast.beat($1, $2, $3)', [machine, bootId, version]);
  }

  /** Who last gave a sign under a machine's identity, and which database this is. No `bootId`: it never heard of the machine. */
  async lastSign(machine: string): Promise<{
    readonly bootId: string | undefined;
    readonly quietSeconds: number;
    /** The machine left, or was removed. */
    readonly isOut: boolean;
    readonly incarnation: string;
  }> {
    const [row] = await this.connection.rows(
      `select m.boot_id, m.left_at, extract(epoch from clock_timestamp() - m.seen_at) as quiet_seconds, f.incarnation
       from holdfast.fleet f left join holdfast.machine m on m.id = $1`,
      [machine],
    );
    const { boot_id, left_at, quiet_seconds, incarnation } = SignRow.parse(row);
    return {
      bootId: boot_id ?? undefined,
      quietSeconds: quiet_seconds,
      isOut: left_at !== null,
      incarnation,
    };
  }

  /** How a machine left the fleet; undefined if it is in it, or never was. */
  async out(machine: string): Promise<OutRow | undefined> {
    const found = await this.connection.rows(
      `select m.left_at as at, a.by::text as by, a.is_own from holdfast.machine m
         left join lateral (select o.by, o.what = 'the machine left the fleet' as is_own from holdfast.audit o
           where o.subject = m.name and o.at >= m.left_at
             and o.what in ('the machine left the fleet', 'the machine was removed from the fleet')
           order by o.seq limit 1) a on true
       where m.id = $1 and m.left_at is not null`,
      [machine],
    );
    return checkedRows(OutRow, found).rows[0];
  }

  async leave(machine: string): Promise<void> {
    await this.connection.rows('select holdfast.leave_fleet($1)', [machine]);
  }

  async removeMachine(name: string): Promise<void> {
    await this.connection.rows('select holdfast.remove_machine($1)', [name]);
  }

  async noteRestored(): Promise<void> {
    await this.connection.rows('select holdfast.note_restored()');
  }

  /** What the hub has of a machine, by id: the stamp of each row when it was last sent. */
  async stamps(
    machine: string,
    kind: MirroredKind,
  ): Promise<Map<string, { readonly stamp: string; readonly isEnded: boolean }>> {
    const found = await this.connection.rows(
      'select id, stamp, is_ended from holdfast.session where home = $1 and kind = $2 and gone_at is null',
      [machine, kind],
    );
    return new Map(
      checkedRows(StampRow, found).rows.map(({ id, stamp, is_ended: isEnded }) => [id, { stamp, isEnded }]),
    );
  }

  async mirror(
    machine: string,
    kind: MirroredKind,
    rows: readonly MirrorRow[],
    gone: readonly string[],
  ): Promise<void> {
    await this.connection.rows('select holdfast.mirror($1, $2, $3, $4)', [
      machine,
      kind,
      storable(rows),
      gone,
    ]);
  }

  /** Removes what nobody has looked for in a long time; at most once a day in the whole fleet. */
  async tidy(): Promise<number> {
    const [row] = await this.connection.rows('select holdfast.tidy() as removed');
    return Number(row?.removed ?? 0);
  }

  async machines(): Promise<MachineRow[]> {
    const found = await this.connection.rows(
      `select m.id, m.name, m.role::text as role, m.version,
         extract(epoch from clock_timestamp() - m.seen_at) as quiet_seconds,
         coalesce(w.waiting, 0) as waiting
       from holdfast.machine m left join (select home, count(*) as waiting from holdfast.session
         where needs_person and gone_at is null group by home) w on w.home = m.id
       where m.left_at is null order by m.name`,
    );
    return checkedRows(MachineRow, found).rows;
  }

  /**
   * The sessions of every machine except the one given, if any. If there are very many, those that were active last:
   * open ones first, and the log says that others were left out.
   */
  async sessions(
    except: string | null,
    kind: MirroredKind,
    wanted: SessionFilter,
  ): Promise<{ rows: SessionRow[]; refused: number }> {
    const [which, values] = conditionOf(wanted);
    const found = await this.connection.rows(
      `with recent as (select s.home, s.kind, s.id, count(*) over () as of_all from holdfast.session s
         where s.kind = $2 and s.home is distinct from $1 and s.gone_at is null ${which}
         order by s.is_ended, s.last_activity desc, s.id limit ${MAX_SESSIONS})
       select s.home, m.name as machine, extract(epoch from clock_timestamp() - m.seen_at) as quiet_seconds, s.id, s.state,
         s.needs_person, s.summary, r.id as request, r.kind as request_kind, r.by::text as request_by, recent.of_all
       from recent join holdfast.session s using (home, kind, id) join holdfast.machine m on m.id = s.home
         left join lateral (select q.id, q.kind, q.by from holdfast.request q where q.home = s.home
           and q.session_kind = s.kind and q.session = s.id and q.state in ('sent', 'taken')
           and (q.kind in ('answer', 'reject')) = (s.kind = 'question') order by q.seq desc limit 1) r on true
       order by s.is_ended, s.created_at`,
      [except, kind, ...values],
    );
    this.#noteLeftOut(kind, Number(found[0]?.of_all ?? 0) - found.length);
    return checkedRows(SessionRow, found);
  }

  /** Once for a connection: the lists are read again and again. */
  #noteLeftOut(kind: MirroredKind, count: number): void {
    if (count <= 0 || this.#leftOut.has(kind)) return;
    this.#leftOut.add(kind);
    this.connection.log.info('fleet.sessions-left-out', { kind, shown: MAX_SESSIONS, count });
  }

  /** Stores a request; storing the same one again changes nothing. */
  async send(sender: string, request: NewRequest): Promise<void> {
    await this.connection.rows(
      'select holdfast.send($1, $2, $3, $4, $5, $6, $7)',
      sendValues(sender, request),
    );
  }

  /** Stores a request and takes it back in the same commit, so its home never sees it. True unless its home has it already. */
  async sendTakenBack(sender: string, request: NewRequest): Promise<boolean> {
    const [row] = await this.connection.rows(
      'select holdfast.send($1, $2, $3, $4, $5, $6, $7), holdfast.take_back($1) as is_back',
      sendValues(sender, request),
    );
    return row?.is_back === true;
  }

  /** True if nobody had taken it yet. */
  async takeBack(id: string): Promise<boolean> {
    const [row] = await this.connection.rows('select holdfast.take_back($1) as is_back', [id]);
    return row?.is_back === true;
  }

  async request(id: string): Promise<RequestRow | undefined> {
    const found = await this.connection.rows(`${REQUEST} where r.id = $1`, [id]);
    return checkedRows(RequestRow, found).rows[0];
  }

  /** The decision about a session that is on its way or has arrived. */
  async decisionOf(home: string, kind: MirroredKind, session: string): Promise<RequestRow | undefined> {
    const found = await this.connection.rows(
      `${REQUEST} where r.home = $1 and r.session_kind = $2 and r.session = $3 and r.kind in ('answer', 'reject')
         and r.state in ('sent', 'taken', 'applied')`,
      [home, kind, session],
    );
    return checkedRows(RequestRow, found).rows[0];
  }

  /** What others ask of this machine. From now on it cannot be taken back. */
  async takeRequests(machine: string): Promise<{ rows: RequestRow[]; refused: number }> {
    const found = await this.connection.rows(
      `select r.id, r.home, r.session_kind, r.session, r.kind, r.body, r.by::text as by, m.name as machine, r.at, r.state, r.reply
       from holdfast.take_requests($1, 100) r join holdfast.machine m on m.id = r.sender order by r.seq`,
      [machine],
    );
    return checkedRows(RequestRow, found);
  }

  /**
   * Records what became of a request, together with how its session stands now, so anybody who reads "arrived" finds it
   * that way. One statement, and so one commit.
   */
  async settle(
    machine: string,
    request: { readonly id: string; readonly state: 'applied' | 'refused'; readonly reply: unknown },
    session: { readonly kind: MirroredKind; readonly rows: readonly MirrorRow[] },
  ): Promise<void> {
    await this.connection.rows("select holdfast.mirror($1, $5, $6, '{}'), holdfast.settle($1, $2, $3, $4)", [
      machine,
      request.id,
      request.state,
      storable(request.reply),
      session.kind,
      storable(session.rows),
    ]);
  }
}

function conditionOf(wanted: SessionFilter): readonly [string, readonly string[]] {
  if (typeof wanted === 'string')
    return [{ waiting: 'and s.needs_person', open: 'and not s.is_ended', all: '' }[wanted], []];
  if ('prefix' in wanted) return ["and s.id like $3 || '%'", [wanted.prefix]];
  return ['and (not s.is_ended or s.last_activity >= $3)', [wanted.since]];
}

function sendValues(sender: string, { id, home, sessionKind, session, kind, body }: NewRequest): unknown[] {
  return [id, sender, home, sessionKind, session, kind, storable(body)];
}
