import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { until } from '../support/processes.js';
import { CHECK, PLAN, type RunWorld, runWorld, WHOLE_WAY } from '../support/run-world.js';
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

/** Goes on with nothing but the plan; the events of it. */
async function resume(world: RunWorld, options: readonly string[] = []) {
  const { code, stdout } = await world.run(['run', PLAN, '--resume', '--json', ...options]);
  const events = stdout.split('\n').filter((line) => line !== '');
  return { code, stdout, start: code === 0 ? JSON.parse(events[0] ?? '') : undefined };
}

describe.concurrent('a run that is resumed', () => {
  verifies('L14', 'goes on as it was started when nothing else is said', async () => {
    await using world = await killedRun([]);
    const { code, start } = await resume(world);
    expect({ code, start }).toMatchObject({
      code: 0,
      start: { type: 'run-start', agent: 'player', isResumed: true, verify: [CHECK] },
    });
    expect(readdirSync(join(recordPath(world), '..'))).toEqual([]);
  });

  it('would go on with the same memory and the same permissions, which a dry run shows', async () => {
    await using world = await killedRun(['--context', 'fresh', '--permissions', 'ask', '--attended']);
    const dry = async (...options: string[]) =>
      (await world.json(['run', PLAN, '--dry-run', '--attended', ...options])).data;
    expect(await dry()).toMatchObject({ agent: 'player', context: 'fresh', permissions: 'ask' });
    expect(await dry('--context', 'continue')).toMatchObject({ context: 'continue', permissions: 'ask' });
    // A new session owes nothing to an old one.
    expect(await dry('--new', '--agent', 'player', '--verify', 'true')).toMatchObject({
      context: 'redline',
      permissions: 'edits',
    });
  });

  it('takes what is said now instead', async () => {
    await using world = await killedRun([]);
    const { code, start } = await resume(world, ['--verify', 'true', '--verify', CHECK]);
    expect({ code, verify: start.verify }).toEqual({ code: 0, verify: ['true', CHECK] });
  });

  it('tells a person how it goes on', async () => {
    await using world = await killedRun([]);
    const { code, stderr } = await world.run(['run', PLAN, '--resume']);
    expect(code).toBe(0);
    expect(stderr).toContain('as before: player, edits, redline');
    expect(stderr).toContain(`checks: ${CHECK}`);
  });

  it('does not bypass permissions because it once did', async () => {
    await using world = await killedRun(['--permissions', 'bypass']);
    const { stderr } = await world.run(['run', PLAN, '--resume']);
    expect(stderr).toContain('as before: player, edits');
    expect(stderr).toContain('--permissions bypass is not taken over');
  });

  it('still asks for permission where it did, and says so where nobody could answer', async () => {
    await using world = await killedRun(['--permissions', 'ask', '--attended']);
    expect(await resume(world)).toMatchObject({ code: 2, stdout: expect.stringContaining('--attended') });
    expect(await resume(world, ['--permissions', 'edits'])).toMatchObject({ code: 0 });
  });

  it('does not take its checks from the project, where the agent could have written them', async () => {
    await using world = await killedRun([]);
    const state = join(world.project, '.prp-session', 'loop-state.json');
    writeFileSync(state, JSON.stringify({ ...world.state(), verify: ['true'], permissions: 'bypass' }));
    expect((await resume(world)).start).toMatchObject({ verify: [CHECK] });
  });

  it('has its checks said again where they hold a secret', async () => {
    const secret = `DEPLOY_TOKEN=s3cret-and-long-enough ${CHECK}`;
    await using world = await killedRun(['--verify', secret]);
    expect(readFileSync(recordPath(world), 'utf8')).not.toContain('s3cret');
    expect(await resume(world)).toMatchObject({ code: 2, stdout: expect.stringContaining('--verify') });
  });

  it('starts with what is said where its record is damaged', async () => {
    await using world = await killedRun([]);
    writeFileSync(recordPath(world), '{');
    expect(await resume(world)).toMatchObject({ code: 4, stdout: expect.stringContaining('NO_AGENT') });
    expect(await resume(world, ['--agent', 'player', '--verify', CHECK])).toMatchObject({ code: 0 });
  });

  it('is given up without an agent being there', async () => {
    await using world = await killedRun([]);
    const record = recordPath(world);
    world.configure({ agents: {} });
    expect(await world.run(['run', PLAN, '--abort'])).toMatchObject({ code: 0 });
    expect(readdirSync(join(record, '..'))).toEqual([]);
  });
});
