import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { until } from '../support/processes.js';
import { CHECK, done, PLAN, type RunWorld, runWorld, WHOLE_WAY, write } from '../support/run-world.js';
import { verifies } from '../support/verifies.js';

const HANG = { steps: [{ hang: true }] };

/** A session that was begun with these options and then killed. */
async function killedRun(options: readonly string[]): Promise<RunWorld> {
  const world = await runWorld([HANG, ...WHOLE_WAY]);
  const run = world.begin(options);
  await until(() => world.prompts().length === 1);
  run.child.kill('SIGKILL');
  await run.ended;
  return world;
}

function recordPath(world: RunWorld): string {
  return world.dir.at('holdfast home', 'state', 'runs', `${world.state().session_id}.json`);
}

/** How it would go on when these options are given: what a dry run shows or says, and how it exits. */
async function wouldGoOn(world: RunWorld, options: readonly string[] = []) {
  const { code, data } = await world.json(['run', PLAN, '--dry-run', ...options]);
  return { ...data, exit: code };
}

const checksOf = (...commands: string[]) => commands.map((command) => ['sh', '-c', command]);

describe.concurrent('a run that is resumed', () => {
  verifies('L14', 'goes on as it was started when nothing else is said', async () => {
    await using world = await killedRun([]);
    const { code, stdout } = await world.run(['run', PLAN, '--resume', '--json']);
    expect(code).toBe(0);
    expect(JSON.parse(stdout.split('\n')[0] ?? '')).toMatchObject({
      type: 'run-start',
      agent: 'player',
      isResumed: true,
      verify: [CHECK],
    });
    // What it said is kept for the report.
    const id = world.state().session_id;
    expect(readdirSync(join(recordPath(world), '..'))).toEqual([id, `${id}.log`]);
  });

  verifies('R13', 'counts the files of an iteration that was killed, also of the first one', async () => {
    await using world = await runWorld([
      { steps: [write('notes.txt', 'all of it\n'), { hang: true }] },
      { steps: [done] },
    ]);
    const phases = ['--phases', 'work', '--verify', 'true'];
    const run = world.begin(phases);
    await until(() => existsSync(join(world.project, 'notes.txt')));
    run.child.kill('SIGKILL');
    await run.ended;
    // Without them nothing would have been done, and an agent that has nothing left to do would never get any further.
    const again = await world.go([...phases, '--resume', '--max-iterations', '1']);
    expect(again.code, again.stderr).toBe(0);
    expect(again.stderr).toContain(
      'agent says done, checks agree · 1 file changed before it was interrupted',
    );
    const { data } = await world.json(['report']);
    expect(data.phases).toMatchObject([{ name: 'WORK', iterations: 1, filesChanged: 1 }]);
  });

  it('takes what is said now instead, and a new session owes nothing to an old one', async () => {
    await using world = await killedRun(['--context', 'fresh', '--permissions', 'ask', '--attended']);
    expect(await wouldGoOn(world, ['--attended'])).toMatchObject({
      agent: 'player',
      context: 'fresh',
      permissions: 'ask',
      checks: checksOf(CHECK),
    });
    expect(await wouldGoOn(world, ['--attended', '--context', 'continue', '--verify', 'true'])).toMatchObject(
      { context: 'continue', permissions: 'ask', checks: checksOf('true') },
    );
    expect(await wouldGoOn(world, ['--new', '--agent', 'player', '--verify', 'true'])).toMatchObject({
      context: 'redline',
      permissions: 'edits',
    });
  });

  it('tells a person how it goes on, and does not bypass permissions because it once did', async () => {
    await using world = await killedRun(['--permissions', 'bypass']);
    const { code, stderr } = await world.run(['run', PLAN, '--resume', '--max-iterations', '1']);
    expect(code).toBe(7);
    expect(stderr).toContain(
      'Resuming with these options: player, permissions edits (was bypass), context redline',
    );
    expect(stderr).toContain(`checks: ${CHECK}`);
    expect(stderr).toContain('--permissions bypass is not reused');
  });

  it('still asks for permission where it did, and says so where nobody could answer', async () => {
    await using world = await killedRun(['--permissions', 'ask', '--attended']);
    expect(await wouldGoOn(world)).toMatchObject({ exit: 2, hint: expect.stringContaining('--attended') });
    expect(await wouldGoOn(world, ['--permissions', 'edits'])).toMatchObject({ exit: 0 });
  });

  it('does not take its checks from the project, where the agent could have written them', async () => {
    await using world = await killedRun([]);
    const state = join(world.project, '.prp-session', 'loop-state.json');
    writeFileSync(state, JSON.stringify({ ...world.state(), verify: ['true'], permissions: 'bypass' }));
    expect(await wouldGoOn(world)).toMatchObject({ checks: checksOf(CHECK), permissions: 'edits' });
  });

  it('has its checks said again where they hold a secret', async () => {
    await using world = await killedRun(['--verify', `DEPLOY_TOKEN=s3cret-and-long-enough ${CHECK}`]);
    expect(readFileSync(recordPath(world), 'utf8')).not.toContain('s3cret');
    expect(await wouldGoOn(world)).toMatchObject({ exit: 2, hint: expect.stringContaining('--verify') });
    // Others that could be guessed do not stand for them.
    world.put('package.json', JSON.stringify({ scripts: { test: 'true' } }));
    expect(await wouldGoOn(world)).toMatchObject({
      exit: 2,
      error: expect.stringContaining('held a secret'),
    });
    expect(await wouldGoOn(world, ['--verify', CHECK])).toMatchObject({ exit: 0, checks: checksOf(CHECK) });
  });

  it('starts with what is said where its record is damaged, or its session has no proper name', async () => {
    await using world = await killedRun([]);
    writeFileSync(recordPath(world), '{');
    expect(await wouldGoOn(world)).toMatchObject({ success: false });
    const said = ['--agent', 'player', '--verify', CHECK];
    expect(await wouldGoOn(world, said)).toMatchObject({ exit: 0 });
    const state = join(world.project, '.prp-session', 'loop-state.json');
    writeFileSync(state, JSON.stringify({ ...world.state(), session_id: '../../../../secrets' }));
    expect(await wouldGoOn(world)).toMatchObject({ success: false });
  });

  it('is given up without an agent being there', async () => {
    await using world = await killedRun([]);
    const record = recordPath(world);
    world.configure({ agents: {} });
    expect(await world.run(['run', PLAN, '--abort'])).toMatchObject({ code: 0 });
    const id = world.state().session_id;
    expect(readdirSync(join(record, '..'))).toEqual([id, `${id}.log`]);
  });
});
