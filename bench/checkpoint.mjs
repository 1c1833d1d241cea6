// PERF-40: what a checkpoint before a prompt costs against what anybody would do who wants the same: `git add -A`, `git commit`,
// `git push` to a bare repository on this disk, and one durable row in PostgreSQL. Twice that is the bound: eight processes of git
// against three, because no filter and no hook may run and the index of the worktree stays as it is.
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { compare, loadOurs, median, ratio, scratchDirectory, untilSteady } from './lib.mjs';

const LIMIT = 'git commit, push, one durable insert';
const FILES = 1_000;

export const rows = [
  {
    id: 'PERF-40',
    what: 'checkpoint before a prompt: snapshot pushed, documents and conversation stored',
    goal: '<= 2 of git add, commit, push and one durable insert',
    run: ({ isQuick }) => untilSteady(() => measureCheckpoint(isQuick)),
  },
];

async function measureCheckpoint(isQuick) {
  const directory = scratchDirectory('checkpoint');
  const server = await startServer(directory);
  const git = (where, ...args) =>
    execFileSync('git', ['-c', 'user.name=b', '-c', 'user.email=b@b', ...args], {
      cwd: where,
      encoding: 'utf8',
    });
  const make = (name) => {
    const top = path.join(directory, name);
    const remote = path.join(directory, `${name}.git`);
    fs.mkdirSync(top);
    git(directory, 'init', '-q', '--bare', remote);
    git(top, 'init', '-q', '-b', 'main');
    for (let at = 0; at < FILES; at++)
      fs.writeFileSync(path.join(top, `file-${at}.txt`), `${at}\n`.repeat(20));
    git(top, 'add', '-A');
    git(top, 'commit', '-q', '-m', 'first');
    git(top, 'push', '-q', remote, 'main');
    return { top, remote };
  };
  const change = ({ top }, at) => {
    for (let file = 0; file < 5; file++)
      fs.writeFileSync(path.join(top, `file-${file}.txt`), `changed ${at}\n`);
    fs.writeFileSync(path.join(top, `new-${at % 10}.txt`), `${at}\n`);
  };
  const [bare, own] = [make('bare'), make('ours')];
  const ours = await (await loadOurs()).openCheckpoints({ ...own, directory, url: server.url });
  const plain = await ours.plainInsert();
  let count = 0;
  const candidates = [
    {
      name: LIMIT,
      count: 1,
      async run() {
        change(bare, ++count);
        git(bare.top, 'add', '-A');
        git(bare.top, 'commit', '-q', '-m', String(count));
        git(bare.top, 'push', '-q', bare.remote, 'HEAD:refs/heads/work');
        await plain();
      },
    },
    {
      name: 'ours',
      count: 1,
      async run() {
        change(own, ++count);
        await ours.store();
      },
    },
  ];
  try {
    const series = await compare(candidates, isQuick ? 7 : 21);
    const value = ratio(series.ours, series[LIMIT]);
    return {
      series,
      steady: [series[LIMIT]],
      limit: { name: LIMIT, ratio: value },
      peers: [],
      checks: [{ what: `of ${LIMIT}`, value, atMost: 2 }],
      notes: [
        `${LIMIT}: ${median(series[LIMIT]).toFixed(0)} ms, ours: ${median(series.ours).toFixed(0)} ms, ${FILES} files`,
      ],
    };
  } finally {
    await ours.close();
    await server.stop();
  }
}

/** A PostgreSQL that syncs, reached through a socket. */
async function startServer(directory) {
  const bin = ['/usr/lib/postgresql/15/bin', '/usr/lib/postgresql/16/bin', '/usr/lib/postgresql/17/bin'].find(
    (one) => fs.existsSync(`${one}/postgres`),
  );
  if (bin === undefined) throw new Error('PERF-40 needs a PostgreSQL where Debian puts it');
  const place = fs.mkdtempSync(path.join(path.dirname(directory), 'bench-pg-'));
  const [uid, gid] = ['-u', '-g'].map((flag) =>
    Number(spawnSync('id', [flag, 'postgres'], { encoding: 'utf8' }).stdout),
  );
  const as = process.getuid() === 0 ? { uid, gid } : {};
  if (as.uid !== undefined) fs.chownSync(place, uid, gid);
  fs.chmodSync(path.dirname(place), 0o711);
  execFileSync(`${bin}/initdb`, ['-D', `${place}/data`, '-U', 'bench', '-A', 'trust', '-N'], {
    ...as,
    cwd: place,
    stdio: 'ignore',
  });
  const child = spawn(`${bin}/postgres`, ['-D', `${place}/data`, '-k', place, '-c', 'listen_addresses='], {
    ...as,
    cwd: place,
    stdio: 'ignore',
  });
  while (!fs.existsSync(`${place}/.s.PGSQL.5432`)) await new Promise((resolve) => setTimeout(resolve, 50));
  return {
    url: `postgres://bench@/postgres?host=${encodeURIComponent(place)}`,
    async stop() {
      const ended = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGINT');
      await ended;
      fs.rmSync(place, { recursive: true, force: true });
    },
  };
}
