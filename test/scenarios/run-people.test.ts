import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { RALPHTOOL } from '../support/holdfast-binary.js';
import { until } from '../support/processes.js';
import {
  CHECK,
  done,
  living,
  notDone,
  PLAN,
  type RunWorld,
  runWorld,
  TESTS,
  WHOLE_WAY,
  write,
} from '../support/run-world.js';

const QUESTION = {
  title: 'Numbers',
  prompt: 'Which numbers should the adder know?',
  options: [{ label: 'Plain' }, { label: 'Big' }],
};
const ASKS = { steps: [{ ask: { questions: [QUESTION] } }, { say: 'You chose: {{output}}' }, notDone] };

async function pending(world: RunWorld): Promise<string> {
  let id: string | undefined;
  while (id === undefined) id = (await world.asideJson(['questions'])).data[0]?.sessionId;
  return id;
}

function commandOf(pid: number): string {
  return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
}

describe('a question of the agent', () => {
  it('without a person ends the run; the answer is told with the next prompt, once', async () => {
    await using world = await runWorld([ASKS, ...WHOLE_WAY]);
    const run = await world.go();
    expect(run).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('waiting for the answer to question'),
    });
    expect(world.state()).toMatchObject({ status: 'paused', usage: { iterations: 0 } });
    expect(living(world.dir.at('script.json'))).toEqual([]);
    const id = await pending(world);
    expect(world.state().open_questions).toEqual([id]);
    expect(await world.go(['--resume'])).toMatchObject({ code: 3 });
    expect(world.prompts()).toHaveLength(1);
    await world.aside(['answer', id, '--option', 'Big', '--text', 'really big']);
    expect(await world.go(['--resume'])).toMatchObject({ code: 0 });
    const [, second = { prompt: '' }, third = { prompt: '' }] = world.prompts();
    expect(second.prompt).toContain("→ Big\n→ Other: 'really big'");
    expect(third.prompt).not.toContain('really big');
    expect(world.state().open_questions).toEqual([]);
    expect((await world.run(['questions', 'collect'])).stdout).toBe('');
  });

  it('with a person waits, and goes on with the answer', async () => {
    await using world = await runWorld([ASKS, ...WHOLE_WAY]);
    const run = world.begin(['--attended', '--max-time', '30s']);
    await run.printed('stderr', /the agent asks: Numbers \(question ([0-9a-f]{8})\)/);
    const id = await pending(world);
    await world.aside(['answer', id, '--option', 'Plain']);
    expect(await run.ended).toMatchObject({ code: 0 });
    expect(world.prompts()[1]?.history.at(-1)?.text).toContain('→ Plain');
    expect(world.state().open_questions).toEqual([]);
  });

  it('outlives a run that is killed while it waits', async () => {
    await using world = await runWorld([ASKS, ...WHOLE_WAY]);
    const run = world.begin(['--attended']);
    await run.printed('stderr', /the agent asks/);
    run.child.kill('SIGKILL');
    await run.ended;
    const id = await pending(world);
    const again = world.begin(['--resume', '--attended']);
    await again.printed('stderr', /^waiting for the answer to question/m);
    await world.aside(['answer', id, '--option', 'Big']);
    expect(await again.ended).toMatchObject({ code: 0 });
    expect(world.prompts()[1]?.prompt).toContain('→ Big');
    expect(world.prompts()).toHaveLength(5);
  });
});

