import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { nextMillisecond, until } from '../support/processes.js';
import {
  CODE,
  done,
  GREEN,
  living,
  notDone,
  PLAN,
  type RunWorld,
  runWorld,
  say,
  status,
  TESTS,
  WHOLE_WAY,
  write,
} from '../support/run-world.js';
import { verifies } from '../support/verifies.js';

const ONLY_GREEN = { loop: { phases: [{ name: 'GREEN' }] } };
const HANG = { steps: [say('I work.'), { hang: true }] };
const NOTHING = { steps: [notDone] };

function git(world: RunWorld, ...args: string[]): void {
  execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@t', ...args], { cwd: world.project });
}

/** Starts a run and waits until its agent has got so many prompts. */
async function atPrompt(world: RunWorld, count: number, args: readonly string[] = []) {
  const run = world.begin(args);
  run.child.stdin.end();
  await until(() => world.prompts().length >= count || run.child.exitCode !== null);
  return run;
}

/** The beginnings of all prompts that were sent: no two are the same. */
function begun(world: RunWorld): string[] {
  return world.prompts().map(({ prompt }) => /begun (\S+Z)/.exec(prompt)?.[1] ?? 'none');
}

describe('a run over a PRP', () => {
  it('works through four phases and ends when it is measured', async () => {
    await using world = await runWorld(WHOLE_WAY);
    const { code, events } = await world.events();
    expect(code).toBe(0);
    expect(world.state()).toMatchObject({
      status: 'completed',
      phases_completed: ['RED', 'GREEN', 'REFACTOR', 'DOCUMENT'],
      usage: { iterations: 4 },
      baseline: { exit_code: 0, tests: { total: 0 } },
    });
    const ends = events.filter(({ type }) => type === 'iteration-end');
    expect(
      ends.map(({ phase, iteration, tests }) => [phase, iteration, tests.passing, tests.failing]),
    ).toEqual([
      ['RED', 1, 0, 2],
      ['GREEN', 1, 2, 0],
      ['REFACTOR', 1, 2, 0],
      ['DOCUMENT', 1, 2, 0],
    ]);
    expect(events.at(0)).toMatchObject({ type: 'run-start', agent: 'player', isResumed: false, plan: PLAN });
    expect(events.at(-1)).toMatchObject({ type: 'run-end', outcome: 'completed' });
  });

  it('keeps each exchange in a conversation that the list of chats does not show', async () => {
    await using world = await runWorld(WHOLE_WAY);
    await world.go();
    const directory = join(world.env.HOME ?? '', '.aurora', 'spawn', 'sessions');
    const files = readdirSync(directory).filter((name) => name.endsWith('.jsonl'));
    expect(files).toEqual([`run-${world.state().session_id}.jsonl`]);
    const lines = readFileSync(join(directory, files[0] ?? ''), 'utf8')
      .trim()
      .split('\n');
    const turns = lines.map((line) => JSON.parse(line)).filter(({ type }) => type === 'turn');
    expect(turns.map(({ role }) => role)).toEqual(Array(4).fill(['user', 'assistant']).flat());
    expect((await world.json(['chat', '--list-sessions'])).data).toEqual([]);
  });

  it('tells the agent the criteria, the phase, and what was measured', async () => {
    await using world = await runWorld(WHOLE_WAY);
    await world.go();
    const [red, green] = world.prompts().map(({ prompt }) => prompt);
    expect(red).toContain('- [ ] adds\n- [ ] subtracts');
    expect(red).toContain('Iteration 1 of RED');
    expect(green).toContain('Iteration 1 of GREEN');
    expect(green).toContain('Before the run: 0 tests, 0 pass, 0 fail');
    expect(green).toContain('Now: 2 tests, 0 pass, 2 fail');
    expect(green).toMatch(/The first check that failed printed this at the end:\n`{3,}\n/);
  });
});

describe('what counts', () => {
  it('new files alone are progress', async () => {
    const files = ['a', 'b', 'c', 'd', 'e'].map((name) => ({ steps: [write(`${name}.txt`, name), notDone] }));
    await using world = await runWorld(files);
    git(world, 'init', '-q');
    const run = await world.go(['--dirty', '--verify', 'true', '--max-iterations', '5']);
    expect(run.code).toBe(7);
    expect(world.loopFile('circuit-breaker.json')).toMatchObject({ state: 'CLOSED', no_progress_count: 0 });
  });

  it('a dirty tree that stays as it was is not, nor are our own files', async () => {
    await using world = await runWorld([NOTHING]);
    git(world, 'init', '-q');
    world.put('dirty.txt', 'one');
    git(world, 'add', '-A');
    git(world, 'commit', '-qm', 'x');
    world.put('dirty.txt', 'two');
    expect(await world.go(['--dirty', '--verify', 'true'])).toMatchObject({ code: 6 });
    expect(world.prompts()).toHaveLength(3);
    expect(world.loopFile('circuit-breaker.json')).toMatchObject({
      state: 'OPEN',
      open_reason: 'no progress in 3 iterations of RED',
    });
    await using plain = await runWorld([NOTHING]);
    expect(await plain.go(['--verify', 'true'])).toMatchObject({ code: 6 });
    expect(plain.prompts()).toHaveLength(3);
  });

  it('writing the same again is not, also without git', async () => {
    await using world = await runWorld([{ steps: [write('same.txt', 'same'), notDone] }]);
    world.put('same.txt', 'same');
    utimesSync(join(world.project, 'same.txt'), new Date(0), new Date(0));
    expect(await world.go(['--verify', 'true'])).toMatchObject({ code: 6 });
    expect(world.prompts()).toHaveLength(3);
  });

  it('0 of 0 tests never pass, whatever the agent says', async () => {
    await using world = await runWorld([{ steps: [done] }], { settings: ONLY_GREEN });
    expect(await world.go()).toMatchObject({ code: 6 });
    expect(world.state()).toMatchObject({ status: 'halted', phases_completed: [] });
  });

  it('a claim that no measurement bears out ends nothing', async () => {
    const lie = { steps: [say(`All tests written, 12 failing as they should.\n\n${status(true)}\n`)] };
    await using world = await runWorld([lie]);
    expect(await world.go()).toMatchObject({ code: 6 });
    expect(world.state()).toMatchObject({ status: 'halted', phases_completed: [], current_phase: 'RED' });
  });

  it('a measurement without a signal ends nothing either; a quoted block and the word done are no signal', async () => {
    const quoted = say(
      `It is done, complete.\n\n\`\`\`\n${status(true)}\n\`\`\`\n\n> ---PRP_PHASE_STATUS---\n`,
    );
    await using world = await runWorld([{ steps: [write('adder.mjs', CODE), quoted] }], {
      settings: ONLY_GREEN,
    });
    world.put('test/adder.test.mjs', TESTS);
    expect(await world.go(['--max-iterations', '2'])).toMatchObject({ code: 7 });
    expect(world.loopFile('dual-gate.json')).toMatchObject({
      gate_1: { satisfied: true },
      gate_2: { satisfied: false },
      can_exit: false,
    });
  });

  it('an agent that fails trips the breaker within its threshold', async () => {
    await using world = await runWorld([{ steps: [{ fail: 'the model is confused' }] }]);
    const run = await world.go();
    expect(run).toMatchObject({
      code: 6,
      stderr: expect.stringContaining(
        'halted: 3 runs in a row failed; the last one: API Error: the model is confused',
      ),
    });
    expect(world.prompts()).toHaveLength(3);
    expect(world.state()).toMatchObject({ status: 'halted', usage: { iterations: 3 } });
    expect(world.state().error_history).toHaveLength(3);
  });

  it('an agent that dies in each turn does, too, and leaves no process', async () => {
    await using world = await runWorld([{ steps: [{ crash: true }] }]);
    expect(await world.go()).toMatchObject({ code: 6 });
    expect(living(world.dir.at('script.json'))).toEqual([]);
  });

  it('denied permissions are listed with what was wanted, and open the breaker', async () => {
    const wants = {
      steps: [{ permission: { tool: 'Bash', input: { command: 'rm -rf build' }, kind: 'execute' } }, notDone],
    };
    await using world = await runWorld([wants]);
    const run = await world.go();
    expect(run).toMatchObject({ code: 6, stderr: expect.stringContaining('rm -rf build') });
    expect(world.loopFile('circuit-breaker.json').open_reason).toMatch(/^permission denied in 2 iterations/);
    const { data } = await world.asideJson(['report']);
    expect(data.denials[0].what).toContain('rm -rf build');
  });

  it('an account that an administrator switched off halts at once', async () => {
    await using world = await runWorld([{ steps: [{ fail: 'Allocation disabled by your admin' }] }]);
    expect(await world.go()).toMatchObject({ code: 6 });
    expect(world.prompts()).toHaveLength(1);
  });

  it('a stale signal of an older run ends nothing in a new one', async () => {
    await using world = await runWorld(WHOLE_WAY);
    await world.go();
    world.script([NOTHING]);
    expect(await world.go(['--new', '--dirty'])).toMatchObject({ code: 6 });
    expect(world.state()).toMatchObject({ status: 'halted', phases_completed: [] });
  });
});

