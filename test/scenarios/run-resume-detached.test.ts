import { execFileSync } from 'node:child_process';
import { readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type DetachedWorld, detachedWorld, HANG, isGone } from '../support/detached-world.js';
import type { Json } from '../support/holdfast-binary.js';
import { itNeeds } from '../support/it-needs.js';
import { until } from '../support/processes.js';
import { CHECK, notDone, PLAN, WHOLE_WAY } from '../support/run-world.js';
import { Pane } from '../support/tmux.js';
import { verifies } from '../support/verifies.js';

const RESUME = expect.stringMatching(/^holdfast resume [0-9a-f]{8}$/);
const QUESTION = {
  title: 'Numbers',
  prompt: 'Which numbers should the adder know?',
  options: [{ label: 'Plain' }, { label: 'Big' }],
};
const ASKS = { steps: [{ ask: { questions: [QUESTION] } }, { say: 'You chose: {{output}}' }, notDone] };
const NOTHING = { steps: [notDone] };

/** `holdfast run --detach` as a person types it. */
async function detach(world: DetachedWorld, ...options: string[]): Promise<number> {
  const { data } = await world.json([
    ...['run', PLAN, '--detach', '--agent', 'player', '--verify', CHECK, ...options],
  ]);
  expect(data).toMatchObject({ exitCode: null, pid: expect.any(Number) });
  return data.pid;
}

async function pending(world: DetachedWorld): Promise<string> {
  for (;;) {
    const id: string | undefined = (await world.asideJson(['questions'])).data[0]?.sessionId;
    if (id !== undefined) return id;
  }
}

async function kill(pid: number): Promise<void> {
  process.kill(pid, 'SIGKILL');
  await until(() => isGone(pid));
}

async function loop(world: DetachedWorld): Promise<Json> {
  return (await world.asideJson(['status'])).data.loop;
}

async function isCompleted(world: DetachedWorld): Promise<void> {
  await until(() => world.state().status === 'completed');
}

describe('a run in the background that needs a person', () => {
  verifies('R05', 'waits for the answer to its agent and goes on by itself', async () => {
    await using world = await detachedWorld([ASKS, ...WHOLE_WAY]);
    const pid = await detach(world);
    const id = await pending(world);
    expect(await world.aside(['answer', id, '--option', 'Big'])).toMatchObject({ code: 0, stderr: '' });
    await until(() => isGone(pid));
    expect(world.state()).toMatchObject({ status: 'completed', open_questions: [] });
    expect(world.prompts()[1]?.history.at(-1)?.text).toContain('→ Big');
  });

  verifies('R05', 'waits at a limit and at the breaker, too; --unattended ends with 7 and 6', async () => {
    await using world = await detachedWorld([NOTHING]);
    const pid = await detach(world, '--max-iterations', '2');
    const limit = await pending(world);
    expect(await loop(world)).toMatchObject({
      status: 'paused',
      waitsFor: { kind: 'answer', question: { id: limit, title: 'Limit', from: 'run' } },
    });
    await world.aside(['answer', limit, '--option', 'Raise the limit']);
    const breaker = await pending(world);
    expect((await world.run(['questions', 'show', breaker])).stdout).toContain('the run was halted');
    expect(isGone(pid)).toBe(false);
    await world.aside(['answer', breaker, '--option', 'Stop']);
    await until(() => isGone(pid));
    expect(world.state()).toMatchObject({ status: 'halted' });
    const alone = ['--detach', '--unattended', '--on-end', 'echo "$HOLDFAST_RUN_OUTCOME" >> ended'];
    await world.go(['--reset', ...alone, '--max-iterations', '9']);
    await until(() => world.runs().length === 0);
    expect(readFileSync(`${world.project}/ended`, 'utf8')).toBe('halted\n');
    expect((await world.asideJson(['questions'])).data).toEqual([]);
  });
});