describe('somebody who is asked', () => {
  it('is still asked when the server of the agent was killed, and the answer is told', async () => {
    await using world = await runWorld([ASKS, ...WHOLE_WAY]);
    const run = world.begin(['--attended']);
    await run.printed('stderr', /the agent asks/);
    const id = await pending(world);
    const servers = living(world.dir.path).filter((pid) => commandOf(pid).endsWith('holdfast.cjs\0mcp\0'));
    expect(servers).toHaveLength(1);
    for (const pid of servers) process.kill(pid, 'SIGKILL');
    await run.printed('stderr', /^waiting for the answer to question/m);
    await world.aside(['answer', id, '--option', 'Big']);
    expect(await run.ended).toMatchObject({ code: 0 });
    expect(world.prompts()[1]?.prompt).toContain('→ Big');
  });

  it('is asked where they look, also by an agent that has another home', async () => {
    await using world = await runWorld([ASKS, ...WHOLE_WAY]);
    const config = JSON.parse(
      readFileSync(join(world.env.HOLDFAST_HOME ?? '', 'config/config.json'), 'utf8'),
    );
    config.agents.player.environment.HOME = world.dir.at('elsewhere');
    const directory = join(world.env.HOME ?? '', '.config', 'holdfast');
    mkdirSync(directory, { recursive: true });
    writeFileSync(join(directory, 'config.json'), JSON.stringify(config));
    const env = { HOLDFAST_HOME: undefined };
    expect(await world.go([], { env })).toMatchObject({ code: 3 });
    expect((await world.asideJson(['questions'], { env })).data).toMatchObject([{ questions: [QUESTION] }]);
    expect(existsSync(world.dir.at('elsewhere'))).toBe(false);
  });

  it('is not asked for what the agent was told to do, nor is that denied', async () => {
    const wants = (command: string) => ({
      permission: { tool: 'Bash', input: { command }, kind: 'execute' },
    });
    await using world = await runWorld([{ steps: [wants(CHECK), wants(`${CHECK}; make`), notDone] }]);
    const run = await world.go(['--max-iterations', '1']);
    expect(run.stderr).toContain(`denied (only edits are accepted): ${CHECK}; make\n`);
    expect((await world.asideJson(['report'])).data.denials).toMatchObject([
      { what: `Bash: ${CHECK}; make` },
    ]);
  });

  it('decides about permissions where that is wished, which needs somebody', async () => {
    const wants = { permission: { tool: 'Bash', input: { command: 'make' }, kind: 'execute' } };
    await using world = await runWorld([{ steps: [wants, notDone] }, ...WHOLE_WAY]);
    expect(await world.go(['--permissions', 'ask'])).toMatchObject({ code: 2 });
    const run = world.begin(['--permissions', 'ask', '--attended', '--max-iterations', '1']);
    await world.aside(['answer', await pending(world), '--option', 'Allow once']);
    await run.printed('stderr', /the run asks: Limit/);
    await world.aside(['answer', await pending(world), '--option', 'Stop']);
    expect(await run.ended).toMatchObject({ code: 7, stderr: expect.not.stringContaining('denied') });
  });
});

describe('what the run itself asks', () => {
  it('a breaker that opened: another approach, in the words of the person', async () => {
    const nothing = { steps: [notDone] };
    await using world = await runWorld([nothing, nothing, nothing, ...WHOLE_WAY]);
    const run = world.begin(['--attended']);
    await run.printed('stderr', /the run asks: Breaker/);
    const id = await pending(world);
    await world.aside(['answer', id, '--option', 'Change the approach', '--text', 'begin with the tests']);
    expect(await run.ended).toMatchObject({ code: 0 });
    expect(world.prompts()[3]?.prompt).toContain('begin with the tests');
  });

  it('a limit that is reached: raised, or the end', async () => {
    await using world = await runWorld(WHOLE_WAY);
    const run = world.begin(['--attended', '--max-iterations', '1']);
    await run.printed('stderr', /the run asks: Limit/);
    await world.aside(['answer', await pending(world), '--option', 'Raise the limit']);
    await run.printed('stderr', /the run asks: Limit(?:.|\n)*the run asks: Limit/);
    expect(world.state().budget.iterations).toBe(2);
    await world.aside(['answer', await pending(world), '--option', 'Stop']);
    expect(await run.ended).toMatchObject({ code: 7 });
    expect(world.state()).toMatchObject({ status: 'paused' });
  });

  it('is withdrawn when the run is stopped meanwhile', async () => {
    await using world = await runWorld(WHOLE_WAY);
    const run = world.begin(['--attended', '--max-iterations', '1']);
    await run.printed('stderr', /the run asks: Limit/);
    run.child.kill('SIGINT');
    expect(await run.ended).toMatchObject({ code: 130 });
    expect((await world.asideJson(['questions'])).data).toEqual([]);
    expect(world.state()).toMatchObject({ status: 'suspended' });
  });
});

