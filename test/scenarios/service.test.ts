import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect } from 'vitest';
import { isGone } from '../support/detached-world.js';
import { killQuietly, until } from '../support/processes.js';
import { serviceWorld } from '../support/service-world.js';
import { verifies } from '../support/verifies.js';

/** Every file below a directory, as text. */
function everything(directory: string): string {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8'))
    .join('\n');
}

describe('the unit', () => {
  verifies('R05', 'is written, enabled, told of and taken back, byte for byte', async () => {
    await using world = await serviceWorld();
    const printed = await world.run(['service', 'install', '--print']);
    expect(printed).toMatchObject({ code: 0 });
    expect(existsSync(world.unitPath)).toBe(false);
    expect((await world.run(['service', 'status'])).code).toBe(4);

    const installed = await world.run(['service', 'install']);
    expect(installed).toMatchObject({ code: 0, stderr: '' });
    expect(installed.stdout).toMatch(
      /^Wrote .*holdfast\.service\nEnabled: .*\n.*loginctl enable-linger \S+\n$/,
    );
    expect(readFileSync(world.unitPath, 'utf8')).toBe(printed.stdout);
    expect(statSync(world.unitPath).mode & 0o777).toBe(0o644);
    expect(world.calls().slice(-3)).toEqual([
      ['systemctl', '--user', 'daemon-reload'],
      ['systemctl', '--user', 'enable', 'holdfast.service'],
      ['loginctl', 'show-user', expect.any(String), '--property=Linger'],
    ]);
    expect((await world.run(['service', 'install'])).stdout).toMatch(/^Already there: /);
    const { data } = await world.json(['service', 'status'], { env: world.env });
    expect(data).toMatchObject({ unit: 'installed', enabled: 'enabled', isLingering: false, runs: [] });

    // What systemd would have made of `enable`.
    const link = join(dirname(world.unitPath), 'default.target.wants', 'holdfast.service');
    mkdirSync(dirname(link));
    symlinkSync('../holdfast.service', link);
    expect(await world.run(['service', 'remove'])).toMatchObject({ code: 0, stderr: '' });
    expect(world.calls()).toContainEqual(['systemctl', '--user', 'disable', 'holdfast.service']);
    expect(readdirSync(dirname(world.unitPath), { recursive: true })).toEqual(['default.target.wants']);
    expect((await world.run(['service', 'remove'])).stdout).toMatch(/^Not installed/);
  });

  verifies(
    'R05',
    'of somebody else is neither overwritten nor removed; without systemctl the commands are told',
    async () => {
      await using world = await serviceWorld();
      mkdirSync(dirname(world.unitPath), { recursive: true });
      const theirs = '[Service]\nExecStart=/bin/true\n';
      writeFileSync(world.unitPath, theirs);
      for (const verb of ['install', 'remove']) {
        const { code, stderr } = await world.run(['service', verb]);
        expect(code).toBe(1);
        expect(stderr).toContain('was not written by Holdfast');
        expect(stderr).toContain('mv ');
      }
      expect(readFileSync(world.unitPath, 'utf8')).toBe(theirs);
      expect((await world.json(['service', 'status'])).data.unit).toBe('other');
      // Another place of the user's own, and no systemd there.
      const elsewhere = world.dir.at('other config');
      const { code, stdout } = await world.run(['service', 'install'], {
        env: { XDG_CONFIG_HOME: elsewhere, PATH: world.dir.at('nothing') },
      });
      expect(code).toBe(0);
      expect(stdout).toContain(
        '  systemctl --user daemon-reload\n  systemctl --user enable holdfast.service\n',
      );
      const unit = readFileSync(join(elsewhere, 'systemd', 'user', 'holdfast.service'), 'utf8');
      expect(unit).toContain(`Environment="XDG_CONFIG_HOME=${elsewhere}"\n`);
      expect(unit).toContain(`Environment="HOLDFAST_HOME=${world.env.HOLDFAST_HOME}"\n`);
    },
  );
});

