/**
 * Runs in the mirror: they have a notification channel of their own, so that a process that watches the inbox does not
 * wake for every iteration of somebody's run. Also what the mirror forgets after a year; files never age.
 */
export const RUNS_SQL = `
create index session_recent on holdfast.session (kind, last_activity desc) where gone_at is null;
create index request_of_session on holdfast.request (home, session_kind, session) where state in ('sent', 'taken');

alter table holdfast.fleet add column tidied_at timestamptz;

create or replace function holdfast.mirror(p_machine uuid, p_kind text, p_rows jsonb, p_gone text[]) returns int
language plpgsql security definer set search_path = holdfast, pg_temp as $$
declare
  written int;
  left_off int;
begin
  perform own_machine(p_machine);
  insert into session (home, kind, id, stamp, state, needs_person, is_ended, created_at, last_activity, summary)
  select p_machine, p_kind, r.id, r.stamp, r.state, r.needs_person, r.is_ended, r.created_at, r.last_activity, r.summary
  from jsonb_to_recordset(p_rows) as r(id text, stamp text, state text, needs_person boolean, is_ended boolean,
    created_at timestamptz, last_activity timestamptz, summary jsonb)
  on conflict (home, kind, id) do update set stamp = excluded.stamp, state = excluded.state,
    needs_person = excluded.needs_person, is_ended = excluded.is_ended, created_at = excluded.created_at,
    last_activity = excluded.last_activity, summary = excluded.summary, gone_at = null
  where session.stamp <> excluded.stamp or session.gone_at is not null;
  get diagnostics written = row_count;
  update session set gone_at = clock_timestamp(), needs_person = false, is_ended = true, summary = '{}'
  where home = p_machine and kind = p_kind and id = any(p_gone) and gone_at is null;
  get diagnostics left_off = row_count;
  if written + left_off > 0 then
    perform pg_notify(case p_kind when 'question' then 'hf_inbox' else 'hf_overview' end, '');
  end if;
  return written + left_off;
end
$$;

create function holdfast.tidy() returns int
language plpgsql security definer set search_path = holdfast, pg_temp as $$
declare
  before timestamptz := clock_timestamp() - interval '1 year';
  removed int;
  total int := 0;
begin
  update fleet set tidied_at = clock_timestamp()
  where tidied_at is null or tidied_at < clock_timestamp() - interval '1 day';
  if not found then return 0; end if;
  delete from session where (is_ended and last_activity < before) or gone_at < before;
  get diagnostics removed = row_count;
  total := total + removed;
  delete from request where settled_at < before;
  get diagnostics removed = row_count;
  total := total + removed;
  delete from audit where at < before;
  get diagnostics removed = row_count;
  return total + removed;
end
$$;

revoke all on function holdfast.tidy from public;
grant execute on function holdfast.tidy to holdfast_worker;
`;
