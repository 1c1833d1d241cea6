import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { type AccountsWorld, accountsWorld } from '../support/accounts-world.js';
import { PATIENT } from '../support/deadlines.js';
import type { Running } from '../support/holdfast-binary.js';
import { done, write } from '../support/run-world.js';

const PROJECTS = ['one', 'two', 'three', 'four', 'five', 'six'];
const WORKS = { steps: [write('done.txt', 'done\n'), done] };
const WALL = { steps: [{ rateLimit: { resetsInSeconds: 3_600 } }] };
const paid = (cost: number) => ({
  steps: [{ usage: { input: 100, output: 10, cost } }, write('done.txt', 'done\n'), done],
});

const until = (isSo: () => boolean) => vi.waitUntil(isSo, PATIENT);

/** All of them, which wait for the account. */
async function inLine(world: AccountsWorld, projects: readonly string[], runs: readonly Running[]) {
  for (const run of runs) await run.printed('stdout', /"type":"waiting","cause":"quota"/);
  await until(() => world.window()?.waiting.length === projects.length);
}

async function killAll(runs: readonly Running[]): Promise<void> {
  for (const { child } of runs) child.kill('SIGKILL');
  await Promise.all(runs.map(({ ended }) => ended));
}

describe('runs that share an account', () => {
  it('wait together for a wall that one of them met, and one tries first after the reset, whatever died meanwhile', async () => {
    await using world = await accountsWorld(PROJECTS);
    for (const project of PROJECTS) world.script(project, [WORKS]);
    world.script('three', [WALL, WALL, WORKS]);
    const others = PROJECTS.filter((project) => project !== 'three');
    const first = world.begin('three');
    await first.printed('stdout', /"type":"waiting","cause":"quota"/);
    const rest = others.map((project) => world.begin(project));
    await inLine(world, PROJECTS, [first, ...rest]);
    expect(world.prompted()).toEqual(['three']);
    const { until: end } = world.window();
    const { data } = await world.asideJson(['status'], { cwd: world.dir.at('one') });
    expect((data.report ?? data.loop ?? data).waitsFor).toMatchObject({ kind: 'limit', until: end });

    await killAll([first, ...rest]);
    const again = PROJECTS.map((project) => world.begin(project, ['--resume']));
    await inLine(world, PROJECTS, again);
    expect(world.prompted()).toEqual(['three']);

    // Whoever wrote itself down in the same instant had the old end: then it is moved once more.
    await until(() => {
      if (world.window()?.until === end) world.resetSoon();
      return world.prompted().length > 1;
    });
    // It is refused again, for all, and nobody else has asked.
    await until(() => world.window()?.waiting.length === PROJECTS.length);
    expect(world.prompted()).toEqual(['three', 'three']);

    world.resetSoon();
    for (const run of again) expect(await run.ended).toMatchObject({ code: 0 });
    expect(world.prompted().slice(0, 3)).toEqual(['three', 'three', 'three']);
    expect(world.prompted().slice(3).sort()).toEqual([...others].sort());
    expect(world.window()).toBeUndefined();
  });

  it('write nothing about it where nobody was refused', async () => {
    await using world = await accountsWorld(['one']);
    world.script('one', [WORKS]);
    expect(await world.begin('one').ended).toMatchObject({ code: 0 });
    expect(readdirSync(join(world.env.HOLDFAST_HOME ?? '', 'state'))).not.toContain('accounts');
  });

  it('go on with another one that a person named, and know it again', async () => {
    const settingsDirectory = '~/work-login';
    await using world = await accountsWorld(['one'], {
      accounts: { work: { agent: 'one', settingsDirectory } },
    });
    world.script('one', [WALL]);
    const unknown = await world.begin('one', ['--account', 'home']).ended;
    expect(unknown).toMatchObject({ code: 4, stdout: expect.stringContaining('Known accounts: work') });
    const run = world.begin('one', ['--account', 'work']);
    await run.printed('stdout', /"type":"waiting","cause":"quota"/);
    await killAll([run]);
    const [key = ''] = readdirSync(join(world.env.HOLDFAST_HOME ?? '', 'state', 'accounts'))
      .filter((name) => name.endsWith('.json'))
      .map((name) => name.slice(0, -5));
    expect(key).toMatch(/^claude-[0-9a-f]{8}$/);
    expect(world.window(key)).toMatchObject({ account: 'work', waiting: [{}] });
    world.script('one', [WORKS]);
    const resumed = world.begin('one', ['--resume']);
    await resumed.printed('stdout', /"type":"waiting","cause":"quota"/);
    await until(() => world.window(key)?.waiting[0]?.process.pid === resumed.child.pid);
    world.resetSoon(key);
    expect(await resumed.ended).toMatchObject({ code: 0 });
  });
});

describe('the budget of a day', () => {
  it('that is reached in the middle of a run stops all until a person raises it in the inbox, and asks once', async () => {
    await using world = await accountsWorld(['one', 'two', 'three'], {
      budget: { perDay: { costUsd: 5 } },
    });
    const notYet = { steps: [{ usage: { input: 100, output: 10, cost: 5.02 } }, { say: 'Not yet.' }] };
    world.script('one', [notYet, paid(0.5)]);
    world.script('two', [paid(0.5)]);
    world.script('three', [paid(0.5)]);
    const asker = world.begin('one', ['--attended']);
    await asker.printed('stdout', /"type":"question"/);
    const others = ['two', 'three'].map((project) => world.begin(project, ['--attended']));
    for (const run of others) await run.printed('stdout', /"type":"waiting","cause":"day-budget"/);
    expect(world.prompted()).toEqual(['one']);
    const [id = '', ...more] = world.ids();
    expect(more).toEqual([]);
    expect(JSON.stringify(world.readFile(id, 'request.json'))).toContain(
      'The daily budget is used up: $5.02 of $5.00. Raise it to $10.00?',
    );
    expect(await world.run(['answer', id, '--option', 'Raise it to $10.00'])).toMatchObject({ code: 0 });
    for (const run of [asker, ...others]) expect(await run.ended).toMatchObject({ code: 0 });
    expect(world.ids()).toHaveLength(1);
  });
});