describe('limits', () => {
  it('survive a restart, pause rather than kill, and can be raised', async () => {
    await using world = await runWorld(WHOLE_WAY);
    const first = await world.go(['--max-iterations', '2']);
    expect(first).toMatchObject({
      code: 7,
      stderr: expect.stringContaining('the limit of 2 iterations is reached'),
    });
    expect(world.state()).toMatchObject({ status: 'paused', current_phase: 'REFACTOR' });
    expect(await world.go(['--resume'])).toMatchObject({ code: 7 });
    expect(world.prompts()).toHaveLength(2);
    expect(await world.go(['--resume', '--max-iterations', '10'])).toMatchObject({ code: 0 });
    expect(world.prompts()).toHaveLength(4);
  });

  it('of time end a turn that hangs', async () => {
    await using world = await runWorld([HANG]);
    expect(await world.go(['--max-time', '700ms'])).toMatchObject({ code: 7 });
    expect(world.state()).toMatchObject({ status: 'paused', usage: { iterations: 1 } });
    expect(living(world.dir.at('script.json'))).toEqual([]);
  });

  it('of tokens and money are counted as the agent reports them', async () => {
    const costly = {
      steps: [{ usage: { input: 900, output: 100, cost: 2 } }, write('a.txt', '{{prompt}}'), notDone],
    };
    await using world = await runWorld([costly]);
    expect(await world.go(['--max-cost', '3', '--verify', 'true'])).toMatchObject({ code: 7 });
    expect(world.state().usage).toMatchObject({ iterations: 2, tokens: 2_000, cost_usd: 4 });
    await using other = await runWorld([costly]);
    expect(await other.go(['--max-tokens', '1000', '--verify', 'true'])).toMatchObject({ code: 7 });
  });

  it("of the agent's own service are waited for, visibly, and survive a restart", async () => {
    await using world = await runWorld([{ steps: [{ rateLimit: { resetsInSeconds: 7_200 } }] }]);
    const waits =
      /^waiting (1h 59m|2h 0m): the agent's 5h limit is used up \("You've hit your 5-hour limit.*"\), until .*; `holdfast resume` tries now$/m;
    const run = world.begin();
    await run.printed('stderr', waits);
    run.child.kill('SIGINT');
    expect(await run.ended).toMatchObject({ code: 130 });
    const again = world.begin(['--resume']);
    await again.printed('stderr', waits);
    again.child.kill('SIGKILL');
    await again.ended;
    expect(world.prompts()).toHaveLength(1);
  });

  verifies(
    'R11',
    'of the service are over when a person says `holdfast resume`; they used up nothing',
    async () => {
      await using world = await runWorld([
        { steps: [{ rateLimit: { resetsInSeconds: 7_200 } }] },
        ...WHOLE_WAY,
      ]);
      const run = world.begin(['--max-iterations', '5']);
      await run.printed('stderr', /`holdfast resume` tries now/);
      expect((await world.asideJson(['status'])).data.loop).toMatchObject({
        iteration: 0,
        usage: { iterations: 0 },
        breaker: { state: 'CLOSED', noProgressCount: 0, sameErrorCount: 0, failedRunCount: 0 },
        calls: { wait: { cause: 'quota', scope: '5h', words: expect.stringContaining('5-hour limit') } },
      });
      expect((await world.run(['status'])).stdout).toMatch(
        /waiting (1h 59m|2h 0m): the agent's 5h limit is used up .*, until .*; `holdfast resume` tries now/,
      );
      expect(await world.run(['resume'])).toMatchObject({ code: 0 });
      expect(await run.ended).toMatchObject({ code: 0 });
      expect(world.state()).toMatchObject({ status: 'completed', usage: { iterations: 4 } });
    },
  );

  verifies(
    'R11',
    'that repeating cannot heal halt the run at the first, with cause and way out at the end',
    async () => {
      await using world = await runWorld([{ steps: [{ fail: 'Not logged in · Please run /login' }] }]);
      const run = await world.go();
      expect(run).toMatchObject({
        code: 6,
        stderr: expect.stringContaining(
          'halted: the agent is not logged in ("API Error: Not logged in · Please run /login"). Log in with `claude /login`',
        ),
      });
      expect(run.stderr).not.toContain('no progress');
      expect(world.prompts()).toHaveLength(1);
      expect((await world.run(['status'])).stdout).toContain('Log in with `claude /login`');
    },
  );
});

