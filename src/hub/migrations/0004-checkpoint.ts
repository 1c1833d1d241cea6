/**
 * What a run needs to continue elsewhere: its last checkpoints, the records of its conversation, each stored once, and
 * the questions that come along. Each function that writes for a run begins with `hold_fence`.
 */
export const CHECKPOINT_SQL = `
create table holdfast.checkpoint (
  entry uuid not null references holdfast.entry,
  epoch bigint not null,
  n bigint not null,
  run uuid not null,
  machine uuid not null references holdfast.machine,
  at timestamptz not null default clock_timestamp(),
  /** The snapshot at the git server, what HEAD was, and the ref that has it. */
  git_oid text not null check (git_oid ~ '^[0-9a-f]{40,64}$'),
  git_parent text not null check (git_parent ~ '^[0-9a-f]{40,64}$'),
  git_ref text not null check (length(git_ref) between 1 and 300),
  left_out jsonb not null default '[]' check (octet_length(left_out::text) <= 1048576),
  documents jsonb not null check (octet_length(documents::text) <= 67108864),
  questions jsonb not null default '[]' check (octet_length(questions::text) <= 16777216),
  /** How many records of the conversation there were then. */
  records bigint not null check (records >= 0),
  /** About to be sent: whoever goes on takes it as sent. Null between two iterations. */
  prompt text check (octet_length(prompt) <= 8388608),
  primary key (entry, epoch, n)
);

create table holdfast.record (
  entry uuid not null references holdfast.entry,
  seq bigint not null check (seq >= 0),
  record jsonb not null check (octet_length(record::text) <= 67108864),
  primary key (entry, seq)
);

/** The machine that it is to go to; it counts until somebody has taken it. */
alter table holdfast.entry add column target uuid references holdfast.machine;

create function holdfast.forget_target() returns trigger
language plpgsql as $$
begin
  if new.epoch <> old.epoch then new.target := null; end if;
  return new;
end
$$;
create trigger entry_target before update on holdfast.entry for each row execute function holdfast.forget_target();

create function holdfast.may_go_to(e holdfast.entry, p_machine uuid) returns boolean
language sql stable security definer set search_path = holdfast, pg_temp as $$
  -- A machine that does not come for it does not keep it from everybody else.
  select e.target is null or e.target = p_machine
    or e.lease_until < clock_timestamp() - make_interval(secs => coalesce(e.lease_seconds, 300))
$$;

create or replace function holdfast.fits_worker(e holdfast.entry, p_machine uuid, p_labels text[], p_trusted text[],
  p_limits jsonb) returns boolean
language sql stable security definer set search_path = holdfast, pg_temp as $$
  select e.removed_at is null
    and may_go_to(e, p_machine)
    and e.created_by::text = any(p_trusted)
    and e.needs <@ p_labels
    and (coalesce(jsonb_typeof(p_limits->'repositories'), 'null') = 'null'
      or exists (select from jsonb_array_elements_text(p_limits->'repositories') r where e.repository like r))
    and (coalesce(e.options->>'permissions', '') <> 'bypass' or coalesce((p_limits->>'bypass')::boolean, false))
    and not coalesce(p_limits->'own', '[]') ? e.id::text
    and not exists (select from jsonb_to_recordset(coalesce(p_limits->'refused', '[]')) as r(agent text, account text)
      where r.agent is not distinct from e.agent and r.account is not distinct from e.account)
$$;

create function holdfast.checkpoint(p_entry uuid, p_epoch bigint, p_token uuid, p_git jsonb, p_documents jsonb, p_records jsonb,
  p_count bigint, p_questions jsonb, p_prompt text) returns bigint
language plpgsql security definer set search_path = holdfast, pg_temp as $$
declare
  place bigint;
begin
  perform hold_fence(p_entry, p_epoch, p_token);
  select coalesce(max(n), 0) + 1 into place from checkpoint where entry = p_entry and epoch = p_epoch;
  insert into record (entry, seq, record)
  select p_entry, r.seq, r.record from jsonb_to_recordset(p_records) as r(seq bigint, record jsonb)
  on conflict (entry, seq) do nothing;
  -- One that lacks a record could not be gone on with.
  if (select count(*) from record where entry = p_entry and seq < p_count) <> p_count then perform rule('records-missing'); end if;
  insert into checkpoint (entry, epoch, n, run, machine, git_oid, git_parent, git_ref, left_out, documents, questions, records,
    prompt)
  select p_entry, p_epoch, place, e.run_id, e.machine, p_git->>'commit', p_git->>'parent', p_git->>'ref',
    coalesce(p_git->'left_out', '[]'), p_documents, p_questions, p_count, p_prompt
  from entry e where e.id = p_entry;
  delete from checkpoint c where c.entry = p_entry and (c.epoch, c.n) not in (
    select k.epoch, k.n from checkpoint k where k.entry = p_entry order by k.epoch desc, k.n desc limit 3);
  return place;
end
$$;

create function holdfast.take_over(p_entry uuid, p_epoch bigint, p_token uuid) returns table (id text, summary jsonb)
language plpgsql security definer set search_path = holdfast, pg_temp as $$
#variable_conflict use_column
declare
  one entry;
  moved record;
begin
  perform hold_fence(p_entry, p_epoch, p_token);
  select * into one from entry e where e.id = p_entry;
  -- Records that nobody's checkpoint counts are of an iteration that is lost.
  delete from record r where r.entry = p_entry and r.seq >= coalesce((select c.records from checkpoint c where c.entry = p_entry
    order by c.epoch desc, c.n desc limit 1), 0);
  -- What the run asked on machines that had it before: nobody waits for the answer there any more.
  for moved in
    select s.* from session s
    where s.kind = 'question' and s.home <> one.machine and s.gone_at is null
      and s.summary->'asker'->>'session' = one.run_id::text
      and s.home in (select t.machine from taking t where t.entry = p_entry)
    for update
  loop
    id := moved.id;
    summary := moved.summary;
    insert into session (home, kind, id, stamp, state, needs_person, is_ended, created_at, last_activity, summary)
    values (one.machine, 'question', moved.id, moved.stamp, moved.state, moved.needs_person, moved.is_ended, moved.created_at,
      moved.last_activity, moved.summary)
    on conflict (home, kind, id) do update set stamp = excluded.stamp, state = excluded.state,
      needs_person = excluded.needs_person, is_ended = excluded.is_ended, summary = excluded.summary, gone_at = null
    where session.gone_at is not null;
    update session set gone_at = clock_timestamp(), needs_person = false, is_ended = true, summary = '{}'
    where session.home = moved.home and session.kind = 'question' and session.id = moved.id;
    update request r set home = one.machine, state = 'sent'
    where r.home = moved.home and r.session_kind = 'question' and r.session = moved.id and r.state in ('sent', 'taken')
      and not exists (select from request o where o.home = one.machine and o.session_kind = 'question'
        and o.session = moved.id and o.kind in ('answer', 'reject') and o.state in ('sent', 'taken', 'applied'));
    return next;
  end loop;
  update request r set home = one.machine, state = 'sent'
  where r.home <> one.machine and r.session_kind = 'run' and r.session = one.run_id::text and r.state in ('sent', 'taken')
    and r.home in (select t.machine from taking t where t.entry = p_entry);
  update session set gone_at = clock_timestamp(), needs_person = false, is_ended = true, summary = '{}'
  where session.kind = 'run' and session.id = one.run_id::text and session.home <> one.machine and session.gone_at is null
    and session.home in (select t.machine from taking t where t.entry = p_entry);
  perform pg_notify('hf_inbox', '');
  perform pg_notify(channel(one.machine), '');
end
$$;

create function holdfast.run_entry(p_run text) returns holdfast.entry
language plpgsql security definer set search_path = holdfast, pg_temp as $$
declare
  one entry;
  matches bigint;
begin
  if p_run !~ '^[0-9a-f-]{4,36}$' then perform rule('no-such-run', p_run); end if;
  select count(*) into matches from entry e where (e.run_id::text like p_run || '%' or e.id::text like p_run || '%')
    and e.state = 'running' and e.removed_at is null;
  if matches = 0 then perform rule('no-such-run', p_run); end if;
  if matches > 1 then perform rule('several-runs', p_run); end if;
  select * into one from entry e where (e.run_id::text like p_run || '%' or e.id::text like p_run || '%')
    and e.state = 'running' and e.removed_at is null for update;
  return one;
end
$$;

create function holdfast.move_run(p_run text, p_to text) returns table (entry uuid, run uuid, machine text, is_held boolean)
language plpgsql security definer set search_path = holdfast, pg_temp as $$
#variable_conflict use_column
declare
  one entry;
  target_id uuid;
begin
  one := run_entry(p_run);
  select m.id into target_id from machine m where m.name = p_to and m.left_at is null;
  if target_id is null then perform rule('no-such-machine', p_to); end if;
  if one.machine = target_id and one.lease_until > clock_timestamp() then perform rule('is-there', p_to); end if;
  update holdfast.entry e set target = target_id, wish = 'hand-over', revision = e.revision + 1 where e.id = one.id;
  insert into audit (what, subject) values ('move-run', one.run_id::text || ' ' || p_to);
  perform note_queue();
  return query select one.id, one.run_id, (select m.name from machine m where m.id = one.machine),
    one.lease_until > clock_timestamp() and one.token is not null;
end
$$;

create function holdfast.release_run(p_run text, p_force boolean) returns table (entry uuid, run uuid, machine text)
language plpgsql security definer set search_path = holdfast, pg_temp as $$
#variable_conflict use_column
declare
  one entry;
begin
  one := run_entry(p_run);
  if one.lease_until > clock_timestamp() and one.token is not null and not p_force then perform rule('holder-lives'); end if;
  update holdfast.entry e set token = null, lease_until = clock_timestamp(), wish = null, revision = e.revision + 1
  where e.id = one.id;
  insert into audit (what, subject) values ('release-run', one.run_id::text);
  perform note_queue();
  return query select one.id, one.run_id, (select m.name from machine m where m.id = one.machine);
end
$$;

create or replace function holdfast.tidy() returns int
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
  total := total + removed;
  -- What a run could be gone on with, 30 days after its end.
  delete from checkpoint c using entry e where e.id = c.entry and e.ended_at < clock_timestamp() - interval '30 days';
  get diagnostics removed = row_count;
  total := total + removed;
  delete from record r using entry e where e.id = r.entry and e.ended_at < clock_timestamp() - interval '30 days';
  get diagnostics removed = row_count;
  return total + removed;
end
$$;

revoke all on function holdfast.forget_target, holdfast.may_go_to, holdfast.checkpoint, holdfast.take_over, holdfast.run_entry,
  holdfast.move_run, holdfast.release_run from public;
grant select on holdfast.checkpoint, holdfast.record to holdfast_viewer;
grant select (target) on holdfast.entry to holdfast_viewer;
grant execute on function holdfast.checkpoint, holdfast.take_over to holdfast_worker;
grant execute on function holdfast.move_run, holdfast.release_run to holdfast_person;
`;
