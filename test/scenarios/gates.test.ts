import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { until } from '../support/processes.js';
import {
  DOCUMENT,
  done,
  GREEN,
  notDone,
  PLAN,
  REFACTOR,
  runWorld,
  say,
  status,
  write,
} from '../support/run-world.js';
import { verifies } from '../support/verifies.js';

const HAD = "import test from 'node:test';\ntest('had before', () => {});\n";
/** Two criteria want new behaviour and a document, the third that nothing else changes. */
const REAL_PLAN = `# PRP: Adder

## Goal

A module that adds.

## All Needed Context

Numbers are plain.

## Success Criteria

- [ ] adds
- [ ] Without numbers nothing changes
- [ ] README.md says how to add
`;
const HONEST_TESTS = `import assert from 'node:assert/strict';
import test from 'node:test';
test('adds', async () => assert.equal((await import('../adder.mjs')).add(2, 2), 4));
test('without numbers nothing changes', () => {});
`;
const HONEST_RED = { steps: [write('test/adder.test.mjs', HONEST_TESTS), done] };
const NOTHING = { steps: [notDone] };
const SAYS_DONE = { steps: [done] };
const README = { steps: [write('README.md', '# Adder\n'), done] };

async function realWorld(turns: unknown, settings: object = {}) {
  const world = await runWorld(turns, { settings });
  world.put(PLAN, REAL_PLAN);
  world.put('test/had.test.mjs', HAD);
  return world;
}

describe('gates that real plans can pass', () => {
  verifies(
    'R04',
    'a regression criterion and a documentation criterion: to the end in one turn per phase',
    async () => {
      await using world = await realWorld([HONEST_RED, GREEN, SAYS_DONE, README]);
      const { code, events } = await world.events();
      expect(code).toBe(0);
      expect(world.state()).toMatchObject({
        status: 'completed',
        preset: { name: 'tdd' },
        phases_completed: ['RED', 'GREEN', 'REFACTOR', 'DOCUMENT'],
        usage: { iterations: 4 },
      });
      // The second green run of GREEN is ours: two runs of the checks after one turn.
      const kinds = events.map(({ type, phase }) => (type === 'iteration-end' ? phase : type));
      const green = kinds.slice(kinds.indexOf('RED') + 1, kinds.indexOf('GREEN'));
      expect(green.filter((kind) => kind === 'verify-end')).toHaveLength(2);
      expect(world.prompts()).toHaveLength(4);
    },
  );

  verifies('R04', 'a check that is green only once does not end GREEN', async () => {
    await using world = await realWorld([HONEST_RED, GREEN, SAYS_DONE, README]);
    const flaky = 'node --test && if test -e ran; then rm ran; exit 1; fi; test ! -e adder.mjs || touch ran';
    const { events } = await world.events(['--verify', flaky, '--max-iterations', '2']);
    const end = events.filter(({ type }) => type === 'iteration-end').at(-1);
    expect(end).toMatchObject({
      phase: 'GREEN',
      exitSignal: true,
      gates: { first: false, missing: [{ what: 'passing-checks', have: 1, want: 0 }] },
    });
  });

  verifies('R04', 'no document is needed where the agent says why, and the reason is kept', async () => {
    const why = 'no_documents_needed: the README was written in GREEN';
    const block = status(true).replace('RECOMMENDATION', `${why}\nRECOMMENDATION`);
    await using world = await realWorld([
      HONEST_RED,
      GREEN,
      REFACTOR,
      { steps: [say(`Done.\n\n${block}\n`)] },
    ]);
    expect(await world.go()).toMatchObject({ code: 0 });
    expect(world.loopFile('metrics.json').phases.DOCUMENT.final_metrics.no_documents_needed).toBe(
      'the README was written in GREEN',
    );
    await using bare = await realWorld([HONEST_RED, GREEN, REFACTOR, SAYS_DONE]);
    const run = await bare.go();
    expect(run).toMatchObject({ code: 6, stderr: expect.stringContaining('no document changed') });
  });

  verifies(
    'R04',
    'work: a plan without tests of its own ends when checks are green and files changed',
    async () => {
      await using world = await realWorld([SAYS_DONE, README]);
      const { code, events } = await world.events(['--phases', 'work', '--verify', 'true']);
      expect(code).toBe(0);
      expect(world.state()).toMatchObject({ phases_completed: ['WORK'], usage: { iterations: 2 } });
      const ends = events.filter(({ type }) => type === 'iteration-end');
      expect(ends.map(({ gates }) => gates.missing)).toEqual([
        [{ what: 'changed-files', have: 0, want: 1 }],
        [],
      ]);
      expect(world.prompts()[1]?.prompt).toContain(
        'The gate is not met: no files changed (you said that the phase was done; it is not)',
      );
    },
  );

  verifies('R04', 'tdd-strict has the published numbers', async () => {
    await using world = await realWorld([HONEST_RED, SAYS_DONE]);
    const run = await world.go(['--phases', 'tdd-strict', '--max-iterations', '1']);
    expect(run.stderr).toContain(
      'agent says done, checks do not: needs 3 new failing tests, has 1 · 1 file created',
    );
    const { stdout } = await world.run(['status']);
    expect(stdout).toMatch(
      /^gates +the agent says done, the checks do not: needs 3 new failing tests, has 1$/m,
    );
  });

  verifies(
    'R04',
    'the command line counts before the plan, and the plan may not loosen the config',
    async () => {
      const preset = async (args: readonly string[], asked: string, loop: object = {}) => {
        await using world = await realWorld([NOTHING], { loop });
        world.put(PLAN, `---\nphases: ${asked}\n---\n${REAL_PLAN}`);
        const { data } = await world.json([
          'run',
          PLAN,
          '--agent',
          'player',
          '--verify',
          'true',
          '--dry-run',
          ...args,
        ]);
        return data.preset;
      };
      expect(await preset([], 'work')).toBe('work');
      expect(await preset(['--phases', 'tdd'], 'work')).toBe('tdd');
      expect(await preset([], 'work', { preset: 'tdd-strict' })).toBe('tdd-strict');
      expect(await preset([], 'tdd-strict', { preset: 'work' })).toBe('tdd-strict');
      expect(await preset(['--phases', 'work'], 'tdd', { preset: 'tdd-strict' })).toBe('work');
    },
  );
});

