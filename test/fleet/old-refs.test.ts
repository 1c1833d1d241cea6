import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { chmodSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect } from 'vitest';
import { createServices } from '../../src/app/base.js';
import { workbenchOf } from '../../src/app/sessions/open-processes.js';
import { type Door, openRepository, removeOldRefs } from '../../src/fleet/index.js';
import { Checkpoints } from '../../src/hub/index.js';
import { doorTo, emptyQueue, FleetQueues } from '../support/fleet-queues.js';
import { manyEntries } from '../support/many-entries.js';
import { type Cluster, cluster } from '../support/postgres.js';
import { POSTGRES } from '../support/postgres-place.js';
import { RecordingLog } from '../support/recording-log.js';
import { type TempDir, tempDir } from '../support/temp-dir.js';
import { verifiesNeeding } from '../support/verifies-needing.js';

describe.skipIf(POSTGRES === undefined)('refs of runs that are over', () => {
  let db: Cluster;
  let queues: FleetQueues;
  let door: Door;
  let dir: TempDir;
  let top: string;
  let remote: string;
  let base: string;
  const log = new RecordingLog();

  beforeAll(async () => {
    [db, dir] = await Promise.all([cluster(), tempDir()]);
    queues = await FleetQueues.open(db);
    door = doorTo(db.url);
    mkdirSync(dir.at('home'));
    top = dir.at('project');
    mkdirSync(top);
    git('init', '--quiet', '-b', 'main');
    base = commit('first');
  });
  beforeEach(async () => {
    await emptyQueue(db);
    remote = dir.at(`${randomUUID()}.git`);
    git('init', '--bare', '--quiet', remote);
    git('push', '--quiet', remote, 'main');
  });
  afterAll(async () => {
    await door?.close();
    await queues?.[Symbol.asyncDispose]();
    await db?.[Symbol.asyncDispose]();
    await dir?.[Symbol.asyncDispose]();
  });

  const environment = () => ({
    PATH: process.env.PATH,
    HOME: dir.at('home'),
    HOLDFAST_HOME: dir.at('own'),
    LC_ALL: 'C',
  });
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@t', ...args], {
      cwd: top,
      encoding: 'utf8',
      env: environment(),
      stdio: ['ignore', 'pipe', 'pipe'],
    }).trim();
  const commit = (content: string) => {
    writeFileSync(join(top, 'a.txt'), content);
    git('add', '-A');
    git('commit', '--quiet', '--allow-empty', '-m', content);
    return git('rev-parse', 'HEAD');
  };
  const refs = () =>
    git('ls-remote', remote)
      .split('\n')
      .flatMap((line) => (line.includes('holdfast/') ? [line.split('\t')[1] ?? ''] : []))
      .sort();

  /** An entry whose run has left a ref, in the given state. */
  async function run(
    state: string,
    more: { days?: number; removedDays?: number; ref?: string; at?: string } = {},
  ) {
    const id = randomUUID();
    await manyEntries(db, 1);
    await db.sql(
      `update holdfast.entry set run_id = $1, state = $2, base = $3, repository = $4,
         ended_at = clock_timestamp() - make_interval(days => $5), removed_at = clock_timestamp() - make_interval(days => $6)
       where run_id is null and repository <> $4`,
      [id, state, base, remote, more.days ?? null, more.removedDays ?? null],
    );
    const ref = `${more.ref ?? 'refs/holdfast'}/${id}/1`;
    git('push', '--quiet', remote, `${more.at ?? commit(id)}:${ref}`);
    return ref;
  }

  /** What a worker does, on a machine that had work from there or on one that had none. */
  async function remove(isKnown = true): Promise<number> {
    const services = createServices({
      environment: environment(),
      workingDirectory: dir.path,
      command: 'test',
    });
    const { tools, clock } = services;
    const workbench = workbenchOf(services);
    const directory = dir.at(isKnown ? 'fleet' : 'stranger');
    mkdirSync(directory, { recursive: true });
    if (isKnown) await openRepository(tools, workbench, directory, remote);
    const checkpoints = async () => new Checkpoints((await door.open()).connection);
    return removeOldRefs({ tools, workbench, directory, clock, log, checkpoints });
  }

  verifiesNeeding(
    'F04',
    { postgres: true },
    'are removed 30 days after the end, branches of ours too; what is younger, open or unknown stays',
    async () => {
      const old = [
        await run('done', { days: 31 }),
        await run('failed', { days: 400, ref: 'refs/heads/holdfast' }),
        await run('queued', { removedDays: 31 }),
      ];
      const kept = [
        await run('done', { days: 29 }),
        await run('running'),
        await run('queued'),
        await run('running', { removedDays: 31 }),
      ];
      const foreign = [`refs/holdfast/${randomUUID()}/1`, 'refs/holdfast/notes', 'refs/heads/holdfast/mine'];
      for (const ref of foreign) git('push', '--quiet', remote, `HEAD:${ref}`);
      expect(refs()).toEqual([...old, ...kept, ...foreign].sort());
      // A machine that never had work from this server does not contact it.
      expect(await remove(false)).toBe(0);
      expect(await remove()).toBe(old.length);
      expect(refs()).toEqual([...kept, ...foreign].sort());
      expect(await remove()).toBe(0);
    },
  );

  verifiesNeeding(
    'F04',
    { postgres: true },
    'stay while something that is queued or runs begins at a commit in them, and go when it is over',
    async () => {
      const agents = commit('of the agent');
      const needed = await run('done', { days: 31, at: commit('snapshot') });
      const old = await run('done', { days: 31, at: base });
      await run('running');
      await db.sql("update holdfast.entry set base = $1 where state = 'running'", [agents]);
      expect(await remove()).toBe(1);
      expect(refs()).toContain(needed);
      expect(refs()).not.toContain(old);
      await db.sql(
        "update holdfast.entry set state = 'done', ended_at = clock_timestamp() where state = 'running'",
      );
      expect(await remove()).toBe(1);
      expect(refs()).not.toContain(needed);
    },
  );

  verifiesNeeding(
    'F04',
    { postgres: true },
    'a server that is away or lets nobody remove anything keeps them, and no other server from being tidied',
    async () => {
      const first = remote;
      const kept = await run('done', { days: 31 });
      const hook = join(first, 'hooks', 'update');
      mkdirSync(join(first, 'hooks'), { recursive: true });
      writeFileSync(hook, '#!/bin/sh\ncase "$3" in *[!0]*) exit 0 ;; esac\nexit 1\n');
      chmodSync(hook, 0o755);
      expect(await remove()).toBe(0);
      expect(refs()).toEqual([kept]);
      expect(log.named('fleet.refs-not-removed').at(-1)?.fields.error).toContain('refused');
      renameSync(first, `${first}.away`);
      const second = dir.at('second.git');
      git('init', '--bare', '--quiet', second);
      remote = second;
      await run('done', { days: 31 });
      expect(await remove()).toBe(1);
      expect(refs()).toEqual([]);
      expect(log.named('fleet.refs-not-removed').at(-1)?.fields.error).toContain('cannot be reached');
    },
  );
});