describe('holdfast resume', () => {
  verifies(
    'R05',
    'starts a run again that was killed while its question was open, as it was started',
    async () => {
      await using world = await detachedWorld([ASKS, ...WHOLE_WAY]);
      const pid = await detach(world, '--context', 'continue');
      const id = await pending(world);
      await kill(pid);
      const answered = await world.aside(['answer', id, '--option', 'Big']);
      expect(answered).toMatchObject({ code: 0, stdout: expect.stringContaining('→ Big') });
      expect(answered.stderr).toBe(
        `The run that asked (${PLAN}) is not running. Resume it with: holdfast resume\n`,
      );
      const { code, stdout, stderr } = await world.run(['resume']);
      expect(code).toBe(0);
      expect(stdout).toMatch(
        /^run [0-9a-f]{8} resumed in the background: docs\/prps\/adder\.md \(process \d+\)\n$/,
      );
      expect(stderr).toContain(
        'Resuming with the same options: player, permissions edits, context continue\n',
      );
      expect(stderr).toMatch(/^Watch: holdfast status [0-9a-f]{8} --watch$/m);
      await isCompleted(world);
      expect(world.prompts()[1]?.prompt).toContain('→ Big');
    },
  );

  verifies('R05', 'answer --resume starts the run that asked, from any directory', async () => {
    await using world = await detachedWorld([ASKS, ...WHOLE_WAY]);
    const pid = await detach(world);
    const id = await pending(world);
    await kill(pid);
    const elsewhere = { cwd: world.dir.path };
    const { stderr } = await world.aside(['answer', id, '--option', 'Plain'], elsewhere);
    expect(stderr).toContain(`Resume it with: cd '${world.project}' && holdfast resume\n`);
    const told = await world.json(['answer', id, '--option', 'Plain'], elsewhere);
    expect(told.data.run).toEqual({
      sessionId: world.state().session_id,
      isRunning: false,
      resume: `cd '${world.project}' && holdfast resume`,
    });
    const resumed = await world.run(['answer', id, '--option', 'Plain', '--resume'], elsewhere);
    expect(resumed).toMatchObject({ stdout: expect.stringContaining('resumed in the background') });
    await isCompleted(world);
  });

  verifies('R05', 'what was answered to the run itself while it was gone has its effect', async () => {
    await using world = await detachedWorld([NOTHING, NOTHING, NOTHING, NOTHING, ...WHOLE_WAY]);
    const pid = await detach(world);
    const id = await pending(world);
    await kill(pid);
    expect(await loop(world)).toMatchObject({
      status: 'halted',
      waitsFor: { question: { id, from: 'run' } },
      next: [`holdfast answer ${id.slice(0, 8)}`, RESUME],
    });
    await world.aside(['answer', id, '--option', 'Change the approach', '--text', 'begin with the tests']);
    expect((await loop(world)).next).toEqual([RESUME]);
    expect(await world.run(['resume'])).toMatchObject({ code: 0 });
    await isCompleted(world);
    expect(world.prompts().filter(({ prompt }) => prompt.includes('begin with the tests'))).toHaveLength(1);
  });

  it('asks on what a run that was killed had asked itself', async () => {
    await using world = await detachedWorld([NOTHING, NOTHING, NOTHING, NOTHING, ...WHOLE_WAY]);
    const pid = await detach(world);
    const id = await pending(world);
    await kill(pid);
    expect(await world.run(['resume'])).toMatchObject({ code: 0 });
    await until(async () => (await loop(world)).owner?.isAlive === true);
    expect((await world.asideJson(['questions'])).data).toMatchObject([{ sessionId: id }]);
    expect(await world.run(['resume'])).toMatchObject({
      code: 3,
      stdout: expect.stringContaining(`holdfast answer ${id.slice(0, 8)}`),
    });
    await world.aside(['answer', id, '--option', 'Try again']);
    await isCompleted(world);
  });

  verifies(
    'R05',
    'a halted run needs --reset, one with bypass the word again, one that is over a new one',
    async () => {
      await using world = await detachedWorld([NOTHING, NOTHING, NOTHING, NOTHING, HANG]);
      await detach(world, '--unattended', '--permissions', 'bypass');
      await until(() => world.runs().length === 0);
      expect(await world.run(['resume', '--permissions', 'bypass'])).toMatchObject({
        code: 6,
        stderr: expect.stringMatching(/holdfast resume [0-9a-f]{8} --reset/),
      });
      expect((await world.run(['status'])).stdout).toMatch(
        /^next +holdfast resume [0-9a-f]{8} --reset --permissions bypass$/m,
      );
      expect(await world.json(['resume', '--reset'])).toMatchObject({
        code: 3,
        data: {
          code: 'CONFIRMATION_MISSING',
          hint: expect.stringMatching(/holdfast resume [0-9a-f]{8} --reset --permissions bypass/),
        },
      });
      const { code, data } = await world.json(['resume', '--reset', '--permissions', 'bypass']);
      expect([code, data.isStarted]).toEqual([0, true]);
      await until(() => world.prompts().length === 5);
      expect(await world.run(['resume'])).toMatchObject({
        code: 0,
        stdout: expect.stringMatching(
          /^The run is already working. Watch: holdfast status [0-9a-f]{8} --watch\n$/,
        ),
      });
      await world.stop(data.pid);
      await world.go(['--abort']);
      expect(await world.run(['resume'])).toMatchObject({
        code: 3,
        stderr: expect.stringContaining('--new'),
      });
    },
  );

  it('lets a paused run go on, and starts one that was paused and is gone', async () => {
    await using world = await detachedWorld([HANG, HANG, ...WHOLE_WAY]);
    const pid = await detach(world);
    await until(() => world.prompts().length === 1);
    await world.run(['pause', '--reason', 'lunch']);
    await until(() => world.state().status === 'paused');
    const paused = await loop(world);
    expect(paused).toMatchObject({ waitsFor: { kind: 'pause', reason: 'lunch' }, next: [RESUME] });
    expect(await world.run(['resume'])).toMatchObject({ stdout: 'Asked the run to continue.\n' });
    await until(() => world.prompts().length === 2);
    await world.run(['pause']);
    await until(() => world.state().status === 'paused');
    await kill(pid);
    expect(await world.run(['resume'])).toMatchObject({ code: 0 });
    await isCompleted(world);
  });

  it('without a loop ends with 4', async () => {
    await using world = await detachedWorld([HANG]);
    expect(await world.json(['resume'])).toMatchObject({ code: 4, data: { code: 'LOOP_NOT_FOUND' } });
  });
});

