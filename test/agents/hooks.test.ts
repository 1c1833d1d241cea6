import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect } from 'vitest';
import { agentPaths } from '../../scripts/agents-cache.mjs';
import { systemClock } from '../../src/foundation/index.js';
import type { ModelTurn } from '../support/fake-model/server.mjs';
import { HOLDFAST } from '../support/holdfast-binary.js';
import { endAll, killQuietly, until } from '../support/processes.js';
import { SeededRandom } from '../support/seeded-random.js';
import { Pane } from '../support/tmux.js';
import { type HookGround, hookGround, idsIn, permissionHooks, settleCodex } from './hooks-ground.js';
import { itTries } from './it-tries.js';
import { REAL_AGENTS } from './real-agents.js';
import { reaches, runGround } from './run-ground.js';
import { itDrives } from './stage.js';

const WORDS = 'Not this one, use the other file';

/** The last one runs for a minute, so that nothing is recorded of it for long. */
const CLAUDE: ModelTurn[] = ['touch one.txt', 'touch two.txt', 'touch three.txt; sleep 60'].map(
  (command) => ({
    toolCalls: [{ action: 'bash', command }],
  }),
);
const CODEX: ModelTurn[] = ['touch one.txt', 'touch two.txt', 'touch three.txt'].map((cmd) => ({
  toolCalls: [
    {
      name: 'exec_command',
      input: { cmd, sandbox_permissions: 'require_escalated', justification: 'It must be.' },
    },
  ],
}));

function told(ground: HookGround, words: string): boolean {
  return ground.model.requests().at(-1)?.lacks([words]).length === 0;
}

/**
 * Codex asks for a review of new hooks, and perhaps about a newer model; the second choice is the right one for both. It draws such
 * a question before it listens to keys.
 */
async function trustHooks(pane: Pane): Promise<void> {
  const TRUST = 'Trust all and continue';
  await pane.until(TRUST);
  for (;;) {
    const rows = await pane.screen();
    const choice = rows.find((row) => /^[› ] 2\. /.test(row));
    if (choice === undefined && rows.some((row) => row.includes('Ask Codex to do anything'))) return;
    if (choice !== undefined) await pane.press(choice.startsWith('›') ? 'Enter' : '2');
    await systemClock.sleep(500);
  }
}

/** What setup wrote is taken out again, byte for byte. */
async function takeOut(ground: HookGround, name: string): Promise<void> {
  const { pc, settings } = ground;
  expect((await pc.aside(['setup', name, '--hooks', '--remove'])).code).toBe(0);
  const after = existsSync(settings.path) ? readFileSync(settings.path, 'utf8') : undefined;
  expect(after).toBe(settings.before);
}

/** Another program's dialog is drawn before it hears keys: what was not heard is pressed again. */
async function pressUntil(pane: Pane, key: string, isSo: () => boolean): Promise<void> {
  while (!isSo()) {
    await pane.press(key);
    await systemClock.sleep(1_000);
  }
}