describe('stopping', () => {
  for (const [signal, code] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 143],
  ] as const) {
    verifies('L14', `${signal} stores suspended, ends the agent's tree, and says how to resume`, async () => {
      await using world = await runWorld([
        { steps: [{ grandchild: 'sleep 1000' }, { hang: true }] },
        ...WHOLE_WAY,
      ]);
      const run = await atPrompt(world, 1);
      run.child.kill(signal);
      expect(await run.ended).toMatchObject({ code, stderr: expect.stringContaining('--resume') });
      expect(world.state()).toMatchObject({ status: 'suspended', suspend_reason: 'stopped by a signal' });
      await until(() => living(world.dir.at('script.json')).length === 0);
      expect(await world.go(['--resume'])).toMatchObject({ code: 0 });
      expect(new Set(world.prompts().map(({ session }) => session)).size).toBe(1);
      expect(world.prompts()[1]?.prompt).toContain('was interrupted');
    });
  }

  it('an agent that never gets as far as taking a prompt keeps nobody from stopping', async () => {
    await using world = await runWorld([]);
    const mute = {
      driver: 'acp',
      command: 'sleep',
      args: ['1000'],
      environment: { MUTE_AT: world.dir.path },
    };
    world.configure({ agents: { mute } });
    const run = world.begin(['--agent', 'mute']);
    await until(() => living(`MUTE_AT=${world.dir.path}`).length > 0);
    run.child.kill('SIGINT');
    expect(await run.ended).toMatchObject({ code: 130 });
    expect(living(`MUTE_AT=${world.dir.path}`)).toEqual([]);
    expect(world.state()).toMatchObject({ status: 'suspended' });
  });

  it('during a check ends the check and everything that it started', async () => {
    await using world = await runWorld(WHOLE_WAY);
    const marker = world.dir.at('check-runs');
    const run = world.begin(['--verify', `test -e '${marker}' && exit 0; touch '${marker}'; sleep 1000`]);
    await until(() => existsSync(marker));
    run.child.kill('SIGINT');
    expect(await run.ended).toMatchObject({ code: 130 });
    expect(living(marker)).toEqual([]);
    expect(world.state()).toMatchObject({ status: 'suspended', baseline: null });
  });

  verifies(
    'L14',
    'SIGKILL is found as suspended, and the next start goes on in the same conversation',
    async () => {
      await using world = await runWorld([HANG, ...WHOLE_WAY]);
      const run = await atPrompt(world, 1);
      run.child.kill('SIGKILL');
      await run.ended;
      expect((await world.asideJson(['status'])).data.loop).toMatchObject({
        status: 'suspended',
        iteration: 0,
      });
      const refused = await world.go();
      expect(refused).toMatchObject({ code: 3, stderr: expect.stringContaining('--resume, --new, --abort') });
      expect(await world.go(['--resume'])).toMatchObject({ code: 0 });
      expect(living(world.dir.at('script.json'))).toEqual([]);
      expect(new Set(world.prompts().map(({ session }) => session)).size).toBe(1);
      expect(new Set(begun(world)).size).toBe(world.prompts().length);
      expect(world.prompts()[1]?.prompt).toContain('Iteration 1 of RED, begun');
      expect(world.prompts()[1]?.prompt).toContain('was interrupted');
    },
  );

  it('the agent of a run that was killed works on until it is stopped: `stop` ends it', async () => {
    await using world = await runWorld([HANG]);
    const run = await atPrompt(world, 1);
    run.child.kill('SIGKILL');
    await run.ended;
    const agents = () => living(world.dir.at('script.json'));
    expect(agents()).not.toEqual([]);
    const { data } = await world.asideJson(['status']);
    const id = String(data.loop.sessionId).slice(0, 8);
    expect(agents()).toContain(data.loop.leftBehind.pid);
    const words = `(process ${data.loop.leftBehind.pid}) is alive, holdfast stop ${id} ends it`;
    for (const look of [['status'], ['status', '--all']])
      expect(await world.run(look)).toMatchObject({ stdout: expect.stringContaining(words) });
    expect(await world.run(['stop'])).toMatchObject({
      code: 0,
      stdout: 'No process is running it now.\n',
      stderr: expect.stringContaining('that the killed run had left behind'),
    });
    await until(() => agents().length === 0);
    expect((await world.run(['status'])).stdout).not.toContain('is alive');
  });

  it('an agent that forgot its conversation gets a fresh one, told what was said', async () => {
    await using world = await runWorld(WHOLE_WAY);
    expect(await world.go(['--max-iterations', '1'])).toMatchObject({ code: 7 });
    for (const name of readdirSync(world.dir.at('state'))) rmSync(world.dir.at('state', name));
    world.script([GREEN, ...WHOLE_WAY.slice(2)]);
    const run = await world.go(['--resume', '--max-iterations', '9']);
    expect(run.stderr).toContain('the agent starts a new conversation and is told what was said');
    expect(run.code).toBe(0);
    expect(world.prompts().at(-1)?.session).not.toBe(world.prompts()[0]?.session);
  });

  it('a prompt is not sent again because the agent was killed with it', async () => {
    await using world = await runWorld([WHOLE_WAY[0], { steps: [{ crash: true }] }, ...WHOLE_WAY.slice(1)]);
    expect(await world.go(['--max-iterations', '1'])).toMatchObject({ code: 7 });
    expect(await world.go(['--resume', '--max-iterations', '9'])).toMatchObject({ code: 0 });
    expect(new Set(begun(world)).size).toBe(world.prompts().length);
    expect(world.state().error_history).toHaveLength(1);
  });

  it('a second runner is refused, naming the one that runs', async () => {
    await using world = await runWorld([HANG]);
    const run = await atPrompt(world, 1);
    const second = await world.go(['--resume']);
    expect(second).toMatchObject({ code: 5, stderr: expect.stringContaining(`process ${run.child.pid}`) });
    expect(await world.go(['--new', '--dirty'])).toMatchObject({ code: 5 });
    expect(world.prompts()).toHaveLength(1);
  });

  it('a session that was aborted is over, and its files are kept', async () => {
    await using world = await runWorld(WHOLE_WAY);
    await world.go(['--max-iterations', '1']);
    expect(await world.go(['--abort'])).toMatchObject({ code: 0 });
    expect(world.state()).toMatchObject({ status: 'aborted' });
    expect(await world.go(['--resume'])).toMatchObject({ code: 3 });
  });

  it('--reset lets a halted session try again', async () => {
    await using world = await runWorld([NOTHING, NOTHING, NOTHING, ...WHOLE_WAY]);
    expect(await world.go()).toMatchObject({ code: 6 });
    expect(await world.go(['--resume'])).toMatchObject({ code: 6 });
    expect(await world.go(['--reset'])).toMatchObject({ code: 0 });
  });
});

