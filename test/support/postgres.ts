import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { POSTGRES } from './postgres-place.js';
import { until } from './processes.js';

/** A private PostgreSQL: a real server, not root, on a socket and on loopback. */
export interface Cluster extends AsyncDisposable {
  readonly port: number;
  readonly directory: string;
  /** Connects as the owner of everything. */
  readonly url: string;
  urlOf(user: string, password?: string, database?: string): string;
  sql(text: string, values?: readonly unknown[], database?: string): Promise<Record<string, unknown>[]>;
  /** Ends the server as a crash would, or cleanly. */
  stop(signal?: NodeJS.Signals): Promise<void>;
  start(): Promise<void>;
  /** The current process. */
  server(): ChildProcess;
  /** Runs one of its programs, such as pg_dump, as its user. */
  tool(name: string, args: readonly string[]): string;
  /** Dumps the whole database; returns the file. */
  dump(name: string): string;
  /** Restores the database from such a file, in one step, even while clients are connected. */
  restore(file: string): void;
}

export const OWNER_PASSWORD = 'owner p@ss/word:1';

export async function cluster(settings: Readonly<Record<string, string>> = {}): Promise<Cluster> {
  if (POSTGRES === undefined) throw new Error('there is no PostgreSQL here');
  const bin = POSTGRES;
  const directory = mkdtempSync(join(tmpdir(), 'hf-pg-'));
  const as = unprivileged();
  if (as.uid !== undefined) chownSync(directory, as.uid, as.gid ?? as.uid);
  const data = join(directory, 'data');
  const passwordFile = join(directory, 'pw');
  writeFileSync(passwordFile, `${OWNER_PASSWORD}\n`);
  if (as.uid !== undefined) chownSync(passwordFile, as.uid, as.gid ?? as.uid);
  const tool = (name: string, args: readonly string[]) =>
    execFileSync(join(bin, name), [...args], {
      ...as,
      cwd: directory,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { PATH: process.env.PATH, PGPASSWORD: OWNER_PASSWORD, LC_ALL: 'C.UTF-8', HOME: directory },
    });
  tool('initdb', [
    '-D',
    data,
    '-U',
    'owner',
    '-A',
    'scram-sha-256',
    `--pwfile=${passwordFile}`,
    '-N',
    '-E',
    'UTF8',
  ]);
  const port = await freePort();
  let server: ChildProcess | undefined;
  const sql: Cluster['sql'] = async (text, values = [], database = 'postgres') => {
    const client = new pg.Client({
      host: '127.0.0.1',
      port,
      user: 'owner',
      password: OWNER_PASSWORD,
      database,
    });
    client.on('error', () => {});
    await client.connect();
    try {
      return (await client.query(text, [...values])).rows as Record<string, unknown>[];
    } finally {
      await client.end();
    }
  };
  const start = async () => {
    const own = Object.entries({ fsync: 'off', listen_addresses: '127.0.0.1', ...settings });
    const args = [
      '-D',
      data,
      '-k',
      directory,
      '-p',
      String(port),
      ...own.flatMap(([key, value]) => ['-c', `${key}=${value}`]),
    ];
    server = spawn(join(bin, 'postgres'), args, { ...as, cwd: directory, stdio: 'ignore' });
    await until(() =>
      sql('select 1').then(
        () => true,
        () => false,
      ),
    );
  };
  const stop = async (signal: NodeJS.Signals = 'SIGINT') => {
    const one = server;
    if (one === undefined || one.exitCode !== null || one.signalCode !== null) return;
    const ended = new Promise<void>((resolve) => one.once('exit', () => resolve()));
    one.kill(signal);
    await ended;
  };
  await start();
  const urlOf = (user: string, password?: string, database = 'holdfast') =>
    `postgres://${user}${password === undefined ? '' : `:${encodeURIComponent(password)}`}@127.0.0.1:${port}/${database}`;
  await sql('create database holdfast');
  const asOwner = ['-h', '127.0.0.1', '-p', String(port), '-U', 'owner'];
  return {
    port,
    directory,
    url: urlOf('owner', OWNER_PASSWORD),
    urlOf,
    sql: (text, values, database = 'holdfast') => sql(text, values, database),
    stop,
    start,
    server() {
      if (server === undefined) throw new Error('it was never started');
      return server;
    },
    tool,
    dump(name) {
      const file = join(directory, name);
      tool('pg_dump', [...asOwner, '-Fc', '-f', file, 'holdfast']);
      return file;
    },
    restore(file) {
      const whole = ['--clean', '--if-exists', '--single-transaction'];
      tool('pg_restore', [...asOwner, ...whole, '-d', 'holdfast', file]);
    },
    async [Symbol.asyncDispose]() {
      await stop('SIGQUIT');
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** PostgreSQL refuses to run as root. */
export function unprivileged(): { readonly uid?: number; readonly gid?: number } {
  if (process.geteuid?.() !== 0) return {};
  for (const user of ['postgres', 'nobody']) {
    const found = ['-u', '-g'].map((flag) => spawnSync('id', [flag, user], { encoding: 'utf8' }));
    if (found.every(({ status }) => status === 0)) {
      const [uid, gid] = found.map(({ stdout }) => Number(stdout.trim()));
      return { uid: uid ?? 65_534, gid: gid ?? 65_534 };
    }
  }
  return { uid: 65_534, gid: 65_534 };
}

export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}
