/**
 * The first schema: machines, the mirror of their sessions, and requests on their way. Every member can read the tables
 * and nobody can write them: writing goes only through the functions below, which take the caller from `session_user`.
 * A rule that says no has a state of its own, `HFR01`, with its word as the message (see ../rules.ts).
 */
export const INBOX_SQL = `
create schema holdfast;

do $roles$
begin
  if not exists (select from pg_catalog.pg_roles where rolname = 'holdfast_viewer') then
    create role holdfast_viewer nologin;
  end if;
  if not exists (select from pg_catalog.pg_roles where rolname = 'holdfast_worker') then
    create role holdfast_worker nologin;
    grant holdfast_viewer to holdfast_worker;
  end if;
  if not exists (select from pg_catalog.pg_roles where rolname = 'holdfast_person') then
    create role holdfast_person nologin;
    grant holdfast_worker to holdfast_person;
  end if;
end
$roles$;

create table holdfast.fleet (
  one boolean primary key default true check (one),
  version int not null,
  min_client int not null,
  incarnation uuid not null default gen_random_uuid()
);

create table holdfast.migration (
  n int primary key,
  checksum text not null,
  at timestamptz not null default clock_timestamp()
);

create table holdfast.machine (
  id uuid primary key,
  name text not null check (name ~ '^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$'),
  role name not null,
  version text not null check (length(version) <= 100),
  boot_id text not null check (length(boot_id) <= 100),
  joined_at timestamptz not null default clock_timestamp(),
  seen_at timestamptz not null default clock_timestamp(),
  left_at timestamptz
);
create unique index machine_name on holdfast.machine (name) where left_at is null;

create table holdfast.session (
  home uuid not null references holdfast.machine,
  kind text not null check (kind in ('question', 'run')),
  id text not null check (length(id) between 1 and 200),
  stamp text not null check (length(stamp) <= 100),
  state text not null check (length(state) <= 40),
  needs_person boolean not null,
  is_ended boolean not null,
  created_at timestamptz not null,
  last_activity timestamptz not null,
  summary jsonb not null check (octet_length(summary::text) <= 4194304),
  gone_at timestamptz,
  primary key (home, kind, id)
);
create index session_waits on holdfast.session (created_at) where needs_person and gone_at is null;
create index session_open on holdfast.session (kind, last_activity desc) where not is_ended and gone_at is null;
create index session_ids on holdfast.session (kind, id text_pattern_ops) where gone_at is null;

create table holdfast.request (
  id uuid primary key,
  home uuid not null references holdfast.machine,
  sender uuid not null references holdfast.machine,
  session_kind text not null check (session_kind in ('question', 'run')),
  session text not null check (length(session) between 1 and 200),
  kind text not null check (kind in ('answer', 'reject', 'pause', 'resume', 'stop', 'guidance')),
  body jsonb not null check (octet_length(body::text) <= 1048576),
  by name not null,
  at timestamptz not null default clock_timestamp(),
  state text not null default 'sent' check (state in ('sent', 'taken', 'applied', 'refused', 'withdrawn')),
  reply jsonb check (octet_length(reply::text) <= 4194304),
  settled_at timestamptz,
  seq bigint generated always as identity
);
create unique index request_one_decision on holdfast.request (home, session_kind, session)
  where kind in ('answer', 'reject') and state in ('sent', 'taken', 'applied');
create index request_open on holdfast.request (home, seq) where state in ('sent', 'taken');

create table holdfast.audit (
  seq bigint generated always as identity primary key,
  at timestamptz not null default clock_timestamp(),
  by name not null default session_user,
  what text not null,
  subject text not null
);

create function holdfast.rule(word text, detail text default '') returns void
language plpgsql as $$
begin
  raise exception using errcode = 'HFR01', message = word, detail = detail;
end
$$;

create function holdfast.own_machine(p_machine uuid) returns void
language plpgsql security definer set search_path = holdfast, pg_temp as $$
begin
  perform 1 from machine where id = p_machine and role = session_user and left_at is null;
  if not found then perform rule('not-your-machine'); end if;
end
$$;

create function holdfast.join_fleet(p_machine uuid, p_name text, p_boot text, p_version text) returns void
language plpgsql security definer set search_path = holdfast, pg_temp as $$
begin
  perform 1 from machine where id = p_machine and role <> session_user;
  if found then perform rule('not-your-machine'); end if;
  insert into machine (id, name, role, boot_id, version) values (p_machine, p_name, session_user, p_boot, p_version)
  on conflict (id) do update set name = excluded.name, boot_id = excluded.boot_id, version = excluded.version,
    seen_at = clock_timestamp(), left_at = null;
  insert into audit (what, subject) values ('join', p_name);
exception when unique_violation then
  perform rule('name-taken', p_name);
end
$$;

create function holdfast.beat(p_machine uuid, p_boot text, p_version text) returns void
language plpgsql security definer set search_path = holdfast, pg_temp as $$
begin
  perform own_machine(p_machine);
  update machine set seen_at = clock_timestamp(), boot_id = p_boot, version = p_version where id = p_machine;
end
$$;

create function holdfast.channel(p_machine uuid) returns text
language sql immutable as $$ select 'hf_m_' || replace(p_machine::text, '-', '') $$;

create function holdfast.mirror(p_machine uuid, p_kind text, p_rows jsonb, p_gone text[]) returns int
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
  if written + left_off > 0 and p_kind = 'question' then perform pg_notify('hf_inbox', ''); end if;
  return written + left_off;
end
$$;

create function holdfast.send(p_id uuid, p_sender uuid, p_home uuid, p_session_kind text, p_session text, p_kind text,
  p_body jsonb) returns void
language plpgsql security definer set search_path = holdfast, pg_temp as $$
declare
  standing text;
begin
  perform own_machine(p_sender);
  perform 1 from request where id = p_id;
  if found then
    perform 1 from request where id = p_id and by = session_user and home = p_home and session = p_session
      and kind = p_kind and body = p_body;
    if not found then perform rule('id-used'); end if;
    return;
  end if;
  perform 1 from machine where id = p_home and left_at is null;
  if not found then perform rule('home-gone'); end if;
  if (select count(*) from request where home = p_home and state in ('sent', 'taken')) >= 10000 then
    perform rule('too-many');
  end if;
  begin
    insert into request (id, home, sender, session_kind, session, kind, body, by)
    values (p_id, p_home, p_sender, p_session_kind, p_session, p_kind, p_body, session_user);
  exception when unique_violation then
    select r.id::text into standing from request r where r.home = p_home and r.session_kind = p_session_kind
      and r.session = p_session and r.kind in ('answer', 'reject') and r.state in ('sent', 'taken', 'applied');
    perform rule('decided', coalesce(standing, ''));
  end;
  perform pg_notify(channel(p_home), p_id::text);
  if p_session_kind = 'question' then perform pg_notify('hf_inbox', ''); end if;
end
$$;

create function holdfast.take_back(p_id uuid) returns boolean
language plpgsql security definer set search_path = holdfast, pg_temp as $$
begin
  update request set state = 'withdrawn', settled_at = clock_timestamp()
  where id = p_id and by = session_user and state = 'sent';
  if not found then return false; end if;
  perform pg_notify('hf_inbox', '');
  return true;
end
$$;

create function holdfast.take_requests(p_machine uuid, p_limit int) returns setof holdfast.request
language plpgsql security definer set search_path = holdfast, pg_temp as $$
begin
  perform own_machine(p_machine);
  update request set state = 'taken' where home = p_machine and state = 'sent';
  return query select * from request where home = p_machine and state = 'taken' order by seq limit least(p_limit, 100);
end
$$;

create function holdfast.settle(p_machine uuid, p_id uuid, p_state text, p_reply jsonb) returns void
language plpgsql security definer set search_path = holdfast, pg_temp as $$
declare
  asker uuid;
begin
  perform own_machine(p_machine);
  if p_state not in ('applied', 'refused') then perform rule('no-such-state'); end if;
  update request set state = p_state, reply = p_reply, settled_at = clock_timestamp()
  where id = p_id and home = p_machine and state in ('sent', 'taken') returning sender into asker;
  if asker is not null then perform pg_notify(channel(asker), p_id::text); end if;
end
$$;

create function holdfast.end_machine(p_machine uuid, p_word text) returns void
language plpgsql security definer set search_path = holdfast, pg_temp as $$
declare
  settled record;
begin
  update machine set left_at = clock_timestamp() where id = p_machine and left_at is null;
  update session set gone_at = clock_timestamp(), needs_person = false, is_ended = true, summary = '{}'
  where home = p_machine and gone_at is null;
  for settled in
    update request set state = 'refused', settled_at = clock_timestamp(),
      reply = jsonb_build_object('code', 'MACHINE_LEFT', 'message', p_word)
    where home = p_machine and state in ('sent', 'taken') returning id, sender
  loop
    perform pg_notify(channel(settled.sender), settled.id::text);
  end loop;
  insert into audit (what, subject) select p_word, name from machine where id = p_machine;
  perform pg_notify('hf_inbox', '');
end
$$;

create function holdfast.leave_fleet(p_machine uuid) returns void
language plpgsql security definer set search_path = holdfast, pg_temp as $$
begin
  perform own_machine(p_machine);
  perform end_machine(p_machine, 'the machine left the fleet');
end
$$;

create function holdfast.remove_machine(p_name text) returns void
language plpgsql security definer set search_path = holdfast, pg_temp as $$
declare
  found_id uuid;
begin
  select id into found_id from machine where name = p_name and left_at is null;
  if found_id is null then perform rule('no-such-machine', p_name); end if;
  perform end_machine(found_id, 'the machine was removed from the fleet');
end
$$;

create function holdfast.note_restored() returns void
language plpgsql security definer set search_path = holdfast, pg_temp as $$
begin
  update fleet set incarnation = gen_random_uuid();
  insert into audit (what, subject) values ('restored', '');
end
$$;

revoke all on all functions in schema holdfast from public;
grant usage on schema holdfast to holdfast_viewer;
grant select on all tables in schema holdfast to holdfast_viewer;
grant execute on function holdfast.join_fleet, holdfast.beat, holdfast.mirror, holdfast.take_requests, holdfast.settle,
  holdfast.leave_fleet to holdfast_worker;
grant execute on function holdfast.send, holdfast.take_back, holdfast.remove_machine to holdfast_person;

insert into holdfast.fleet (version, min_client) values (0, 1);
`;
