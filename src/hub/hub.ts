import type { HubConnection } from './connection.js';
import { checkedRows, MachineRow, RequestRow, SessionRow, StampRow } from './rows.js';
import { storable } from './storable.js';

/** A row of the mirror, as its home sends it. */
export interface MirrorRow {
  readonly id: string;
  /** Another text wherever anything in it is different. */
  readonly stamp: string;
  readonly state: string;
  readonly needs_person: boolean;
  readonly is_ended: boolean;
  readonly created_at: string;
  readonly last_activity: string;
  readonly summary: unknown;
}

export type SessionKind = 'question' | 'run';

export interface NewRequest {
  readonly id: string;
  readonly home: string;
  readonly sessionKind: SessionKind;
  readonly session: string;
  readonly kind: string;
  readonly body: unknown;
}

/** How a machine is called out to. */
export function channelOf(machine: string): string {
  return `hf_m_${machine.replaceAll('-', '')}`;
}

/** Called out when what waits anywhere may have changed. */
export const INBOX_CHANNEL = 'hf_inbox';

const REQUEST = `select r.id, r.home, r.session_kind, r.session, r.kind, r.body, r.by, m.name as machine, r.at, r.state, r.reply
  from holdfast.request r join holdfast.machine m on m.id = r.sender`;

/** The hub's functions and tables as typed calls. Each throws FLEET_UNREACHABLE, FLEET_REFUSED, FLEET_RULE, FLEET_SCHEMA. */
export class Hub {
  readonly connection: HubConnection;

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

  async leave(machine: string): Promise<void> {
    await this.connection.rows('select holdfast.leave_fleet($1)', [machine]);
  }

  async removeMachine(name: string): Promise<void> {
    await this.connection.rows('select holdfast.remove_machine($1)', [name]);
  }

  async noteRestored(): Promise<void> {
    await this.connection.rows('select holdfast.note_restored()');
  }

  /** What the hub has of a machine, by id: how each looked when it was sent last. */
  async stamps(machine: string, kind: SessionKind): Promise<Map<string, string>> {
    const found = await this.connection.rows(
      'select id, stamp from holdfast.session where home = $1 and kind = $2 and gone_at is null',
      [machine, kind],
    );
    return new Map(checkedRows(StampRow, found).rows.map(({ id, stamp }) => [id, stamp]));
  }

  async mirror(
    machine: string,
    kind: SessionKind,
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

  async machines(): Promise<MachineRow[]> {
    const found = await this.connection.rows(
      `select m.id, m.name, m.role::text as role, m.version,
         extract(epoch from clock_timestamp() - m.seen_at) as quiet_seconds,
         (select count(*) from holdfast.session s where s.home = m.id and s.needs_person and s.gone_at is null) as waiting,
         (select count(*) from holdfast.session s where s.home = m.id and s.kind = 'run' and s.state = 'running'
            and not s.is_ended and s.gone_at is null) as running
       from holdfast.machine m where m.left_at is null order by m.name`,
    );
    return checkedRows(MachineRow, found).rows;
  }

  /** Sessions of other machines: what is open, or of these ids. */
  async sessions(
    own: string,
    kind: SessionKind,
    wanted: 'waiting' | 'open' | 'all' | { readonly prefix: string },
  ): Promise<{ rows: SessionRow[]; refused: number }> {
    const isPrefix = typeof wanted === 'object';
    const which = isPrefix
      ? "and s.id like $3 || '%'"
      : { waiting: 'and s.needs_person', open: 'and not s.is_ended', all: '' }[wanted];
    const found = await this.connection.rows(
      `select s.home, m.name as machine, extract(epoch from clock_timestamp() - m.seen_at) as quiet_seconds, s.id, s.state,
         s.needs_person, s.summary, r.id as request, r.by::text as request_by
       from holdfast.session s join holdfast.machine m on m.id = s.home
         left join holdfast.request r on r.home = s.home and r.session_kind = s.kind and r.session = s.id
           and r.kind in ('answer', 'reject') and r.state in ('sent', 'taken')
       where s.kind = $2 and s.home <> $1 and s.gone_at is null ${which}
       order by s.created_at limit 1000`,
      isPrefix ? [own, kind, wanted.prefix] : [own, kind],
    );
    return checkedRows(SessionRow, found);
  }

  /** Stores a request; the same one again changes nothing. */
  async send(sender: string, { id, home, sessionKind, session, kind, body }: NewRequest): Promise<void> {
    await this.connection.rows('select holdfast.send($1, $2, $3, $4, $5, $6, $7)', [
      id,
      sender,
      home,
      sessionKind,
      session,
      kind,
      storable(body),
    ]);
  }

  /** True where nobody had taken it yet. */
  async takeBack(id: string): Promise<boolean> {
    const [row] = await this.connection.rows('select holdfast.take_back($1) as is_back', [id]);
    return row?.is_back === true;
  }

  async request(id: string): Promise<RequestRow | undefined> {
    const found = await this.connection.rows(`${REQUEST} where r.id = $1`, [id]);
    return checkedRows(RequestRow, found).rows[0];
  }

  /** What stands about a session: the decision that is on its way or arrived. */
  async decisionOf(home: string, kind: SessionKind, session: string): Promise<RequestRow | undefined> {
    const found = await this.connection.rows(
      `${REQUEST} where r.home = $1 and r.session_kind = $2 and r.session = $3 and r.kind in ('answer', 'reject')
         and r.state in ('sent', 'taken', 'applied')`,
      [home, kind, session],
    );
    return checkedRows(RequestRow, found).rows[0];
  }

  /** What others want of this machine. From now on it cannot be taken back. */
  async takeRequests(machine: string): Promise<{ rows: RequestRow[]; refused: number }> {
    const found = await this.connection.rows(
      `select r.id, r.home, r.session_kind, r.session, r.kind, r.body, r.by::text as by, m.name as machine, r.at, r.state, r.reply
       from holdfast.take_requests($1, 100) r join holdfast.machine m on m.id = r.sender order by r.seq`,
      [machine],
    );
    return checkedRows(RequestRow, found);
  }

  /**
   * Says what became of a request, together with how its session stands now: whoever is told "arrived" finds it so. One
   * statement, and so one commit.
   */
  async settle(
    machine: string,
    request: { readonly id: string; readonly state: 'applied' | 'refused'; readonly reply: unknown },
    session: { readonly kind: SessionKind; readonly rows: readonly MirrorRow[] },
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