describe('hooks of agents that a person started', () => {
  itTries(['claude'], 'H01, H02: the real Claude Code, answered on cards and in its own dialog', async () => {
    await using ground = await hookGround('claude', CLAUDE);
    const { pc } = ground;
    await using pane = await ground.openPane();
    await pane.run('claude --permission-mode default');
    await pane.until('manual mode on');
    await pane.type('do it');
    await pane.press('Enter');

    // Allowed on the card: the tool runs, and the person is told that it counted.
    const first = await ground.card();
    await pane.until('Do you want to proceed?');
    expect(first.asker).toMatchObject({ agent: 'claude', asks: 'permission' });
    expect(first.questions[0].prompt).toContain('touch one.txt');
    expect(first.questions[0].prompt).toContain('may have been answered at the terminal');
    expect(ground.agents()).toMatchObject([{ agent: 'claude', state: 'waiting', waitsFor: 'permission' }]);
    expect(ground.made('one.txt')).toBe(false);
    const allowed = await pc.run(['answer', first.sessionId, 'Allow once']);
    expect([allowed.code, allowed.stdout]).toEqual([0, expect.stringContaining('Given to claude.')]);
    await until(() => ground.made('one.txt'));

    // Denied in words: the tool does not run, and the words reach the agent.
    const second = await ground.card();
    expect((await pc.run(['answer', second.sessionId, '--text', WORDS])).code).toBe(0);
    const third = await ground.card();
    expect(told(ground, WORDS)).toBe(true);
    expect(ground.made('two.txt')).toBe(false);

    // Answered in the dialog: the card goes although the tool runs for a minute and nothing is recorded of it.
    await pane.until('touch three.txt; sleep 60');
    await pane.until('Do you want to proceed?');
    await pressUntil(pane, 'Enter', () => ground.made('three.txt'));
    await until(async () => (await ground.cards()).length === 0);
    const late = await pc.run(['answer', third.sessionId, 'Deny']);
    expect([late.code === 0, late.stderr]).toEqual([
      false,
      expect.stringContaining('answered at the terminal'),
    ]);
    await takeOut(ground, 'claude');
  });

  itTries(
    ['claude'],
    'H01: the real Claude Code that is interrupted does not work any more in top',
    async () => {
      const stall: ModelTurn = {
        text: 'I think about it.\n\nFor long.\n\nAnd for longer.\n\nAnd on.',
        chunkChars: 4,
        fault: { type: 'stall', times: 'always' },
      };
      await using ground = await hookGround('claude', [stall]);
      await using pane = await ground.openPane();
      const row = async () => (await ground.pc.asideJson(['top'])).data[0];
      await pane.run('claude --permission-mode default');
      await pane.until('manual mode on');
      for (const [words, said] of [
        ['do it', /● I think/],
        ['do it again', /● I think.*● I think/s],
      ] as const) {
        await pane.type(words);
        await pane.press('Enter');
        await until(async () => (await row())?.group === 'works');
        // Esc before its first word takes the prompt back into the input, and leaves no record to read.
        await pane.until(said);
        await until(async () => {
          // A key may come before it is heard; once it is, nothing is there to interrupt.
          if ((await pane.screen()).join('\n').includes('esc to interrupt')) {
            await pane.press('Escape');
            await systemClock.sleep(2_000);
          }
          return (await row())?.why === 'was interrupted';
        });
        expect(await row()).toMatchObject({ kind: 'agent', agent: 'claude', group: 'rests' });
      }
      await takeOut(ground, 'claude');
    },
  );

  itTries(
    ['codex'],
    'H01, H02: the real Codex, answered on cards, and in its own dialog after the hook gave way',
    async () => {
      await using ground = await hookGround('codex', CODEX);
      const { pc } = ground;
      await using pane = await ground.openPane();
      await pane.run('codex');
      await trustHooks(pane);
      await pane.type('do it');
      await pane.until('do it');
      await pane.press('Enter');

      const first = await ground.card();
      expect(first.asker).toMatchObject({ agent: 'codex', asks: 'permission' });
      // Its dialog is not there yet, and "always" cannot be said to it.
      expect(first.questions[0].options.map(({ label }: { label: string }) => label)).toEqual([
        'Allow once',
        'Deny',
      ]);
      expect((await pane.screen()).join('\n')).not.toContain('Would you like to run');
      const allowed = await pc.run(['answer', first.sessionId, 'Allow once']);
      expect([allowed.code, allowed.stdout]).toEqual([0, expect.stringContaining('Given to codex.')]);
      await until(() => ground.made('one.txt'));

      const second = await ground.card();
      // From the next one on it does not wait for long.
      pc.configure({ hooks: { waitSeconds: 1 } });
      expect((await pc.run(['answer', second.sessionId, '--text', WORDS])).code).toBe(0);
      await pane.until('Would you like to run the following command?');
      expect(told(ground, WORDS)).toBe(true);
      expect([ground.made('two.txt'), await ground.cards()]).toEqual([false, []]);
      expect(ground.agents()).toMatchObject([{ agent: 'codex', state: 'waiting', waitsFor: 'permission' }]);
      await pressUntil(pane, 'y', () => ground.made('three.txt'));
      await takeOut(ground, 'codex');
    },
  );
});