describe('at the breaker', () => {
  verifies(
    'R10',
    'an agent that does nothing halts at the number that is stated, with what is missing',
    async () => {
      await using world = await realWorld([SAYS_DONE]);
      const run = await world.go();
      expect(run.code).toBe(6);
      expect(world.prompts()).toHaveLength(3);
      expect(run.stderr).toMatch(
        /^halted: no progress in 3 iterations of RED; the gate is not met: needs 1 new failing test, has 0\. .*--reset.*--skip.*--phases work`\.$/m,
      );
      const again = await world.go(['--resume']);
      expect(again).toMatchObject({ code: 6, stderr: expect.stringMatching(/--reset.*--skip/s) });
      expect(world.prompts()).toHaveLength(3);
      const { stdout } = await world.run(['status']);
      expect(stdout).toMatch(
        /^resume .*--reset; or holdfast run <plan> --reset --phases work \(without new tests\), or holdfast run <plan> --skip \(leaves the phase\)$/m,
      );
    },
  );

  verifies('R10', '--skip leaves the phase, says so everywhere, and the run can end well', async () => {
    await using world = await realWorld([SAYS_DONE, SAYS_DONE, SAYS_DONE, GREEN, SAYS_DONE, DOCUMENT]);
    await world.go();
    const skip = ['--skip', '--reason', 'there is nothing to test'];
    const run = await world.go(skip);
    expect(run, run.stderr).toMatchObject({ code: 0 });
    expect(run.stderr).toContain('RED is skipped (by cli: there is nothing to test); next is GREEN');
    expect(run.stderr).toMatch(/^completed\nskipped: RED \(by cli: there is nothing to test\)$/m);
    expect(world.state()).toMatchObject({
      status: 'completed',
      phases_completed: ['GREEN', 'REFACTOR', 'DOCUMENT'],
      phases_skipped: [{ phase: 'RED', actor: 'cli', reason: 'there is nothing to test' }],
    });
    const { stdout } = await world.run(['status']);
    expect(stdout).toMatch(/^phases +\[-\] RED skipped {2}\[x\] GREEN/m);
    expect(stdout).toMatch(/^skipped +RED, by cli: there is nothing to test/m);
    expect((await world.asideJson(['report'])).data).toMatchObject({
      skipped: [{ phase: 'RED', actor: 'cli' }],
    });
    expect((await world.go(skip)).code).toBe(3);
  });

  verifies('R10', 'the last phase is skipped only while the checks are green', async () => {
    await using world = await realWorld([SAYS_DONE]);
    const work = ['--phases', 'work', '--verify', 'test ! -e broken'];
    expect(await world.go(work)).toMatchObject({ code: 6 });
    world.put('broken', '');
    const refused = await world.go(['--skip', '--verify', 'test ! -e broken']);
    expect(refused).toMatchObject({
      code: 6,
      stderr: expect.stringContaining('WORK is the last phase, and cannot be skipped while the checks fail'),
    });
    expect(world.state()).toMatchObject({ status: 'halted', phases_skipped: [] });
    expect(await world.go(['--skip', '--verify', 'true'])).toMatchObject({ code: 0 });
    expect(world.state()).toMatchObject({ status: 'completed', phases_completed: [] });
  });

  verifies(
    'R10',
    'the question says what is missing in numbers, and can be answered with a skip',
    async () => {
      await using world = await realWorld([SAYS_DONE, SAYS_DONE, SAYS_DONE, GREEN, SAYS_DONE, DOCUMENT]);
      const run = world.begin(['--attended']);
      run.child.stdin.end();
      await run.printed('stderr', /the run asks: Breaker/);
      const { data } = await world.asideJson(['questions']);
      const [{ sessionId, questions }] = data;
      expect(questions[0].prompt).toBe(
        `${PLAN}: the run was halted: no progress in 3 iterations of RED; the gate is not met: needs 1 new failing test, has 0 ` +
          '(the agent says it is done). How should it continue? If the plan needs no new tests, choose "Stop", then: ' +
          'holdfast run <plan> --reset --phases work',
      );
      await world.aside(['answer', sessionId, '--option', 'Skip this phase']);
      expect(await run.ended).toMatchObject({ code: 0 });
      expect(world.state().phases_skipped).toMatchObject([
        { phase: 'RED', actor: 'cli', reason: 'no progress in 3 iterations of RED' },
      ]);
    },
  );

  verifies('R04', '--reset --phases work goes on with the session that the breaker halted', async () => {
    await using world = await realWorld([SAYS_DONE]);
    await world.go();
    world.script([README]);
    expect(await world.go(['--reset', '--phases', 'work'])).toMatchObject({ code: 0 });
    expect(world.state()).toMatchObject({ preset: { name: 'work' }, phases_completed: ['WORK'] });
  });

  it('a session that is not halted has nothing to skip', async () => {
    await using world = await realWorld([NOTHING]);
    await world.go(['--max-iterations', '1']);
    const run = await world.go(['--skip']);
    expect(run).toMatchObject({ code: 2, stderr: expect.stringContaining('not halted') });
  });

  verifies('R10', 'failed runs are named as the cause', async () => {
    await using world = await realWorld([{ steps: [{ fail: 'the model is confused' }] }]);
    expect(await world.go()).toMatchObject({
      code: 6,
      stderr: expect.stringContaining('halted: 3 runs in a row failed'),
    });
  });
});

describe('a check that cannot run', () => {
  for (const [verify, exitCode] of [
    ['no-such-command-at-all', 127],
    ['/dev/null', 126],
  ] as const) {
    verifies('R10', `exit code ${exitCode} at the baseline stops before an agent is paid`, async () => {
      await using world = await realWorld([HONEST_RED, GREEN, SAYS_DONE, README]);
      const run = await world.go(['--verify', verify]);
      expect(run.code).toBe(2);
      expect(run.stderr).toContain(`The check \`${verify}\` cannot run (exit code ${exitCode})`);
      expect(run.stderr).toContain('--verify "<command>"');
      expect(world.prompts()).toEqual([]);
      expect(await world.go(['--resume', '--verify', 'node --test'])).toMatchObject({ code: 0 });
    });
  }

  it('a run that fails is over: --on-end runs, and the report says why it ended', async () => {
    await using world = await realWorld([]);
    const onEnd = 'printf "%s: %s" "$HOLDFAST_RUN_OUTCOME" "$HOLDFAST_RUN_REASON" > ended.txt';
    const run = await world.go(['--verify', 'no-such-tool', '--on-end', onEnd]);
    expect(run.code).toBe(2);
    const why = 'The check `no-such-tool` cannot run (exit code 127)';
    expect(run.stderr.split(why)).toHaveLength(2);
    expect(readFileSync(join(world.project, 'ended.txt'), 'utf8')).toContain(`failed: ${why}`);
    expect((await world.run(['logs', world.state().session_id])).stdout).toContain(`failed: ${why}`);
    const { data } = await world.json(['report']);
    expect(data.processes).toMatchObject([{ end: { outcome: 'failed' } }]);
  });
});