describe('before it starts', () => {
  it('--dry-run shows prompt, checks and limits, and starts nothing', async () => {
    await using world = await runWorld(WHOLE_WAY);
    const run = await world.go(['--dry-run', '--max-iterations', '7']);
    expect(run.code).toBe(0);
    expect(run.stdout).toContain('Iteration 1 of RED');
    expect(run.stdout).toMatch(/^checks +node --test$/m);
    expect(run.stdout).toMatch(/^limits +7 iterations$/m);
    const { data } = await world.json(['run', PLAN, '--agent', 'player', '--verify', CHECK, '--dry-run']);
    expect(data).toMatchObject({ checks: [['sh', '-c', CHECK]], limits: { iterations: 100 } });
    expect(existsSync(join(world.project, '.prp-session'))).toBe(false);
    expect(world.prompts()).toEqual([]);
  });

  it('a plan without criteria is said to have none', async () => {
    await using world = await runWorld(WHOLE_WAY);
    world.put('docs/prps/login.md', '# Login\n\nSome text\n');
    const { code, stdout, stderr } = await world.run([
      ...['run', 'docs/prps/login.md', '--agent', 'player', '--verify', 'true', '--dry-run'],
    ]);
    expect([code, stderr]).toEqual([0, expect.stringContaining('has no success criteria')]);
    expect(stdout).not.toContain('criteria');
  });

  it('checks are guessed from the project, as words and not for a shell, and shown', async () => {
    await using world = await runWorld(WHOLE_WAY);
    world.put('package.json', JSON.stringify({ scripts: { test: CHECK } }));
    const dry = await world.run(['run', 'docs/prps/adder.md', '--agent', 'player', '--dry-run', '--json']);
    expect(JSON.parse(dry.stdout).checks).toEqual([['npm', 'test']]);
  });

  it('changes that are not committed are mixed with the work only on request', async () => {
    await using world = await runWorld(WHOLE_WAY);
    execFileSync('git', ['init', '-q'], { cwd: world.project });
    world.put('notes.txt', 'mine');
    const refused = await world.go();
    expect(refused).toMatchObject({
      code: 3,
      stderr: expect.stringContaining(
        "1 uncommitted file; the agent's changes would mix with yours: notes.txt\n",
      ),
    });
    expect(existsSync(join(world.project, '.prp-session'))).toBe(false);
    expect(await world.go(['--dirty'])).toMatchObject({ code: 0 });
  });

  it('the plan that was just written is no reason to ask', async () => {
    await using world = await runWorld(WHOLE_WAY);
    execFileSync('git', ['init', '-q'], { cwd: world.project });
    expect(await world.go()).toMatchObject({ code: 0 });
  });

  it('what cannot be is refused and changes nothing', async () => {
    await using world = await runWorld(WHOLE_WAY);
    expect(await world.run(['run', 'none.md', '--agent', 'player'])).toMatchObject({ code: 4 });
    expect(await world.run(['run'])).toMatchObject({ code: 2 });
    expect(await world.go(['--resume'])).toMatchObject({ code: 4 });
    expect(await world.go(['--new', '--resume'])).toMatchObject({ code: 2 });
    expect(await world.go(['--max-iterations', '0'])).toMatchObject({ code: 2 });
    expect(await world.go(['--context', 'some'])).toMatchObject({ code: 2 });
    expect(await world.go(['--permissions', 'all'])).toMatchObject({ code: 2 });
    expect(existsSync(join(world.project, '.prp-session'))).toBe(false);
  });
});