describe('holdfast status', () => {
  verifies(
    'R06',
    'says what a run waits for, which question, since when, and whose process it is',
    async () => {
      await using world = await detachedWorld([ASKS, ...WHOLE_WAY]);
      const pid = await detach(world);
      const id = await pending(world);
      const { stdout } = await world.run(['status']);
      expect(stdout).toMatch(/^[0-9a-f]{8} {2}running: waiting for your answer$/m);
      expect(stdout).toMatch(
        new RegExp(
          `^question +${id.slice(0, 8)} Numbers: Which numbers should the adder know\\? \\(asked by the agent \\d+ s ago\\)$`,
          'm',
        ),
      );
      expect(stdout).toMatch(new RegExp(`^owner +process ${pid}, running for \\d+ s$`, 'm'));
      expect(stdout).toMatch(new RegExp(`^next +holdfast answer ${id.slice(0, 8)}$`, 'm'));
      const before = await loop(world);
      expect(before).toMatchObject({
        status: 'running',
        waitsFor: {
          kind: 'answer',
          reason: 'your answer',
          since: expect.stringMatching(/^\d{4}-/),
          until: null,
          question: { id, title: 'Numbers', prompt: QUESTION.prompt, from: 'agent' },
        },
        owner: { pid, host: expect.any(String), since: expect.any(String), isAlive: true },
        gates: {
          phase: 'RED',
          iteration: 0,
          first: false,
          second: false,
          condition: expect.stringContaining('at least 1 new test fails'),
        },
        answered: [],
      });
      await kill(pid);
      const dead = await world.run(['status']);
      expect(dead.stdout).toMatch(
        /^[0-9a-f]{8} {2}suspended: waiting for your answer; no process is running it$/m,
      );
      expect(dead.stdout).toMatch(new RegExp(`^owner +process ${pid} is gone$`, 'm'));
      await world.aside(['answer', id, '--option', 'Big']);
      expect(await loop(world)).toMatchObject({
        status: 'suspended',
        waitsFor: null,
        answered: [id],
        owner: { pid, isAlive: false },
        next: [RESUME],
      });
    },
  );

  verifies('R06', 'shows the tests of the baseline and the gate of this phase only', async () => {
    await using world = await detachedWorld([WHOLE_WAY[0], HANG]);
    world.put('test/old.test.mjs', "import test from 'node:test';\ntest('old', () => {});\n");
    const pid = await detach(world);
    await until(() => world.prompts().length === 2);
    expect(await loop(world)).toMatchObject({
      phase: 'GREEN',
      gates: { phase: 'GREEN', iteration: 0, first: false, second: false },
      tests: { total: 3, failing: 2, from: 'RED' },
    });
    expect((await world.run(['status'])).stdout).toMatch(/^gates +not measured yet; wanted: no test fails/m);
    await world.stop(pid);
    expect((await world.run(['status'])).stdout).toMatch(/^next +holdfast resume [0-9a-f]{8}$/m);
    world.script([HANG]);
    await world.run(['run', PLAN, '--agent', 'player', '--verify', CHECK, '--new', '--detach']);
    await until(() => world.prompts().length === 3);
    expect((await world.run(['status'])).stdout).toMatch(/^tests +1 of 3 pass, 2 fail \(before the run\)$/m);
  });

  verifies('R06', 'a run that ended at a question says that it is answered, and what to type', async () => {
    await using world = await detachedWorld([ASKS, ...WHOLE_WAY]);
    expect(await world.go()).toMatchObject({ code: 3 });
    const id = await pending(world);
    expect((await world.run(['status'])).stdout).toMatch(
      /^[0-9a-f]{8} {2}paused: waiting for your answer; no process/m,
    );
    await world.aside(['answer', id, '--option', 'Big']);
    const { stdout } = await world.run(['status']);
    expect(stdout).toContain(`paused (question ${id.slice(0, 8)} answered by cli; no process is running it)`);
    expect(stdout).toMatch(/^next +holdfast resume [0-9a-f]{8}$/m);
  });
});