describe('the prompts', () => {
  verifies('R04', 'quote what matters of the plan to the phase, and say what the gate wants', async () => {
    await using world = await realWorld([HONEST_RED, GREEN, SAYS_DONE, README]);
    await world.go();
    const [red, green, , document] = world.prompts().map(({ prompt }) => prompt);
    expect(red).toContain('### From the plan: Goal\n\nA module that adds.');
    expect(red).toContain('### From the plan: All Needed Context\n\nNumbers are plain.');
    expect(red).toContain('- This phase ends when: at least 1 new test fails, and no test broke');
    expect(green).toContain('- Before the run: 1 tests, 1 pass, 0 fail');
    expect(green).toContain('- Now: 3 tests, 2 pass, 1 fail');
    expect(document).toContain('`no_documents_needed: <reason>`');
    expect(document).not.toContain('Numbers are plain.');
  });

  verifies('R04', 'carry the words of the person for the phase, before rules and status block', async () => {
    const prompts = { RED: 'Use plain asserts.', GREEN: 'No new packages.' };
    await using world = await realWorld([HONEST_RED, GREEN, SAYS_DONE, README], { loop: { prompts } });
    await world.go();
    const [red, green] = world.prompts().map(({ prompt }) => prompt);
    expect(red).toMatch(
      /## From the person you work for\n\nUse plain asserts\.\n\n## Rules\n[\s\S]*---PRP_PHASE_STATUS---/,
    );
    expect(green).toContain('No new packages.');
    expect(green).not.toContain('Use plain asserts.');
  });

  verifies('R04', '--dry-run prints the first prompt whole, and checks and limits in words', async () => {
    await using world = await realWorld([HONEST_RED, GREEN, SAYS_DONE, README]);
    const { stdout } = await world.go(['--dry-run', '--max-time', '2h']);
    expect(stdout).toMatch(/^checks {7}node --test$/m);
    expect(stdout).toMatch(/^limits {7}100 iterations, 2 hours of work$/m);
    expect(stdout).toMatch(/^phases {7}RED, GREEN, REFACTOR, DOCUMENT \(tdd\)$/m);
    await world.go();
    const sent = world.prompts()[0]?.prompt ?? '';
    const told = sent.split('\n').filter((line) => !/^Iteration |^- (Before the run|Now):/.test(line));
    for (const line of told) expect(stdout).toContain(line);
  });

  it('each denial is said once, when it happens', async () => {
    const wants = Array.from({ length: 13 }, (_, n) => ({
      permission: { tool: 'Bash', input: { command: `rm ${n}` }, kind: 'execute' },
    }));
    await using world = await realWorld([{ steps: [...wants, notDone] }]);
    const run = world.begin(['--max-iterations', '1']);
    run.child.stdin.end();
    await until(() => run.child.exitCode !== null);
    const { stderr } = await run.ended;
    expect(stderr.match(/✗ denied/g)).toHaveLength(13);
  });
});