describe('the context of the agent', () => {
  it('is fresh in each iteration where that is wished, and knows all from the prompt', async () => {
    await using world = await runWorld([{ steps: [write('test/adder.test.mjs', TESTS), done] }]);
    expect(await world.go(['--context', 'fresh', '--max-iterations', '9'])).toMatchObject({ code: 6 });
    const prompts = world.prompts();
    expect(new Set(prompts.map(({ session }) => session)).size).toBe(3);
    expect(prompts.every(({ history }) => history.length === 0)).toBe(true);
    expect(prompts.every(({ prompt }) => prompt.startsWith('# Adder'))).toBe(true);
  });

  it('is made anew when it is nearly full', async () => {
    const full = { usage: { input: 180_000, window: 200_000 } };
    const turn = { steps: [full, write('test/adder.test.mjs', TESTS), done] };
    await using world = await runWorld([turn]);
    expect(await world.go(['--max-iterations', '2'])).toMatchObject({ code: 7 });
    expect(new Set(world.prompts().map(({ session }) => session)).size).toBe(2);
    await using other = await runWorld([turn]);
    expect(await other.go(['--max-iterations', '2', '--context', 'continue'])).toMatchObject({ code: 7 });
    expect(new Set(other.prompts().map(({ session }) => session)).size).toBe(1);
  });
});

describe('afterwards', () => {
  it('a command of the person is run, and knows how it ended', async () => {
    await using world = await runWorld(WHOLE_WAY);
    const told = world.dir.at('told');
    await world.go(['--max-iterations', '1', '--on-end', `echo "$HOLDFAST_RUN_OUTCOME" > '${told}'`]);
    expect(readFileSync(told, 'utf8')).toBe('limit\n');
  });

  it('the report tells phases, tests over time, tokens, cost, questions and why it stopped', async () => {
    await using world = await runWorld([ASKS, ...WHOLE_WAY]);
    const run = world.begin(['--attended']);
    await run.printed('stderr', /the agent asks/);
    await world.aside(['answer', await pending(world), '--option', 'Big']);
    await run.ended;
    const { data } = await world.asideJson(['report']);
    expect(data).toMatchObject({
      status: 'completed',
      usage: { iterations: 5, tokens: 5 * 1_050 },
      questions: [{ title: 'Numbers', status: 'completed' }],
    });
    expect(
      data.phases.map(({ name, iterations, tokens }: Record<string, unknown>) => [name, iterations, tokens]),
    ).toEqual([
      ['RED', 2, 2_100],
      ['GREEN', 1, 1_050],
      ['REFACTOR', 1, 1_050],
      ['DOCUMENT', 1, 1_050],
    ]);
    expect(data.tests.at(-1)).toMatchObject({ phase: 'DOCUMENT', passing: 2, failing: 0, total: 2 });
    expect((await world.run(['report'])).stdout).toMatch(/^GREEN +1 /m);
    expect((await world.run(['report', '--md'])).stdout).toContain('| GREEN | 1 |');
  });
});