describe('the end of a run', () => {
  verifies(
    'R09',
    'says files with lines, tests before and after, time, cost, answers and the next command',
    async () => {
      await using world = await detachedWorld([ASKS, ...WHOLE_WAY]);
      const git = (...args: string[]) => execFileSync('git', args, { cwd: world.project });
      git('init', '-q');
      git('add', '.');
      git('-c', 'user.name=n', '-c', 'user.email=e@e', 'commit', '-qm', 'start');
      const pid = await detach(world);
      const id = await pending(world);
      await world.aside(['answer', id, '--option', 'Big', '--text', 'very big']);
      await until(() => isGone(pid));
      const report = (await world.asideJson(['report'])).data;
      expect(report).toMatchObject({
        status: 'completed',
        testsAfter: { passing: 2, failing: 0, total: 2 },
        questions: [
          {
            id,
            title: 'Numbers',
            prompts: [QUESTION.prompt],
            status: 'completed',
            answer: expect.stringContaining('Big'),
            answeredBy: 'cli',
          },
        ],
        skipped: [],
      });
      expect(report.files).toContainEqual({ path: 'adder.mjs', added: 3, deleted: 0, wasUncommitted: false });
      expect(statSync(report.log).mode & 0o777).toBe(0o600);
      const log = readFileSync(report.log, 'utf8');
      for (const words of [
        /RED 1: the agent is working$/m,
        /the agent asks: Numbers/,
        /→ Write adder\.mjs/,
        / completed$/m,
      ])
        expect(log).toMatch(words);
      expect(log).toMatch(/ files +5 changed, \+\d+ −0$/m);
      expect(log).toMatch(/ {6}adder\.mjs \+3 −0$/m);
      expect(log).toMatch(/ tests +2 of 2 passed, before the run 0 of 0 passed$/m);
      expect(log).toMatch(/ time +\d+ s, of which \d+ s of work in \d iterations$/m);
      expect(log).toMatch(/ cost +\$\d/m);
      expect(log).toMatch(
        / questions +[0-9a-f]{8} \(.*\) Numbers: Which numbers.* → Big, and in their own words: 'very big' \(by cli\)$/m,
      );
      expect(log).toMatch(/ next +git status · git diff · holdfast report$/m);
      const { stdout } = await world.run(['report']);
      expect(stdout).not.toContain('Dual-Gate');
      expect(stdout).toMatch(/^questions\n {2}[0-9a-f]{8} .*→ Big/m);
      expect((await world.run(['status'])).stdout).toContain(`log         ${report.log}`);
    },
  );

  it('names the files where there is no git', async () => {
    await using world = await detachedWorld(WHOLE_WAY);
    const { stderr } = await world.go();
    expect(stderr).toMatch(/^files +5 changed$/m);
    expect(stderr).toMatch(/^ +adder\.mjs$/m);
    expect(stderr).toMatch(/^next +holdfast report$/m);
  });

  verifies('R09', 'an archived session is reported by its id', async () => {
    await using world = await detachedWorld(WHOLE_WAY);
    await world.go();
    const first = world.state().session_id;
    world.script([NOTHING]);
    await world.go(['--new', '--max-iterations', '1']);
    const { code, data } = await world.asideJson(['report', first.slice(0, 8)]);
    expect([code, data.sessionId, data.status]).toEqual([0, first, 'completed']);
    expect(data.files.map(({ path }: Json) => path)).toContain('adder.mjs');
    expect(await world.asideJson(['report', 'ffffffff'])).toMatchObject({ code: 4 });
  });
});