describe('after a restart of the machine', () => {
  verifies(
    'R05',
    'what was working goes on in a fresh environment; what waited waits; nothing else starts',
    async () => {
      await using world = await serviceWorld();
      await world.run(['service', 'install']);
      await world.begin('killed', 'worker');
      await world.begin('asks', 'asker');
      await world.begin('paused', 'worker');
      await world.begin('stopped', 'worker');
      await world.begin('ended', 'doer');
      for (const project of ['terminated', 'typed', 'pausedDown', 'limited'])
        await world.begin(project, 'worker');
      const working = ['killed', 'paused', 'stopped', 'terminated', 'typed', 'pausedDown', 'limited'];
      await until(() => world.ids().length === 1);
      await until(() => working.every((project) => world.prompts(project) === 1));
      const at = (project: string) => ({ cwd: world.at(project) });
      await world.run(['pause'], at('paused'));
      await world.run(['pause'], at('pausedDown'));
      await world.run(['stop'], at('stopped'));
      await until(() =>
        ['paused', 'pausedDown'].every((project) => world.state(project).status === 'paused'),
      );
      await until(() => world.state('stopped').status === 'suspended');
      // The end of the machine says so to some; a person's Ctrl+C is another signal.
      for (const [project, signal] of [
        ['terminated', 'SIGTERM'],
        ['pausedDown', 'SIGTERM'],
        ['typed', 'SIGINT'],
      ] as const) {
        const { data } = await world.json(['status'], at(project));
        process.kill(data.loop.owner.pid, signal);
        await until(() => isGone(data.loop.owner.pid));
        expect(world.state(project)).toMatchObject({ status: 'suspended', suspended_by: { signal } });
      }
      await world.cutPower();
      world.limit('limited');
      // As long as the machine was not started anew, SIGTERM was somebody's `kill`.
      expect((await world.planned()).terminated).toMatchObject({ does: 'wait', why: 'stopped by SIGTERM' });
      for (const project of ['terminated', 'pausedDown', 'typed']) world.forgetBoot(project);
      expect(await world.planned()).toMatchObject({
        killed: { does: 'start' },
        terminated: { does: 'start', why: 'the machine was shut down' },
        limited: {
          does: 'start',
          why: expect.stringContaining("it is still waiting: the agent's limit is used up"),
        },
        asks: { does: 'wait', why: 'waits for your answer: Numbers' },
        paused: { does: 'wait', why: 'paused: requested' },
        pausedDown: { does: 'wait', why: 'paused: requested' },
        stopped: { does: 'wait', why: 'stopped: stop was requested' },
        typed: { does: 'wait', why: 'stopped by SIGINT' },
      });

      const { code, stdout, stderr } = await world.boot();
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      expect(stdout.split('\n').filter((line) => line.includes(' continues'))).toHaveLength(3);
      expect(world.runners()).toHaveLength(3);
      // Each was prompted once more, and nobody else.
      await until(() => ['killed', 'terminated'].every((name) => world.prompts(name) === 2));
      for (const name of ['paused', 'pausedDown', 'stopped', 'typed', 'asks', 'limited'])
        expect(world.prompts(name)).toBe(1);
      expect(world.ids()).toHaveLength(1);
      const log = await world.run(['logs', '--json'], at('killed'));
      const starts = log.stdout
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line))
        .filter((entry) => JSON.stringify(entry).includes('"run-start"'));
      expect(JSON.stringify(starts.at(-1))).toContain('"actor":"service"');
      // Once more, and by a second one at the same time: everything runs already.
      const again = await Promise.all([world.boot(), world.boot()]);
      expect(again.every(({ stdout: words }) => !words.includes('continues'))).toBe(true);
      expect(world.runners()).toHaveLength(3);
    },
  );

  verifies(
    'R05',
    'two services and a person at once start each run once; a kill of the service loses none',
    async () => {
      await using world = await serviceWorld();
      await world.run(['service', 'install']);
      const names = ['p1', 'p2', 'p3', 'p4'];
      for (const name of names) await world.begin(name, 'worker');
      await until(() => names.every((name) => world.prompts(name) === 1));
      await world.cutPower();
      const first = world.startUnit();
      let said = '';
      first.stdout?.on('data', (text) => {
        said += text;
      });
      await until(() => said.includes(' continues'));
      killQuietly(first.pid ?? -1);
      const person = world.run(['resume'], { cwd: world.at('p4') });
      const [one, two] = await Promise.all([world.boot(), world.boot()]);
      expect([one.code, two.code]).toEqual([0, 0]);
      await person;
      await world.boot();
      await until(() => names.every((name) => world.prompts(name) === 2));
      expect(world.runners()).toHaveLength(4);
    },
  );

  verifies(
    'R05',
    'a run with bypass, or whose agent misses a variable, asks by name and prompts nobody',
    async () => {
      await using world = await serviceWorld();
      await world.run(['service', 'install']);
      const secret = 'sk-test-4f8a99d2e1c3';
      const variables = { ANTHROPIC_API_KEY: secret, ANTHROPIC_BASE_URL: 'http://127.0.0.1:9/secret-place' };
      await world.begin('bypass', 'worker', { args: ['--permissions', 'bypass'] });
      await world.begin('keyless', 'worker', { env: variables });
      await world.begin('plain', 'worker');
      const names = ['bypass', 'keyless', 'plain'];
      await until(() => names.every((name) => world.prompts(name) === 1));
      await world.cutPower();
      expect((await world.boot()).code).toBe(0);
      await until(() => world.prompts('plain') === 2);
      const { data } = await world.json(['questions']);
      const prompts = new Map<string, string>(
        data.map((set: { workingDirectory: string; questions: [{ prompt: string }] }) => [
          set.workingDirectory.split('/').at(-1),
          set.questions[0].prompt,
        ]),
      );
      expect([...prompts.keys()].sort()).toEqual(['bypass', 'keyless']);
      expect(prompts.get('bypass')).toContain('holdfast resume --permissions bypass');
      expect(prompts.get('keyless')).toContain('ANTHROPIC_API_KEY, ANTHROPIC_BASE_URL are not set here');
      const rows = await world.rows();
      expect(
        rows.filter(({ group, question }) => group === 'asks' && question.title === 'Restart'),
      ).toHaveLength(2);
      // Asked once, however often it starts; names are kept, values nowhere.
      await world.boot();
      expect(world.ids()).toHaveLength(2);
      expect(world.prompts('bypass')).toBe(1);
      expect(world.prompts('keyless')).toBe(1);
      const kept = everything(world.env.HOLDFAST_HOME ?? '') + everything(world.at('keyless'));
      expect(kept).toContain('ANTHROPIC_BASE_URL');
      expect(kept).not.toContain(secret);
      expect(kept).not.toContain('secret-place');
      // With the variables there it goes on by itself, and what was asked goes.
      expect((await world.boot(variables)).stdout).toMatch(/keyless continues/);
      await until(() => world.prompts('keyless') === 2);
      await until(async () => (await world.json(['questions'])).data.length === 1);
    },
  );

  verifies('R05', 'one that cannot be started asks and keeps no other; a no is kept', async () => {
    await using world = await serviceWorld();
    await world.run(['service', 'install']);
    for (const name of ['a-gone', 'b-works']) await world.begin(name, 'worker');
    await until(() => ['a-gone', 'b-works'].every((name) => world.prompts(name) === 1));
    await world.cutPower();
    const plan = join(world.at('a-gone'), 'docs', 'a-gone-plan.md');
    renameSync(plan, `${plan}.away`);
    const { stdout } = await world.boot();
    expect(stdout).toMatch(/a-gone asks you: it could not be started: /);
    expect(stdout).toMatch(/b-works continues/);
    const [id] = world.ids();
    await world.run(['answer', id ?? '', '--option', 'Stop']);
    renameSync(`${plan}.away`, plan);
    expect((await world.planned())['a-gone']).toMatchObject({
      does: 'wait',
      why: 'you said it should not continue',
    });
    expect((await world.boot()).stdout).toMatch(/a-gone is waiting/);
    expect(world.runners()).toHaveLength(1);
  });
});