describe('a hook that is killed', () => {
  const KILLS = 30;
  const turns = Array.from(
    { length: KILLS },
    (_, n): ModelTurn => ({
      toolCalls: [{ action: 'bash', command: `touch made-${n}.txt` }],
    }),
  );

  itTries(
    ['claude'],
    `H02: at ${KILLS} random instants, some of them in the middle of an answer, allows nothing`,
    async () => {
      await using ground = await hookGround('claude', turns);
      const { pc } = ground;
      const random = new SeededRandom(20261116);
      // Without a person the agent goes on after each of them by itself: what is not allowed is denied.
      const agent = spawn(ground.command, ['-p', 'do it', '--permission-mode', 'default'], {
        cwd: pc.project,
        env: { ...pc.env, ...ground.environment },
        stdio: 'ignore',
      });
      const ended = once(agent, 'exit');
      const isOver = () => agent.exitCode !== null;
      const answered = new Set<string>();
      let killed = 0;
      const seen = new Set<number>();
      while (!isOver()) {
        const pid = permissionHooks(pc).find((one) => !seen.has(one));
        if (pid === undefined) {
          await systemClock.sleep(5);
          continue;
        }
        seen.add(pid);
        killed += 1;
        const isAnswered = killed % 3 === 0;
        if (isAnswered) {
          const card = await ground.card();
          answered.add(/touch (made-\d+\.txt)/.exec(card.questions[0].prompt)?.[1] ?? '');
          void pc.aside(['answer', card.sessionId, 'Allow once']);
        }
        await systemClock.sleep(random.next() * (isAnswered ? 150 : 400));
        killQuietly(pid);
      }
      await ended;
      expect(killed).toBe(KILLS);
      const made = readdirSync(pc.project).filter((file) => file.startsWith('made-'));
      expect(made.filter((file) => !answered.has(file))).toEqual([]);
      // And nothing is left that could still be answered.
      expect(await ground.cards()).toEqual([]);
    },
  );
});

for (const agent of [REAL_AGENTS.claude, REAL_AGENTS.codex])
  itDrives(
    agent,
    `H01: a run of Holdfast with the real ${agent.name}, whose hooks are set up, has its own card and none by hook`,
    (agent.name === 'claude' ? CLAUDE : CODEX).slice(0, 1),
    async (stage) => {
      await using world = await runGround(agent, stage);
      const home = stage.world.dir.at('home');
      const path = `${dirname(agentPaths()[agent.name]?.command ?? '')}:${process.env.PATH}`;
      const env = { HOME: home, PATH: path, ...agent.environment(stage.model.url) };
      const set = await world.run(['setup', agent.name, '--hooks', '--write', '--command', HOLDFAST], {
        env,
      });
      expect(set.code, set.stderr).toBe(0);
      if (agent.name === 'codex') {
        settleCodex(home, realpathSync(world.project));
        await using pane = await Pane.open(world, { columns: 120, rows: 45, env });
        await pane.run('codex');
        await trustHooks(pane);
      }
      // Its daemon would stay.
      await endAll(home);
      const own = world.env.HOLDFAST_HOME ?? '';
      expect(existsSync(join(own, 'state', 'agents'))).toBe(false);
      const run = world.begin(['--permissions', 'ask', '--attended', '--max-iterations', '1']);
      await reaches(run, () => idsIn(world.questions).length > 0);
      const [id = ''] = idsIn(world.questions);
      expect((await world.aside(['answer', id, 'Allow once'])).code).toBe(0);
      await until(() => existsSync(join(world.project, 'one.txt')));
      run.child.kill('SIGINT');
      await run.ended;
      // What it asks when its limit is reached is no permission.
      const isCard = (one: string) => world.readFile(one, 'request.json').asker?.asks === 'permission';
      expect(idsIn(world.questions).filter(isCard)).toEqual([id]);
      expect(idsIn(join(own, 'data', 'permissions'))).toEqual([]);
      expect(existsSync(join(own, 'state', 'agents'))).toBe(false);
    },
  );
