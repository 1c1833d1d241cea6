/**
 * The queue between machines: entries, who has which under which lease, and the accounts and daily budgets that are
 * shared. Each function that acts for a run begins with `hold_fence`. Each that counts (slots, the first run after a
 * limit, the day's budget) first locks the row of the person whose accounts are used. Expiry goes by this clock alone.
 */
export const QUEUE_SQL = `
create table holdfast.queue (
  one boolean primary key default true check (one),
  /** Grows with each change of an entry; a lease that is renewed changes nothing. */
  revision bigint not null default 0,
  paused_at timestamptz,
  /** After a restore: before then nothing new is taken, because whoever the backup does not know may still be at work. */
  hold_until timestamptz
);
insert into holdfast.queue default values;

create table holdfast.entry (
  id uuid primary key,
  state text not null default 'queued' check (state in ('queued', 'paused', 'running', 'done', 'failed')),
  priority double precision not null default 0,
  position double precision not null,
  needs text[] not null default '{}' check (cardinality(needs) <= 32),
  agent text check (length(agent) <= 100),
  account text check (length(account) <= 100),
  repository text not null check (length(repository) between 1 and 2000),
  base text check (length(base) <= 100),
  continues uuid references holdfast.entry,
  project text not null check (length(project) <= 4096),
  plan jsonb not null check (octet_length(plan::text) <= 1048576),
  content jsonb not null check (octet_length(content::text) <= 31457280),
  options jsonb not null check (octet_length(options::text) <= 1048576),
  after uuid[] not null default '{}' check (cardinality(after) <= 1000),
  not_before timestamptz,
  on_failure text not null check (on_failure in ('stop', 'continue', 'ask')),
  retries_left int not null default 0 check (retries_left between 0 and 100),
  created_by name not null,
  created_from uuid not null references holdfast.machine,
  created_at timestamptz not null default clock_timestamp(),
  revision int not null default 0,
  run_id uuid,
  /** Where it runs, or ran last. */
  machine uuid references holdfast.machine,
  agent_used text,
  epoch bigint not null default 0,
  /** Whether somebody had it before, and is gone. */
  is_taken_over boolean not null default false,
  token uuid,
  lease_seconds int,
  lease_until timestamptz,
  renewed_at timestamptz,
  /** What its holder is asked to do at the end of the iteration. */
  wish text check (length(wish) <= 200),
  started_at timestamptz,
  ended_at timestamptz,
  reason text check (length(reason) <= 4000),
  worktree text check (length(worktree) <= 4096),
  question text check (length(question) <= 200),
  report text check (octet_length(report) <= 8388608),
  removed_at timestamptz
);
create index entry_queued on holdfast.entry (priority desc, position, id) where state = 'queued' and removed_at is null;
create index entry_running on holdfast.entry (priority desc, position, id) where state = 'running' and removed_at is null;
create index entry_ended on holdfast.entry (ended_at) where removed_at is null;

create table holdfast.taking (
  token uuid primary key,
  entry uuid not null references holdfast.entry,
  epoch bigint not null,
  machine uuid not null references holdfast.machine,
  /** Whether the lease before had ended. */
  is_taken_over boolean not null,
  at timestamptz not null default clock_timestamp()
);
create unique index taking_epoch on holdfast.taking (entry, epoch);

create table holdfast.person (name name primary key);

create table holdfast.account (
  owner name not null,
  name text not null check (length(name) between 1 and 200),
  /** Until when it is used up, as far as anybody was told. */
  until timestamptz not null,
  scope text check (length(scope) <= 100),
  /** The entry that tries first after that. */
  canary uuid references holdfast.entry,
  primary key (owner, name)
);

create table holdfast.day_use (
  owner name not null,
  day text not null check (day ~ '^[0-9]{4}-[0-9]{2}-[0-9]{2}$'),
  machine uuid not null references holdfast.machine,
  cost_usd numeric not null check (cost_usd >= 0),
  tokens numeric not null check (tokens >= 0),
  primary key (owner, day, machine)
);

create table holdfast.worker (
  id uuid primary key,
  machine uuid not null references holdfast.machine,
  labels text[] not null check (cardinality(labels) <= 64),
  trusted text[] not null check (cardinality(trusted) <= 1000),
  agents text[] not null check (cardinality(agents) <= 200),
  slots int not null,
  seen_at timestamptz not null default clock_timestamp()
);

create function holdfast.note_queue() returns void
language plpgsql security definer set search_path = holdfast, pg_temp as $$
begin
  update queue set revision = revision + 1;
  perform pg_notify('hf_queue', '');
end
$$;

create function holdfast.hold_fence(p_entry uuid, p_epoch bigint, p_token uuid) returns void
language plpgsql security definer set search_path = holdfast, pg_temp as $$
begin
  perform 1 from entry e
  where e.id = p_entry and e.epoch = p_epoch and e.token = p_token and e.state = 'running'
    and e.lease_until > clock_timestamp()
    and exists (select from machine m where m.id = e.machine and m.role = session_user and m.left_at is null)
  for share of e;
  if not found then perform rule('fenced'); end if;
end
$$;

create function holdfast.enqueue(p_machine uuid, p_id uuid, p_entry jsonb, p_content jsonb) returns void
language plpgsql security definer set search_path = holdfast, pg_temp as $$
declare
  wanted record;
begin
  perform own_machine(p_machine);
  perform 1 from queue for update;
  perform 1 from entry where id = p_id;
  if found then
    perform 1 from entry where id = p_id and created_by = session_user and plan = p_entry->'plan';
    if not found then perform rule('id-used'); end if;
    return;
  end if;
  select * into wanted from jsonb_to_record(p_entry) as e(priority double precision, needs text[], agent text, account text,
    repository text, base text, continues uuid, project text, plan jsonb, options jsonb, after uuid[], not_before timestamptz,
    on_failure text, retries_left int);
  if exists (select from unnest(wanted.after || wanted.continues) a
      where a is not null and not exists (select from entry e where e.id = a and e.removed_at is null)) then
    perform rule('no-such-entry');
  end if;
  if (select count(*) from entry where state in ('queued', 'paused', 'running') and removed_at is null) >= 10000 then
    perform rule('too-many-entries');
  end if;
  insert into entry (id, priority, position, needs, agent, account, repository, base, continues, project, plan, content,
    options, after, not_before, on_failure, retries_left, created_by, created_from)
  values (p_id, wanted.priority, (select coalesce(max(position), 0) + 1 from entry), wanted.needs, wanted.agent, wanted.account,
    wanted.repository, wanted.base, wanted.continues, wanted.project, wanted.plan, p_content, wanted.options, wanted.after,
    wanted.not_before, wanted.on_failure, wanted.retries_left, session_user, p_machine);
  perform note_queue();
end
$$;

create function holdfast.found_entry(p_id uuid) returns holdfast.entry
language plpgsql security definer set search_path = holdfast, pg_temp as $$
declare
  one entry;
begin
  select * into one from entry where id = p_id and removed_at is null for update;
  if one.id is null then perform rule('no-such-entry', p_id::text); end if;
  return one;
end
$$;

create function holdfast.change_entry(p_id uuid, p_revision int, p_change jsonb, p_content jsonb) returns void
language plpgsql security definer set search_path = holdfast, pg_temp as $$
declare
  one entry;
begin
  one := found_entry(p_id);
  -- What is changed here runs as who queued it: nobody else may.
  if one.created_by <> session_user then perform rule('not-your-entry', one.created_by::text); end if;
  if one.state not in ('queued', 'paused') then perform rule('entry-running'); end if;
  if one.revision <> p_revision then perform rule('changed-meanwhile'); end if;
  update entry e set revision = e.revision + 1,
    options = coalesce(p_change->'options', e.options),
    agent = case when p_change ? 'options' then p_change->'options'->>'agent' else e.agent end,
    account = case when p_change ? 'options' then p_change->'options'->>'account' else e.account end,
    needs = case when p_change ? 'options'
      then array(select jsonb_array_elements_text(coalesce(p_change->'options'->'labels', '[]'))) else e.needs end,
    after = case when p_change ? 'after' then array(select jsonb_array_elements_text(p_change->'after')::uuid) else e.after end,
    not_before = case when p_change ? 'not_before' then (p_change->>'not_before')::timestamptz else e.not_before end,
    priority = coalesce((p_change->>'priority')::double precision, e.priority),
    on_failure = coalesce(p_change->>'on_failure', e.on_failure),
    retries_left = coalesce((p_change->>'retries_left')::int, e.retries_left),
    base = case when p_change ? 'base' then p_change->>'base' else e.base end,
    continues = case when p_change ? 'continues' then (p_change->>'continues')::uuid else e.continues end,
    plan = coalesce(p_change->'plan', e.plan),
    content = coalesce(p_content, e.content)
  where e.id = p_id;
  perform note_queue();
end
$$;

create function holdfast.move_entry(p_id uuid, p_position double precision, p_priority double precision) returns void
language plpgsql security definer set search_path = holdfast, pg_temp as $$
declare
  one entry;
begin
  one := found_entry(p_id);
  if one.state not in ('queued', 'paused') then perform rule('entry-running'); end if;
  update entry set position = p_position, priority = coalesce(p_priority, priority), revision = revision + 1 where id = p_id;
  perform note_queue();
end
$$;

create function holdfast.remove_entry(p_id uuid) returns void
language plpgsql security definer set search_path = holdfast, pg_temp as $$
declare
  one entry;
begin
  perform 1 from queue for update;
  one := found_entry(p_id);
  if one.state = 'running' then perform rule('entry-running'); end if;
  if exists (select from entry where p_id = any(after) and state in ('queued', 'paused', 'running') and removed_at is null) then
    perform rule('entry-needed');
  end if;
  update entry set removed_at = clock_timestamp(), revision = revision + 1 where id = p_id;
  insert into audit (what, subject) values ('remove-entry', p_id::text);
  perform note_queue();
end
$$;

create function holdfast.pause_queue(p_paused boolean) returns void
language plpgsql security definer set search_path = holdfast, pg_temp as $$
begin
  update queue set paused_at = case when p_paused then clock_timestamp() end;
  insert into audit (what, subject) values (case when p_paused then 'pause-queue' else 'resume-queue' end, '');
  perform note_queue();
end
$$;

create function holdfast.pause_entry(p_id uuid, p_paused boolean) returns void
language plpgsql security definer set search_path = holdfast, pg_temp as $$
declare
  one entry;
begin
  one := found_entry(p_id);
  if one.state <> (case when p_paused then 'queued' else 'paused' end) then perform rule('not-from-here', one.state); end if;
  update entry set state = case when p_paused then 'paused' else 'queued' end, revision = revision + 1 where id = p_id;
  perform note_queue();
end
$$;

create function holdfast.may_decide(p_entry holdfast.entry) returns void
language plpgsql security definer set search_path = holdfast, pg_temp as $$
begin
  if pg_has_role(session_user, 'holdfast_person', 'member') then return; end if;
  perform 1 from machine where id = p_entry.machine and role = session_user;
  if not found then perform rule('not-your-entry', p_entry.created_by::text); end if;
end
$$;

create function holdfast.retry_entry(p_id uuid, p_is_new_run boolean) returns void
language plpgsql security definer set search_path = holdfast, pg_temp as $$
declare
  one entry;
begin
  one := found_entry(p_id);
  perform may_decide(one);
  if one.state <> 'failed' then perform rule('not-from-here', one.state); end if;
  update entry set state = 'queued', ended_at = null, question = null, revision = revision + 1,
    run_id = case when p_is_new_run then null else run_id end,
    started_at = case when p_is_new_run then null else started_at end
  where id = p_id;
  perform note_queue();
end
$$;

create function holdfast.settle_entry(p_id uuid, p_on_failure text) returns void
language plpgsql security definer set search_path = holdfast, pg_temp as $$
declare
  one entry;
begin
  one := found_entry(p_id);
  perform may_decide(one);
  update entry set on_failure = p_on_failure, question = null, revision = revision + 1 where id = p_id;
  perform note_queue();
end
$$;

create function holdfast.fits_worker(e holdfast.entry, p_machine uuid, p_labels text[], p_trusted text[], p_limits jsonb)
returns boolean
language sql stable security definer set search_path = holdfast, pg_temp as $$
  select e.removed_at is null
    and e.created_by::text = any(p_trusted)
    and e.needs <@ p_labels
    and (coalesce(jsonb_typeof(p_limits->'repositories'), 'null') = 'null'
      or exists (select from jsonb_array_elements_text(p_limits->'repositories') r where e.repository like r))
    and (coalesce(e.options->>'permissions', '') <> 'bypass' or coalesce((p_limits->>'bypass')::boolean, false))
    and not coalesce(p_limits->'own', '[]') ? e.id::text
    and not exists (select from jsonb_to_recordset(coalesce(p_limits->'refused', '[]')) as r(agent text, account text)
      where r.agent is not distinct from e.agent and r.account is not distinct from e.account)
$$;

create function holdfast.account_of(e holdfast.entry, p_agent text) returns text
language sql immutable as $$ select coalesce(e.account, 'agent:' || coalesce(e.agent, p_agent, '')) $$;

create function holdfast.has_room(e holdfast.entry, p_limits jsonb) returns boolean
language sql stable security definer set search_path = holdfast, pg_temp as $$
  select not exists (select from jsonb_to_recordset(coalesce(p_limits->'waiting', '[]')) as r(agent text, account text)
      where r.agent is not distinct from e.agent and r.account is not distinct from e.account)
    and coalesce((p_limits->'agent_slots'->>coalesce(e.agent, p_limits->>'agent'))::int, 1000000) > (
      select count(*) from entry r join machine m on m.id = r.machine
      where r.state = 'running' and r.lease_until > clock_timestamp() and m.role = session_user
        and r.agent_used = coalesce(e.agent, p_limits->>'agent'))
    and (e.account is null or coalesce((p_limits->'account_slots'->>e.account)::int, 1000000) > (
      select count(*) from entry r join machine m on m.id = r.machine
      where r.state = 'running' and r.lease_until > clock_timestamp() and m.role = session_user and r.account = e.account))
    and not exists (select from account a
      where a.owner = session_user and a.name = account_of(e, p_limits->>'agent')
        and (a.until > clock_timestamp() or exists (select from entry c
          where c.id = a.canary and c.state = 'running' and c.lease_until > clock_timestamp())))
$$;

create function holdfast.may_begin(e holdfast.entry, p_machine uuid) returns boolean
language sql stable security definer set search_path = holdfast, pg_temp as $$
  select (e.not_before is null or e.not_before <= clock_timestamp())
    and not exists (select from unnest(e.after) a where not exists (select from entry b where b.id = a
      and b.removed_at is null and (b.state = 'done' or (b.state = 'failed' and b.on_failure = 'continue'))))
    and (e.continues is null or exists (select from entry b where b.id = e.continues and b.machine = p_machine
      and not exists (select from entry r join entry rb on rb.id = r.continues
        where r.state = 'running' and r.id <> e.id and rb.machine = b.machine and rb.worktree = b.worktree)))
$$;

create function holdfast.is_day_used(p_day jsonb) returns boolean
language sql stable security definer set search_path = holdfast, pg_temp as $$
  select coalesce(sum(cost_usd) >= (p_day->>'cost_usd')::numeric, false) or coalesce(sum(tokens) >= (p_day->>'tokens')::numeric, false)
  from day_use where owner = session_user and day = p_day->>'day'
$$;

create function holdfast.take_entry(p_machine uuid, p_token uuid, p_labels text[], p_trusted text[], p_lease_seconds int,
  p_limits jsonb) returns setof holdfast.entry
language plpgsql security definer set search_path = holdfast, pg_temp as $$
declare
  chosen uuid;
  is_over boolean;
begin
  perform own_machine(p_machine);
  if p_lease_seconds not between 1 and 86400 then perform rule('no-such-lease'); end if;
  -- All that is counted below is counted by one at a time of those who share it.
  insert into person (name) values (session_user) on conflict do nothing;
  perform 1 from person where name = session_user for update;
  -- The same token again: the same entry, or, where that is over, nothing.
  perform 1 from taking where token = p_token;
  if found then
    return query select * from entry where token = p_token and machine = p_machine and state = 'running'
      and lease_until > clock_timestamp();
    return;
  end if;
  select e.id into chosen from entry e
  where e.state = 'running' and e.removed_at is null and e.lease_until <= clock_timestamp()
    and fits_worker(e, p_machine, p_labels, p_trusted, p_limits)
  order by e.priority desc, e.position, e.id limit 1 for update skip locked;
  is_over := chosen is not null;
  if chosen is null then
    if exists (select from queue where paused_at is not null or hold_until > clock_timestamp()) or is_day_used(p_limits->'day') then return; end if;
    select e.id into chosen from entry e
    where e.state = 'queued' and e.removed_at is null and fits_worker(e, p_machine, p_labels, p_trusted, p_limits) and may_begin(e, p_machine)
      and has_room(e, p_limits)
    order by e.priority desc, e.position, e.id limit 1 for update skip locked;
  end if;
  if chosen is null then return; end if;
  update entry e set state = 'running', machine = p_machine, epoch = e.epoch + 1, token = p_token, is_taken_over = is_over,
    lease_seconds = p_lease_seconds, renewed_at = clock_timestamp(),
    lease_until = clock_timestamp() + make_interval(secs => p_lease_seconds), wish = null,
    agent_used = coalesce(e.agent, p_limits->>'agent', ''), run_id = coalesce(e.run_id, gen_random_uuid()),
    started_at = coalesce(e.started_at, clock_timestamp()), reason = null, revision = e.revision + 1
  where e.id = chosen;
  insert into taking (token, entry, epoch, machine, is_taken_over)
    select p_token, id, epoch, p_machine, is_over from entry where id = chosen;
  update account a set canary = chosen from entry e
  where e.id = chosen and a.owner = session_user and a.name = account_of(e, p_limits->>'agent') and not is_over;
  perform note_queue();
  return query select * from entry where id = chosen;
end
$$;

create function holdfast.renew(p_entry uuid, p_epoch bigint, p_token uuid, p_lease_seconds int) returns text
language plpgsql security definer set search_path = holdfast, pg_temp as $$
begin
  perform hold_fence(p_entry, p_epoch, p_token);
  if p_lease_seconds not between 1 and 86400 then perform rule('no-such-lease'); end if;
  update entry set lease_seconds = p_lease_seconds, renewed_at = clock_timestamp(),
    lease_until = clock_timestamp() + make_interval(secs => p_lease_seconds)
  where id = p_entry;
  return (select wish from entry where id = p_entry);
end
$$;

create function holdfast.finish(p_entry uuid, p_epoch bigint, p_token uuid, p_end jsonb) returns void
language plpgsql security definer set search_path = holdfast, pg_temp as $$
declare
  wanted record;
begin
  -- What was finished by the same holder already is not finished twice: its reply was lost on the way.
  perform 1 from entry e join taking t on t.entry = e.id and t.epoch = e.epoch
  where e.id = p_entry and e.epoch = p_epoch and t.token = p_token and e.token is null and e.state <> 'running'
    and exists (select from machine m where m.id = e.machine and m.role = session_user);
  if found then return; end if;
  perform hold_fence(p_entry, p_epoch, p_token);
  select * into wanted from jsonb_to_record(p_end) as w(outcome text, reason text, worktree text, has_prompted boolean,
    report text, question text);
  update entry set token = null, lease_until = null, wish = null, revision = revision + 1, reason = wanted.reason,
    state = case when wanted.outcome = 'done' then 'done'
      when not wanted.has_prompted and retries_left > 0 then 'queued' else 'failed' end,
    retries_left = case when wanted.outcome <> 'done' and not wanted.has_prompted and retries_left > 0
      then retries_left - 1 else retries_left end
  where id = p_entry;
  update entry set ended_at = clock_timestamp(), worktree = wanted.worktree, question = wanted.question,
    report = coalesce(wanted.report, report)
  where id = p_entry and state in ('done', 'failed');
  perform note_queue();
end
$$;

create function holdfast.release(p_entry uuid, p_epoch bigint, p_token uuid) returns void
language plpgsql security definer set search_path = holdfast, pg_temp as $$
begin
  perform hold_fence(p_entry, p_epoch, p_token);
  update entry set token = null, lease_until = clock_timestamp(), wish = null, revision = revision + 1 where id = p_entry;
  perform note_queue();
end
$$;

create function holdfast.wish_hand_over(p_machine uuid) returns int
language plpgsql security definer set search_path = holdfast, pg_temp as $$
declare
  wished int;
begin
  perform own_machine(p_machine);
  update entry set wish = 'hand-over' where machine = p_machine and state = 'running' and lease_until > clock_timestamp();
  get diagnostics wished = row_count;
  return wished;
end
$$;

create function holdfast.offer_work(p_id uuid, p_machine uuid, p_labels text[], p_trusted text[], p_agents text[], p_slots int)
returns void
language plpgsql security definer set search_path = holdfast, pg_temp as $$
begin
  perform own_machine(p_machine);
  insert into worker (id, machine, labels, trusted, agents, slots) values (p_id, p_machine, p_labels, p_trusted, p_agents, p_slots)
  on conflict (id) do update set labels = excluded.labels, trusted = excluded.trusted, agents = excluded.agents,
    slots = excluded.slots, seen_at = clock_timestamp() where worker.machine = p_machine;
  delete from worker where machine = p_machine and seen_at < clock_timestamp() - interval '1 hour';
end
$$;

create function holdfast.end_work(p_id uuid, p_machine uuid) returns void
language plpgsql security definer set search_path = holdfast, pg_temp as $$
begin
  perform own_machine(p_machine);
  delete from worker where id = p_id and machine = p_machine;
end
$$;

create function holdfast.note_account(p_machine uuid, p_account text, p_until timestamptz, p_scope text) returns void
language plpgsql security definer set search_path = holdfast, pg_temp as $$
begin
  perform own_machine(p_machine);
  if p_until is not null then
    insert into account (owner, name, until, scope) values (session_user, p_account, p_until, p_scope)
    on conflict (owner, name) do update set until = excluded.until, scope = excluded.scope, canary = null
    where account.until < excluded.until;
    return;
  end if;
  -- The service answered the one that tried first.
  delete from account a using entry c
  where a.owner = session_user and a.name = p_account and c.id = a.canary and c.machine = p_machine;
  if found then perform pg_notify('hf_queue', ''); end if;
end
$$;

create function holdfast.note_day(p_machine uuid, p_day text, p_cost_usd numeric, p_tokens numeric)
returns table (cost_usd numeric, tokens numeric)
language plpgsql security definer set search_path = holdfast, pg_temp as $$
begin
  perform own_machine(p_machine);
  insert into day_use as d (owner, day, machine, cost_usd, tokens) values (session_user, p_day, p_machine, p_cost_usd, p_tokens)
  on conflict (owner, day, machine) do update set cost_usd = excluded.cost_usd, tokens = excluded.tokens
  where d.cost_usd <> excluded.cost_usd or d.tokens <> excluded.tokens;
  return query select coalesce(sum(u.cost_usd), 0), coalesce(sum(u.tokens), 0) from day_use u
    where u.owner = session_user and u.day = p_day and u.machine <> p_machine;
end
$$;

create or replace function holdfast.leave_fleet(p_machine uuid) returns void
language plpgsql security definer set search_path = holdfast, pg_temp as $$
begin
  perform own_machine(p_machine);
  if exists (select from entry where machine = p_machine and state = 'running' and lease_until > clock_timestamp()) then
    perform rule('holds-runs');
  end if;
  perform end_machine(p_machine, 'the machine left the fleet');
end
$$;

create or replace function holdfast.note_restored() returns void
language plpgsql security definer set search_path = holdfast, pg_temp as $$
begin
  update fleet set incarnation = gen_random_uuid();
  -- Whoever has one of these may still be at work until its own deadline: nobody writes with it, and nobody takes it before then.
  update entry set token = null, revision = revision + 1,
    lease_until = clock_timestamp() + make_interval(secs => coalesce(lease_seconds, 300))
  where state = 'running' and token is not null;
  update queue set hold_until = clock_timestamp()
    + make_interval(secs => (select greatest(300, max(lease_seconds)) from entry));
  insert into audit (what, subject) values ('restored', '');
  perform note_queue();
end
$$;

revoke all on function holdfast.note_queue, holdfast.hold_fence, holdfast.enqueue, holdfast.found_entry, holdfast.change_entry,
  holdfast.move_entry, holdfast.remove_entry, holdfast.pause_queue, holdfast.pause_entry, holdfast.may_decide,
  holdfast.retry_entry, holdfast.settle_entry, holdfast.fits_worker, holdfast.account_of, holdfast.has_room,
  holdfast.may_begin, holdfast.is_day_used, holdfast.take_entry, holdfast.renew, holdfast.finish, holdfast.release,
  holdfast.wish_hand_over, holdfast.offer_work, holdfast.end_work, holdfast.note_account, holdfast.note_day from public;
grant select on holdfast.queue, holdfast.person, holdfast.account, holdfast.day_use, holdfast.worker to holdfast_viewer;
-- A token is its holder's alone.
grant select (id, state, priority, position, needs, agent, account, repository, base, continues, project, plan, content, options,
  after, not_before, on_failure, retries_left, created_by, created_from, created_at, revision, run_id, machine, agent_used, epoch,
  is_taken_over, lease_seconds, lease_until, renewed_at, wish, started_at, ended_at, reason, worktree, question, report, removed_at)
  on holdfast.entry to holdfast_viewer;
grant select (entry, epoch, machine, is_taken_over, at) on holdfast.taking to holdfast_viewer;
grant execute on function holdfast.hold_fence, holdfast.take_entry, holdfast.renew, holdfast.finish, holdfast.release,
  holdfast.wish_hand_over, holdfast.offer_work, holdfast.end_work, holdfast.note_account, holdfast.note_day,
  holdfast.retry_entry, holdfast.settle_entry to holdfast_worker;
grant execute on function holdfast.enqueue, holdfast.change_entry, holdfast.move_entry, holdfast.remove_entry,
  holdfast.pause_queue, holdfast.pause_entry to holdfast_person;
`;
