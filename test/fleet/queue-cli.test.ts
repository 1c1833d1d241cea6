import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { type Cluster, cluster } from '../support/postgres.js';
import { POSTGRES } from '../support/postgres-place.js';
import { until } from '../support/processes.js';
import { CODE, done, PLAN, write } from '../support/run-world.js';
import { Pane } from '../support/tmux.js';
import { verifiesNeeding } from '../support/verifies-needing.js';
import { type WorktreeWorld, worktreeWorld } from '../support/worktree-world.js';

const WORKS = [{ steps: [write('adder.mjs', CODE), done] }];
const QUICK = ['--agent', 'player', '--phases', 'work', '--verify', 'true', '--unattended'];

describe.skipIf(POSTGRES === undefined)('a queue for two machines', () => {
  let db: Cluster;
  let laptop: WorktreeWorld;
  let workstation: WorktreeWorld;

  beforeAll(async () => {
    db = await cluster();
    [laptop, workstation] = await Promise.all([worktreeWorld(WORKS), worktreeWorld(WORKS)]);
    const remote = laptop.dir.at('remote.git');
    laptop.git(['clone', '--quiet', '--bare', '.', remote]);
    laptop.git(['remote', 'add', 'origin', remote]);
    laptop.git(['fetch', '--quiet', 'origin']);
    await laptop.run(['fleet', 'init', '-', '--name', 'owner'], { input: db.url });
    const [ann, bob] = [await invite('ann'), await invite('bob')];
    await laptop.run(['fleet', 'leave']);
    await laptop.run(['fleet', 'join', '-', '--name', 'laptop'], { input: ann });
    await workstation.run(['fleet', 'join', '-', '--name', 'workstation'], { input: bob });
  });

  afterAll(async () => {
    await laptop?.[Symbol.asyncDispose]();
    await workstation?.[Symbol.asyncDispose]();
    await db?.[Symbol.asyncDispose]();
  });

  async function invite(name: string): Promise<string> {
    const { data } = await laptop.json(['fleet', 'invite', name]);
    return data.url.replace('@', `:${data.password}@`);
  }

  const cloned = () => {
    const place = join(workstation.env.HOLDFAST_HOME ?? '', 'state', 'fleet', 'repositories');
    return existsSync(place) ? readdirSync(place) : [];
  };

  const head = () => laptop.git(['rev-parse', 'HEAD']).trim();
  /** The commits that were pushed so that work can start from them, with their refs. */
  const kept = () =>
    laptop
      .git(['ls-remote', 'origin', 'refs/holdfast/base/*'])
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => line.split('\t'));

  verifiesNeeding(
    'F03',
    { postgres: true },
    'what is queued on one machine runs on another that trusts who queued it, and on no other',
    async () => {
      const added = await laptop.run(['queue', 'add', PLAN, ...QUICK]);
      expect(added.stderr).toContain('refs/holdfast/');
      const [, id = ''] = /^Queued (\S{8})/.exec(added.stdout) ?? [];
      const refused = await workstation.run(['worker', '--once']);
      expect(refused).toMatchObject({ code: 0, stdout: '' });
      expect(refused.stderr).toContain('Nothing that is queued may run now');
      expect(workstation.prompts()).toEqual([]);
      expect(cloned()).toEqual([]);
      const top = await workstation.run(['top', '--once']);
      expect(top.stdout).toMatch(new RegExp(`^laptop .*${id}.*in the queue of the fleet`, 'm'));
      const waiting = workstation.start(['worker']);
      await until(async () =>
        (await laptop.run(['queue', 'list'])).stdout.includes('no worker runs what ann queues'),
      );
      waiting.child.kill('SIGTERM');
      await waiting.ended;
      await workstation.run(['config', 'set', 'fleet.trust', '["ann"]']);
      const worked = await workstation.run(['worker', '--once']);
      expect(worked.stdout).toContain(`${id} ${PLAN}: done`);
      const listed = await laptop.run(['queue', 'list', '--all']);
      expect(listed.stdout).toMatch(new RegExp(`${id}\\s+workstation\\s+done`));
      const { data } = await laptop.json(['queue', 'show', id]);
      expect(data).toMatchObject({
        entry: { status: 'done', fleet: { by: 'ann', from: 'laptop', machine: 'workstation' } },
        report: { status: 'completed' },
      });
      expect(workstation.prompts()).toHaveLength(1);
      expect(laptop.prompts()).toEqual([]);
      expect(await laptop.run(['report', data.entry.runId])).toMatchObject({
        code: 3,
        stderr: expect.stringMatching(/is on workstation: its report is made there[\s\S]*queue show/),
      });
      // Its result is at the remote, one command away for the person who queued it.
      const shown = await laptop.run(['queue', 'show', id]);
      const [, repository = '', ref = ''] =
        /^result +git fetch (\S+) (\S+) && git merge/m.exec(shown.stdout) ?? [];
      laptop.git(['fetch', '--quiet', repository.replaceAll("'", ''), ref]);
      expect(laptop.git(['show', 'FETCH_HEAD:adder.mjs'])).toContain(CODE.trim());
      const { data: more } = await laptop.json(['queue', 'add', PLAN, ...QUICK]);
      const removed = await laptop.run(['queue', 'remove', more[0].id]);
      expect(removed).toMatchObject({ code: 0, stderr: '' });
    },
  );

  verifiesNeeding(
    'F03',
    { postgres: true },
    'a worker that is stopped suspends its run and gives the entry back; the next one goes on with it',
    async () => {
      workstation.script([{ steps: [{ say: 'I wait' }, { hang: true }] }]);
      const { data } = await laptop.json(['queue', 'add', PLAN, ...QUICK]);
      const id = data[0].id.slice(0, 8);
      const worker = workstation.start(['worker', '--slots', '1']);
      await until(() => workstation.prompts().length === 2);
      expect((await laptop.run(['queue', 'list'])).stdout).toMatch(
        new RegExp(`${id}\\s+workstation\\s+running.*on workstation`),
      );
      expect((await workstation.run(['fleet', 'leave'])).stderr).toContain('holds runs of the fleet');
      worker.child.kill('SIGTERM');
      const left = await worker.ended;
      expect(left.stdout).toContain('given back');
      expect(left.stderr).toContain('Runs of the fleet are suspended and given back');
      expect(left.stderr).not.toContain('Runs of this machine');
      const [entry] = await db.sql(
        'select state, epoch::int as epoch, lease_until <= clock_timestamp() as is_free from holdfast.entry where id = $1',
        [data[0].id],
      );
      expect(entry).toEqual({ state: 'running', epoch: 1, is_free: true });
      workstation.script(WORKS);
      const next = await workstation.run(['worker', '--once']);
      expect(next.stdout).toContain('taken over');
      expect(next.stdout).toContain(`${id} ${PLAN}: done`);
    },
  );

  verifiesNeeding(
    'F03',
    { postgres: true },
    'without its database a worker serves its own queue, and what is of the fleet is said to be left out',
    async () => {
      const away = { env: { HOLDFAST_FLEET_URL: 'postgres://bob@127.0.0.1:1/holdfast' } };
      const refused = await laptop.run(['queue', 'add', PLAN, ...QUICK], away);
      expect(refused).toMatchObject({ code: 1, stdout: '' });
      expect(refused.stderr).toContain('cannot be reached');
      const local = await workstation.run(['queue', 'add', PLAN, ...QUICK, '--local'], away);
      expect(local.code).toBe(0);
      const listed = await workstation.run(['queue', 'list'], away);
      expect(listed.stdout).toContain(PLAN);
      expect(listed.stderr).toContain('The queue of the fleet is left out');
      const worked = await workstation.run(['worker', '--once'], away);
      expect(worked.stdout).toContain(`${PLAN}: done`);
      expect(worked.stderr).toContain('The queue of the fleet is left out');
    },
  );

  verifiesNeeding(
    'F03',
    { postgres: true },
    'a commit that is not on the remote, a project without one and an entry in place are refused with the way out',
    async () => {
      laptop.commitAll('not pushed');
      const refused = await laptop.run(['queue', 'add', PLAN, ...QUICK]);
      expect(refused).toMatchObject({ code: 2, stdout: '' });
      expect(refused.stderr).toMatch(/git push.*--push-base.*--base.*--local/);
      expect(kept()).toEqual([]);
      expect((await laptop.run(['queue', 'add', PLAN, ...QUICK, '--in-place'])).stderr).toContain('--local');
      expect((await workstation.run(['queue', 'add', PLAN, ...QUICK])).stderr).toContain('git remote add');
      const unit = await workstation.run(['worker', '--labels', 'linux,docker', '--slots', '3', '--unit']);
      expect(unit.stdout).toMatch(/^ExecStart=.*"worker" "--slots=3" "--labels=linux,docker" "--quiet"$/m);
    },
  );

  verifiesNeeding(
    'F03',
    { postgres: true, tmux: true },
    'a commit that is not on the remote is pushed when the person says so, and another machine begins at it',
    async () => {
      laptop.put('unpushed.txt', 'not on any branch of the remote\n');
      laptop.commitAll('not pushed');
      await using pane = await Pane.open(laptop, { columns: 160 });
      const command = ['queue', 'add', PLAN, ...QUICK].join(' ');
      const question = `${head().slice(0, 8)} is not at origin. Push it as refs/holdfast/base/${head().slice(0, 12)}? [y/N]`;
      await pane.holdfast(command);
      await pane.until(question);
      await pane.press('Enter');
      expect(await pane.exitCode()).toBe(2);
      expect(kept()).toEqual([]);
      await pane.holdfast(command);
      await pane.until(question);
      await pane.type('y');
      await pane.press('Enter');
      expect(await pane.exitCode()).toBe(0);
      expect(kept()).toEqual([[head(), `refs/holdfast/base/${head().slice(0, 12)}`]]);
      await workstation.run(['config', 'set', 'fleet.trust', '["ann"]']);
      workstation.script(WORKS);
      expect((await workstation.run(['worker', '--once'])).stdout).toContain(`${PLAN}: done`);
      const [worked] = await db.sql(
        `select c.git_oid from holdfast.checkpoint c join holdfast.entry e on e.id = c.entry where e.base = $1`,
        [head()],
      );
      laptop.git(['fetch', '--quiet', 'origin', String(worked?.git_oid)]);
      expect(laptop.git(['show', 'FETCH_HEAD:unpushed.txt'])).toContain('not on any branch');
    },
  );

  verifiesNeeding(
    'F03',
    { postgres: true },
    '--push-base says it for scripts; what is there already is neither asked for nor pushed again',
    async () => {
      laptop.commitAll('not pushed either');
      const before = kept().length;
      const added = await laptop.run(['queue', 'add', PLAN, ...QUICK, '--push-base']);
      expect(added.stderr).toContain(`${head().slice(0, 8)} is not at origin: pushing it as`);
      expect(added.code).toBe(0);
      expect(kept()).toHaveLength(before + 1);
      expect(kept().map(([commit]) => commit)).toContain(head());
      const again = await laptop.run(['queue', 'add', PLAN, ...QUICK]);
      expect(again.code).toBe(0);
      expect(again.stderr).not.toContain('pushing');
    },
  );

  verifiesNeeding(
    'F03',
    { postgres: true },
    'a server that takes branches alone gets a branch; one that cannot be reached is said, and nothing is queued',
    async () => {
      laptop.commitAll('for a branch');
      await laptop.run(['config', 'set', 'fleet.ref', 'branch']);
      expect((await laptop.run(['queue', 'add', PLAN, ...QUICK, '--push-base'])).code).toBe(0);
      const branch = `refs/heads/holdfast/base/${head().slice(0, 12)}`;
      expect(laptop.git(['ls-remote', 'origin', branch])).toBe(`${head()}\t${branch}\n`);
      laptop.commitAll('for nobody');
      laptop.git(['remote', 'set-url', 'origin', laptop.dir.at('nowhere.git')]);
      const away = await laptop.run(['queue', 'add', PLAN, ...QUICK, '--push-base']);
      expect(away).toMatchObject({ code: 1, stdout: '' });
      expect(away.stderr).toContain('The git server cannot be reached');
      expect(await db.sql('select 1 from holdfast.entry where base = $1', [head()])).toEqual([]);
    },
  );
});