describe('a new run that cannot be stored', () => {
  it('leaves the earlier one in its place, to be resumed', async () => {
    await using world = await detachedWorld([HANG, ...WHOLE_WAY]);
    const pid = await detach(world);
    await until(() => world.prompts().length === 1);
    await world.stop(pid);
    const before = world.state().session_id;
    const runs = join(world.env.HOLDFAST_HOME ?? '', 'state', 'runs');
    renameSync(runs, `${runs}-away`);
    writeFileSync(runs, 'in the way');
    expect((await world.go(['--new'])).code).not.toBe(0);
    expect(world.state()).toMatchObject({ session_id: before, status: 'suspended' });
    rmSync(runs);
    renameSync(`${runs}-away`, runs);
    expect(await world.run(['resume'])).toMatchObject({ code: 0 });
    await isCompleted(world);
    expect(world.state().session_id).toBe(before);
  });
});

describe('a second run', () => {
  it('beside one that waits for a person is told for what, and how to go on in another way', async () => {
    await using world = await detachedWorld([NOTHING, NOTHING, NOTHING, HANG]);
    await detach(world);
    const question = await pending(world);
    const id = world.state().session_id.slice(0, 8);
    const stands = (await world.run(['status'])).stdout;
    const others =
      'holdfast run <plan> --reset --phases work (without new tests), or holdfast run <plan> --skip';
    expect(stands).toContain(`holdfast resume ${id} --reset; or first holdfast stop ${id}, then ${others}`);
    const told = (await world.json(['questions', 'show', question])).data.questions[0].prompt;
    expect(told).toContain(`choose "Stop", then: holdfast run <plan> --reset --phases work`);
    expect(await world.go(['--skip'])).toMatchObject({
      code: 5,
      stderr: expect.stringMatching(
        /is already there, halted.*\n.*holdfast resume [0-9a-f]{8} --reset.*stop it first/,
      ),
    });
    await world.run(['stop', id]);
    await until(() => world.runs().length === 0);
    expect(await world.go(['--skip', '--detach'])).toMatchObject({ code: 0 });
  });

  it.each([[[]], [['--resume']], [['--new']], [['--abort']], [['--detach']]])(
    'is told in one message who works: %j',
    async (options) => {
      await using world = await detachedWorld([HANG]);
      const pid = await detach(world);
      const { code, stderr } = await world.go(options);
      expect(code).toBe(5);
      expect(stderr).toMatch(
        new RegExp(
          `^holdfast: This run is already working \\(process ${pid}, since \\d\\d:\\d\\d:\\d\\d\\)\\nWatch: .holdfast status [0-9a-f]{8} --watch.\\. Stop: .holdfast stop [0-9a-f]{8}.\\.\\n$`,
        ),
      );
      world.put('docs/prps/other.md', '# PRP\n\n### Success Criteria\n\n- [ ] other\n');
      const other = await world.run(['run', 'docs/prps/other.md', '--agent', 'player', '--verify', CHECK]);
      expect(other).toMatchObject({
        code: 5,
        stderr: expect.stringMatching(
          new RegExp(
            `^holdfast: Another plan is being worked on here: ${PLAN} \\(process ${pid}[^\\n]+\\n.*--worktree`,
          ),
        ),
      });
    },
  );
});