describe('a run over an OpenSpec change', () => {
  const RALPH = `node '${RALPHTOOL}' agent`;
  const STORIES = 6;

  async function changeWorld(): Promise<RunWorld> {
    const turns = Array.from({ length: STORIES }, (_, index) => ({
      steps: [
        { run: `${RALPH} task done ${index + 1}.1` },
        { run: `${RALPH} learn "learned in story ${index + 1}"` },
        write(`story-${index + 1}.txt`, 'x'),
        done,
      ],
    }));
    const world = await runWorld(turns);
    const tasks = Array.from(
      { length: STORIES },
      (_, i) => `## ${i + 1}. Story ${i + 1}\n\n- [ ] ${i + 1}.1 Do it\n`,
    );
    world.put('openspec/project.md', '# Project\n');
    world.put('openspec/changes/add-x/proposal.md', '# Add x\n\nWe want x.\n');
    world.put('openspec/changes/add-x/design.md', '# Design\n\nPlain.\n');
    world.put('openspec/changes/add-x/tasks.md', tasks.join('\n'));
    world.put('test/one.test.mjs', "import test from 'node:test';\ntest('one', () => {});\n");
    return world;
  }
  const RUN = ['run', '--change', 'add-x', '--agent', 'player', '--verify', CHECK, '--permissions', 'bypass'];

  it('works through its stories and keeps what was learned in design.md', async () => {
    await using world = await changeWorld();
    const run = await world.run(RUN);
    expect(run.stderr).toContain('completed');
    expect(run.stderr).toMatch(/^story 2 of 6 \(Story 2\), iteration 1: the agent is working$/m);
    expect(run.code).toBe(0);
    expect(world.state()).toMatchObject({
      status: 'completed',
      phases_completed: ['1', '2', '3', '4', '5', '6'],
    });
    const design = readFileSync(join(world.project, 'openspec/changes/add-x/design.md'), 'utf8');
    for (let story = 1; story <= STORIES; story += 1) expect(design).toContain(`learned in story ${story}`);
    expect(world.prompts()[1]?.prompt).toContain('learned in story 1');
    expect(world.prompts()[1]?.prompt).toContain('We want x.');
    expect((await world.json(['change'])).data[0]?.session ?? null).toBeNull();
  });

  it('holds the change while it is interrupted, and goes on with the story', async () => {
    await using world = await changeWorld();
    expect(await world.run([...RUN, '--max-iterations', '2'])).toMatchObject({ code: 7 });
    expect(world.state()).toMatchObject({ current_story: '3', phases_completed: ['1', '2'] });
    expect((await world.run(['status'])).stdout).toMatch(
      /^stories +story 3 of 6 {2}\[x\] 1 Story 1 {2}\[x\] 2 Story 2 {2}\[>\] 3 Story 3 0 % {2}\[ \] 4 Story 4 /m,
    );
    const other = await world.run(['change', 'init', 'add-x']);
    expect(other.code).toBe(5);
    expect(await world.run([...RUN, '--resume', '--max-iterations', '20'])).toMatchObject({ code: 0 });
    await until(() => living(world.dir.at('script.json')).length === 0);
  });

  it('lets go of the change when a new session takes its place, for this plan or another', async () => {
    await using world = await changeWorld();
    const holder = async () => (await world.json(['change'])).data[0]?.session?.session_id ?? null;
    await world.run([...RUN, '--max-iterations', '1']);
    const first = await holder();
    expect(await world.run([...RUN, '--new', '--max-iterations', '1'])).toMatchObject({ code: 7 });
    expect([null, first]).not.toContain(await holder());
    expect(await world.go()).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('Another plan is in progress here: openspec/changes/add-x (2, paused)'),
    });
    await world.go(['--new', '--max-iterations', '1']);
    expect(await holder()).toBeNull();
  });

  it('that was killed right after its end still writes down what was learned', async () => {
    await using world = await changeWorld();
    await world.run([...RUN, '--max-iterations', '2']);
    // As a crash leaves it between the last commit of the loop and the flush of the change.
    const file = join(world.project, '.prp-session', 'loop-state.json');
    writeFileSync(file, JSON.stringify({ ...world.state(), status: 'completed' }));
    expect(await world.run(RUN)).toMatchObject({ code: 3, stderr: expect.stringContaining('completed') });
    const design = readFileSync(join(world.project, 'openspec/changes/add-x/design.md'), 'utf8');
    expect(design.match(/learned in story 2/g)).toHaveLength(1);
    expect(await world.run(['change', 'init', 'add-x'])).toMatchObject({ code: 0 });
  });

  it('--dry-run shows the story without taking the change', async () => {
    await using world = await changeWorld();
    const dry = await world.run([...RUN, '--dry-run']);
    expect(dry).toMatchObject({ code: 0, stdout: expect.stringContaining('- [ ] 1.1 Do it') });
    expect(await world.run(['change', 'init', 'add-x'])).toMatchObject({ code: 0 });
  });

  it('that is given up lets the change go', async () => {
    await using world = await changeWorld();
    await world.run([...RUN, '--max-iterations', '1']);
    expect(await world.run([...RUN, '--abort'])).toMatchObject({ code: 0 });
    expect(await world.run(['change', 'init', 'add-x'])).toMatchObject({ code: 0 });
  });
});
