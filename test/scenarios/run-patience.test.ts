import { describe, expect, it } from 'vitest';
import { livingIn, until } from '../support/processes.js';
import {
  living,
  notDone,
  type RunWorld,
  runWorld,
  say,
  TESTS,
  WHOLE_WAY,
  write,
} from '../support/run-world.js';

/** A program that is started and never says that it is ready. */
const SLOW = {
  agents: { player: { driver: 'acp', command: 'sh', args: ['-c', 'sleep 1000 & wait'], environment: {} } },
};

async function slowWorld(): Promise<RunWorld> {
  const world = await runWorld([]);
  world.configure({ ...SLOW });
  return world;
}

/** The processes of the agent that does not get up. */
function starting(world: RunWorld): number[] {
  return livingIn(world.dir.path, 'sleep\u00001000');
}

async function pending(world: RunWorld): Promise<string> {
  let id: string | undefined;
  while (id === undefined) id = (await world.asideJson(['questions'])).data[0]?.sessionId;
  return id;
}

describe.concurrent('an agent that is slow to start', () => {
  it('does not keep a run from being paused, resumed and stopped; nothing of it is left', async () => {
    await using world = await slowWorld();
    const run = world.begin(['--json']);
    await run.printed('stdout', /"type":"iteration-start"/);
    await until(() => starting(world).length > 0);
    await world.run(['pause']);
    await run.printed('stdout', /"type":"iteration-cut","reason":"request"/);
    await run.printed('stdout', /"type":"waiting"/);
    expect(world.state()).toMatchObject({ status: 'paused', usage: { iterations: 0 } });
    expect(starting(world)).toEqual([]);
    await world.run(['resume']);
    await until(() => starting(world).length > 0);
    await world.run(['stop']);
    expect(await run.ended).toMatchObject({ code: 3 });
    expect(world.state()).toMatchObject({ status: 'suspended', usage: { iterations: 0 } });
    expect(starting(world)).toEqual([]);
  });

  it.each(['SIGINT', 'SIGTERM'] as const)('is gone with %s as well', async (signal) => {
    await using world = await slowWorld();
    const run = world.begin(['--json']);
    await run.printed('stdout', /"type":"iteration-start"/);
    await until(() => starting(world).length > 0);
    run.child.kill(signal);
    expect(await run.ended).toMatchObject({ code: signal === 'SIGINT' ? 130 : 143 });
    expect(world.state()).toMatchObject({ status: 'suspended' });
    expect(starting(world)).toEqual([]);
  });

  it('is given up when the time of the run is up', async () => {
    await using world = await slowWorld();
    const { code, events } = await world.events(['--max-time', '300ms']);
    expect(code).toBe(7);
    expect(events.find(({ type }) => type === 'iteration-end')).toMatchObject({
      run: 'timed-out',
      error: 'the time of the run was up',
    });
    expect(starting(world)).toEqual([]);
  });
});

describe.concurrent('an agent that hangs', () => {
  const HANGS = { steps: [say('I begin.'), { hang: 'deaf' }] };

  it('is ended after a while without a sign of life, which counts; the next iteration starts it again', async () => {
    await using world = await runWorld([HANGS, ...WHOLE_WAY]);
    const { code, events } = await world.events(['--idle', '10s']);
    expect(code).toBe(0);
    const ends = events.filter(({ type }) => type === 'iteration-end');
    expect(ends[0]).toMatchObject({
      run: 'timed-out',
      error: 'the agent showed no sign of life for 10 s',
    });
    expect(ends).toHaveLength(5);
    const [first, second] = world.prompts();
    expect(second?.session).toBe(first?.session);
    expect(
      new Set(events.filter(({ type }) => type === 'continuation').map((e) => e.continuation.how)),
    ).toEqual(new Set(['new', 'resumed']));
    expect(living(world.dir.at('script.json'))).toEqual([]);
  });

  it('each time opens the breaker', async () => {
    await using world = await runWorld([{ steps: [say('I begin.'), { hang: true }] }]);
    const run = await world.go(['--idle', '300ms']);
    expect(run).toMatchObject({ code: 6, stderr: expect.stringContaining('no sign of life') });
    expect(world.state().usage.iterations).toBe(3);
  });

  it('is left alone while a tool of its own runs', async () => {
    const tool = { run: 'sleep 11' };
    const turn = { steps: [tool, write('test/adder.test.mjs', TESTS), notDone] };
    await using world = await runWorld([turn]);
    const { code, events } = await world.events([
      '--idle',
      '10s',
      '--max-iterations',
      '1',
      '--permissions',
      'bypass',
    ]);
    expect(code).toBe(7);
    expect(events.find(({ type }) => type === 'iteration-end')).toMatchObject({ run: 'answered' });
  });
});

describe.concurrent('the time in which a permission waits for a person', () => {
  // Silence is told by the same clock: see `idle-clock.test.ts`.
  it('is not counted as work', async () => {
    const wants = { permission: { tool: 'Bash', input: { command: 'make' }, kind: 'execute' } };
    await using world = await runWorld([{ steps: [wants, notDone] }]);
    const run = world.begin(['--permissions', 'ask', '--attended', '--json']);
    const id = await pending(world);
    await world.aside(['answer', id, '--option', 'Allow once']);
    const [line = ''] = await run.printed('stdout', /^.*"type":"iteration-end".*$/m);
    expect(JSON.parse(line)).toMatchObject({ run: 'answered', denials: [] });
    // The parts are not more than the whole, which they would be if the wait were in both.
    const { at, activeMs } = JSON.parse(line);
    const between = (from: string, to: string) => Date.parse(to) - Date.parse(from);
    const asked = world.readFile(id, 'request.json').timestamp;
    const waitedMs = between(asked, world.readFile(id, 'answers.json').timestamp);
    expect(activeMs + waitedMs).toBeLessThanOrEqual(between(world.state().started_at, at));
    run.child.kill('SIGINT');
    expect(await run.ended).toMatchObject({ code: 130 });
  });
});
