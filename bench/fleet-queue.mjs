// An idle worker of a fleet: its share of a core and its connections. node bench/fleet-queue.mjs [seconds]
// Wants a build (npm run build) and the programs of a PostgreSQL server.
import { execFileSync, spawn } from 'node:child_process';
import { chownSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';

const SECONDS = Number(process.argv[2] ?? 60);
const LIMIT_PERCENT = 0.1;
const root = dirname(dirname(fileURLToPath(import.meta.url)));
const holdfast = join(root, 'dist', 'cli', 'holdfast.cjs');
const bin = serverPrograms();
const directory = mkdtempSync(join(tmpdir(), 'hf-bench-'));
const as = unprivileged();
chownSync(directory, as.uid ?? process.getuid(), as.gid ?? process.getgid());
const port = await freePort();
const data = join(directory, 'data');
execFileSync(join(bin, 'initdb'), ['-D', data, '-U', 'owner', '-A', 'trust', '-N'], {
  ...as,
  stdio: 'ignore',
});
const server = spawn(
  join(bin, 'postgres'),
  ['-D', data, '-k', directory, '-p', String(port), '-c', 'listen_addresses=127.0.0.1'],
  { ...as, stdio: 'ignore' },
);
const home = mkdtempSync(join(tmpdir(), 'hf-bench-home-'));
const env = { ...process.env, HOLDFAST_HOME: home, HOME: home };
let worker;
try {
  const admin = await connected('postgres');
  await admin.query('create database holdfast');
  await admin.end();
  const url = `postgres://owner@127.0.0.1:${port}/holdfast`;
  execFileSync(process.execPath, [holdfast, 'fleet', 'init', url, '--name', 'bench'], {
    env,
    stdio: 'ignore',
  });
  worker = spawn(process.execPath, [holdfast, 'worker', '--quiet'], { env, stdio: 'ignore' });
  // The first seconds load, connect and look at what is there.
  await new Promise((resolve) => setTimeout(resolve, 10_000));
  const watcher = await connected('holdfast');
  const before = cpuSeconds(worker.pid);
  await new Promise((resolve) => setTimeout(resolve, SECONDS * 1_000));
  const percent = ((cpuSeconds(worker.pid) - before) / SECONDS) * 100;
  const { rows } = await watcher.query(
    "select count(*)::int as count from pg_stat_activity where application_name = 'holdfast'",
  );
  await watcher.end();
  const row = { seconds: SECONDS, percentOfACore: Number(percent.toFixed(3)), connections: rows[0].count };
  console.log(JSON.stringify(row));
  if (percent > LIMIT_PERCENT || row.connections !== 1) process.exitCode = 1;
} finally {
  if (worker !== undefined) process.kill(worker.pid, 'SIGKILL');
  server.kill('SIGQUIT');
  await new Promise((resolve) => server.once('exit', resolve));
  for (const path of [directory, home]) rmSync(path, { recursive: true, force: true });
}

/** User and system time of a process, all its threads. */
function cpuSeconds(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ');
  const ticks = Number(fields[11]) + Number(fields[12]);
  return ticks / Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }));
}

async function connected(database) {
  for (let left = 100; ; left -= 1) {
    const client = new pg.Client({ host: '127.0.0.1', port, user: 'owner', database });
    try {
      await client.connect();
      return client;
    } catch (error) {
      if (left === 0) throw error;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}

function serverPrograms() {
  const places = existsSync('/usr/lib/postgresql')
    ? readdirSync('/usr/lib/postgresql').map((version) => join('/usr/lib/postgresql', version, 'bin'))
    : [];
  const found = [...places, ...(process.env.PATH ?? '').split(':')].find((place) =>
    existsSync(join(place, 'initdb')),
  );
  if (found === undefined) throw new Error('there is no PostgreSQL here');
  return found;
}

function unprivileged() {
  if (process.geteuid() !== 0) return {};
  const id = (flag) => Number(execFileSync('id', [flag, 'nobody'], { encoding: 'utf8' }));
  return { uid: id('-u'), gid: id('-g') };
}

function freePort() {
  return new Promise((resolve) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const { port: found } = probe.address();
      probe.close(() => resolve(found));
    });
  });
}