describe('at a terminal', () => {
  itNeeds({ tmux: true }, 'Enter and Esc at the resume prompt change nothing', async () => {
    await using world = await detachedWorld([HANG]);
    await world.stop(await detach(world));
    const before = readFileSync(`${world.project}/.prp-session/loop-state.json`, 'utf8');
    await using pane = await Pane.open(world);
    for (const key of ['Enter', 'Escape']) {
      await pane.run('clear');
      await pane.holdfast(`run ${PLAN} --agent player --verify '${CHECK}'`);
      await pane.until('A letter, then Enter. N archives it, A gives it up; Enter or Esc: no change');
      await pane.until('[R]esume, [N]ew or [A]bort?');
      await pane.press(key);
      await pane.until('Nothing was changed.');
      expect(await pane.exitCode()).toBe(3);
    }
    expect(readFileSync(`${world.project}/.prp-session/loop-state.json`, 'utf8')).toBe(before);
  });

  itNeeds({ tmux: true }, 'answer and the inbox offer to start a run that is gone', async () => {
    await using world = await detachedWorld([ASKS, ASKS, ...WHOLE_WAY]);
    const pid = await detach(world);
    const first = await pending(world);
    await kill(pid);
    await using pane = await Pane.open(world);
    await pane.holdfast(`answer ${first} --option Big`);
    await pane.until(`The run that asked (${PLAN}) is not running. Resume it? [y/N]`);
    await pane.press('y', 'Enter');
    await pane.until('resumed in the background');
    const second = await pending(world);
    await kill((await loop(world)).owner.pid);
    await pane.run('clear');
    await pane.holdfast(`inbox --session ${second}`);
    await pane.until('Numbers');
    await pane.type('1');
    await pane.press('Enter');
    await pane.until('Review');
    await pane.press('Enter');
    await pane.until('is not running. Resume it? [y/N]');
    await pane.press('y', 'Enter');
    await pane.until('resumed in the background');
    await isCompleted(world);
  });
});
