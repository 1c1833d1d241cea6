// How large a fleet may become, on a PostgreSQL of its own: node scripts/fleet/scale.mjs [sessions] [links]
// What a person waits for among 100,000 sessions, as the database itself measures it, and what 250 links cost while idle.
import { fork } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { buildOurs, childrenOf, cpuMsOf, median, sleep } from './lib.mjs';

const [sessions = 100_000, links = 250] = process.argv.slice(2).map(Number);
const MACHINES = 1_000;
const RUNS = 21;
const PER_PROCESS = 50;
const WINDOW_MS = 60_000;

const { cluster, connect, Hub, migrate, parseAddress, nodeFileSystem, systemClock, silentLogger } =
  await buildOurs();
const db = await cluster({
  max_connections: String(links + 100),
  shared_buffers: '256MB',
  max_wal_size: '4GB',
});
try {
  const hub = new Hub(await connection());
  await migrate(hub.connection);
  await fill();
  await measureQueries();
  await measureLinks();
  await hub.connection.close();
} finally {
  await db[Symbol.asyncDispose]();
}

function connection() {
  const address = parseAddress(db.url);
  const passwordFor = () => address.password;
  return connect({ address, passwordFor, fileSystem: nodeFileSystem, clock: systemClock, log: silentLogger });
}

/** Most are over; one in 200 waits for somebody, one in 100 is at work. Each has about a kilobyte of summary. */
async function fill() {
  await db.sql(
    `insert into holdfast.machine (id, name, role, version, boot_id)
     select md5('m' || n)::uuid, 'm' || n, 'owner', '1', 'b' from generate_series(1, ${MACHINES}) n`,
  );
  await db.sql(
    `insert into holdfast.session (home, kind, id, stamp, state, needs_person, is_ended, created_at, last_activity, summary)
     select md5('m' || (1 + n % ${MACHINES}))::uuid, case when n % 4 = 0 then 'run' else 'question' end, md5('s' || n)::uuid::text,
       md5(n::text), case when n % 100 = 0 then 'running' when n % 200 = 1 then 'pending' else 'completed' end,
       n % 200 = 1, n % 100 <> 0 and n % 200 <> 1, now() - n * interval '1 minute', now() - n * interval '1 minute',
       jsonb_build_object('title', 'session ' || n, 'text', (select string_agg(md5(n || '-' || i), ' ') from generate_series(1, 28) i))
     from generate_series(1, ${sessions}) n`,
  );
  await db.sql(
    `insert into holdfast.request (id, home, sender, session_kind, session, kind, body, by, state, reply, settled_at)
     select md5('r' || n)::uuid, s.home, s.home, 'question', s.id, 'answer', '{"answers":[{"questionIndex":0,"selectedOption":"A"}]}',
       'owner', 'applied', '{"outcome":{"status":"completed"}}', now()
     from (select row_number() over () as n, home, id from holdfast.session where kind = 'question' and is_ended limit ${sessions}) s`,
  );
  await db.sql(
    `insert into holdfast.audit (by, what, subject) select 'owner', 'join', 'm' || n from generate_series(1, ${2 * sessions}) n
     where n <= ${2 * sessions} - (select count(*) from holdfast.request)`,
  );
  await db.sql('vacuum analyze');
  const [row] = await db.sql(
    `select (select count(*) from holdfast.session) as sessions, (select count(*) from holdfast.session where needs_person) as waiting,
       (select count(*) from holdfast.request) + (select count(*) from holdfast.audit) as events,
       pg_size_pretty(pg_total_relation_size('holdfast.session')) as session_size, pg_size_pretty(pg_database_size(current_database())) as size`,
  );
  console.log(row);
}

/** The statements are the program's own: they are written down as it sends them, and explained. */
async function measureQueries() {
  const [{ home, id }] = await db.sql(
    `select (select id from holdfast.machine where id <> s.home limit 1) as home, s.id
     from holdfast.session s where s.needs_person and s.kind = 'question' limit 1`,
  );
  const calls = {
    'inbox: what waits anywhere': (hub) => hub.sessions(home, 'question', 'waiting'),
    'overview: what is open': (hub) => hub.sessions(home, 'run', 'open'),
    'fleet status: machines': (hub) => hub.machines(),
    'one session by its id': (hub) => hub.sessions(home, 'question', { prefix: id }),
    'one session by four letters': (hub) => hub.sessions(home, 'question', { prefix: id.slice(0, 4) }),
    'what the hub has of a machine': (hub) => hub.stamps(home, 'question'),
    'everything (--all, 1,000 rows)': (hub) => hub.sessions(home, 'question', 'all'),
  };
  const one = await connection();
  for (const [what, call] of Object.entries(calls)) {
    const said = [];
    const recorder = {
      async rows(sql, values = []) {
        said.push([sql, values]);
        return [];
      },
    };
    await call(new Hub(recorder)).catch(() => {});
    const [[sql, values]] = said;
    const times = [];
    let rows = 0;
    for (let run = 0; run < RUNS; run++) {
      const [plan] = await one.rows(`explain (analyze, format json) ${sql}`, values);
      const [{ Plan: top, 'Execution Time': ms }] = plan['QUERY PLAN'];
      rows = top['Actual Rows'];
      times.push(ms);
    }
    console.log(
      `${what}: ${median(times).toFixed(2)} ms median (least ${Math.min(...times).toFixed(2)}, most ${Math.max(...times).toFixed(2)}), ${rows} rows`,
    );
  }
  await one.close();
}

async function measureLinks() {
  const own = fileURLToPath(new URL('idle-links.mjs', import.meta.url));
  const children = [];
  for (let at = 0; at < links; at += PER_PROCESS) {
    const child = fork(own, [db.url, String(at), String(Math.min(PER_PROCESS, links - at))]);
    await new Promise((resolve, reject) => {
      child.once('message', resolve);
      child.once('exit', () => reject(new Error('a process with links ended')));
    });
    children.push(child);
  }
  const server = db.server().pid;
  await sleep(20_000); // what the start left to do
  const spent = (pids) => pids.reduce((sum, pid) => sum + cpuMsOf(pid), 0);
  const servers = [server, ...childrenOf(server)];
  const before = [spent(servers), spent(children.map(({ pid }) => pid))];
  await sleep(WINDOW_MS);
  const after = [spent(servers), spent(children.map(({ pid }) => pid))];
  // Of two cores, whatever this machine has.
  const [database, programs] = after.map((ms, at) => (100 * (ms - before[at])) / WINDOW_MS / 2);
  const [{ n }] = await db.sql(
    "select count(*) as n from pg_stat_activity where application_name = 'holdfast'",
  );
  const memory = children.reduce((sum, { pid }) => sum + rssOf(pid), 0);
  console.log(
    `${links} idle links in ${children.length} processes (${n} connections): PostgreSQL ${database.toFixed(2)} %, the links ${programs.toFixed(2)} % of two cores; ${(memory / links).toFixed(1)} MB a link`,
  );
  for (const child of children) child.kill('SIGKILL');
}

function rssOf(pid) {
  const [, kilobytes = '0'] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kilobytes) / 1024;
}
