import { type ChildProcess, spawn } from 'node:child_process';
import { appendFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { type Cluster, freePort, OWNER_PASSWORD, unprivileged } from './postgres.js';
import { POSTGRES } from './postgres-place.js';
import { killQuietly, pidOf, until } from './processes.js';

/** A second server that follows a first one. */
export interface Standby extends AsyncDisposable {
  readonly port: number;
  /** Makes the first one wait for it at each commit. */
  makeSynchronous(): Promise<void>;
  /** Stops following, as on a slow network; the first one does not notice. */
  stall(): Promise<void>;
  /** Makes it the one that takes writes. */
  promote(): Promise<void>;
  sql(text: string, values?: readonly unknown[]): Promise<Record<string, unknown>[]>;
}

export async function standbyOf(primary: Cluster): Promise<Standby> {
  const data = join(primary.directory, 'standby');
  const port = await freePort();
  primary.tool('pg_basebackup', [
    '-h',
    '127.0.0.1',
    '-p',
    String(primary.port),
    '-U',
    'owner',
    '-D',
    data,
    '-X',
    'stream',
    '-c',
    'fast',
  ]);
  writeFileSync(join(data, 'standby.signal'), '');
  const password = OWNER_PASSWORD.replaceAll(/(['\\])/g, '\\$1');
  const way = `host=127.0.0.1 port=${primary.port} user=owner password='${password}' application_name=second`;
  appendFileSync(
    join(data, 'postgresql.auto.conf'),
    `primary_conninfo = '${way.replaceAll("'", "''")}'\nfsync = off\nlisten_addresses = '127.0.0.1'\n`,
  );
  const args = ['-D', data, '-k', primary.directory, '-p', String(port)];
  const server = spawn(join(POSTGRES ?? '', 'postgres'), args, { ...unprivileged(), stdio: 'ignore' });
  const sql: Standby['sql'] = async (text, values = []) => {
    const client = new pg.Client({
      host: '127.0.0.1',
      port,
      user: 'owner',
      password: OWNER_PASSWORD,
      database: 'holdfast',
    });
    client.on('error', () => {});
    await client.connect();
    try {
      return (await client.query(text, [...values])).rows as Record<string, unknown>[];
    } finally {
      await client.end();
    }
  };
  await until(async () => {
    const rows = await primary.sql("select 1 from pg_stat_replication where application_name = 'second'");
    return rows.length === 1;
  });
  return {
    port,
    sql,
    async makeSynchronous() {
      await primary.sql("alter system set synchronous_standby_names = 'FIRST 1 (second)'");
      await primary.sql('select pg_reload_conf()');
      await until(async () => {
        const rows = await primary.sql("select 1 from pg_stat_replication where sync_state = 'sync'");
        return rows.length === 1;
      });
    },
    async stall() {
      await sql("alter system set primary_conninfo = ''");
      await sql('select pg_reload_conf()');
      await until(async () => (await sql('select 1 from pg_stat_wal_receiver')).length === 0);
    },
    async promote() {
      await until(() =>
        sql('select pg_promote(false)').then(
          () => true,
          () => false,
        ),
      );
      await until(
        async () => (await sql('select pg_is_in_recovery() as is_standby'))[0]?.is_standby === false,
      );
    },
    async [Symbol.asyncDispose]() {
      await end(server, 'SIGQUIT');
    },
  };
}

/** Kills a server and everything it has started, all at once, as a power cut would. */
export async function killWhole(primary: Cluster): Promise<void> {
  const server = primary.server();
  const all = [pidOf(server), ...childrenOf(pidOf(server))];
  for (const pid of all) killQuietly(pid);
  await until(() => server.exitCode !== null || server.signalCode !== null);
}

async function end(server: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return;
  const ended = new Promise((resolve) => server.once('exit', resolve));
  server.kill(signal);
  await ended;
}

function childrenOf(parent: number): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
        return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]) === parent;
      } catch {
        return false; // it ended while we looked
      }
    })
    .map(Number);
}