describe('requests from another terminal', () => {
  it('pause, guide and resume', async () => {
    await using world = await runWorld([HANG, ...WHOLE_WAY]);
    const run = await atPrompt(world, 1);
    expect(await world.run(['pause', '--reason', 'lunch'])).toMatchObject({
      code: 0,
      stdout: 'Asked the run to pause.\n',
    });
    await run.printed('stderr', /^paused: lunch; `holdfast resume` continues/m);
    expect((await world.asideJson(['status'])).data.loop).toMatchObject({
      status: 'paused',
      statusReason: 'lunch',
    });
    await world.run(['guide', 'use plain numbers']);
    await world.run(['resume']);
    expect(await run.ended).toMatchObject({ code: 0 });
    expect(world.prompts()[1]?.prompt).toContain('A person says:\n- use plain numbers');
    expect(world.prompts()[2]?.prompt).not.toContain('use plain numbers');
  });

  it('stop', async () => {
    await using world = await runWorld([HANG]);
    const run = await atPrompt(world, 1);
    await world.run(['stop']);
    expect(await run.ended).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('stopped: stop was requested'),
    });
    expect(world.state()).toMatchObject({ status: 'suspended' });
    expect(living(world.dir.at('script.json'))).toEqual([]);
  });

  it('to a loop that nobody runs are kept: guidance is told, an old stop does not end a new start', async () => {
    await using world = await runWorld(WHOLE_WAY);
    await world.go(['--max-iterations', '1']);
    expect((await world.run(['guide', 'mind the gap'])).stdout).toContain(
      'the next run passes it on to its agent',
    );
    expect((await world.run(['stop'])).stdout).toBe('No process is running it now.\n');
    // What is asked in the millisecond in which a run starts is asked of that run.
    await nextMillisecond();
    const { code, stderr } = await world.go(['--resume', '--max-iterations', '9']);
    expect(code, stderr).toBe(0);
    expect(world.prompts()[1]?.prompt).toContain('mind the gap');
    expect(await world.run(['pause'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('completed'),
    });
  });

  it('without a loop are refused', async () => {
    await using world = await runWorld([]);
    for (const args of [['pause'], ['resume'], ['stop'], ['guide', 'x'], ['report']])
      expect(await world.run(args)).toMatchObject({ code: 4 });
  });
});
