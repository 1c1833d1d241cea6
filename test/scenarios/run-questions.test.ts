import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { createServices } from '../../src/app/services.js';
import type { QuestionSessions } from '../../src/sessions/question/index.js';
import { living, notDone, type RunWorld, runWorld, WHOLE_WAY } from '../support/run-world.js';

const QUESTION = {
  title: 'Numbers',
  prompt: 'Which numbers should the adder know?',
  options: [{ label: 'Plain' }, { label: 'Big' }],
};
const ASK = { ask: { questions: [QUESTION] } };
const WORDS = 'only the ones below a hundred';

function inbox(world: RunWorld): QuestionSessions {
  return createServices({ environment: world.env, workingDirectory: world.project, command: 'a person' })
    .questions;
}

async function pending(world: RunWorld): Promise<string> {
  for (;;) {
    const found = (await inbox(world).list()).find(({ outcome }) => outcome.status === 'pending');
    if (found !== undefined) return found.id;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

function answer(world: RunWorld, id: string): Promise<unknown> {
  return inbox(world).answer(id, [{ questionIndex: 0, customText: WORDS }]);
}

describe('a question that nobody waits for any more', () => {
  it.each([
    ['given up', ['--abort']],
    ['replaced', ['--new', '--max-iterations', '1']],
  ])('is withdrawn when its run is %s', async (_what, options) => {
    await using world = await runWorld([{ steps: [ASK, notDone] }]);
    expect(await world.go()).toMatchObject({ code: 3 });
    const id = await pending(world);
    world.script(WHOLE_WAY);
    await world.go(options);
    expect((await inbox(world).get(id)).outcome).toEqual({
      status: 'abandoned',
      reason: 'the run that asked was given up',
    });
  });
});

describe('an answer is told with the next prompt', () => {
  it('when the run had ended before it knew of the question', async () => {
    await using world = await runWorld(WHOLE_WAY);
    await world.go(['--max-iterations', '1']);
    const session = world.state().session_id;
    const asker = (id: string) => ({
      asker: { agent: 'player', session: id },
      workingDirectory: world.project,
    });
    const { id } = await inbox(world).create([QUESTION], asker(session));
    const other = await inbox(world).create([QUESTION], asker('another session'));
    expect(await world.go(['--resume', '--max-iterations', '2'])).toMatchObject({ code: 3 });
    expect(world.state().open_questions).toEqual([id]);
    await answer(world, id);
    await world.go(['--resume', '--max-iterations', '2']);
    expect(world.prompts()[1]?.prompt).toContain(WORDS);
    expect(world.state().open_questions).toEqual([]);
    expect((await inbox(world).get(other.id)).outcome.status).toBe('pending');
  });

  it('when the server of the agent was killed with the answer in its hands', async () => {
    await using world = await runWorld([{ steps: [ASK, notDone] }, ...WHOLE_WAY]);
    const run = world.begin(['--attended']);
    await run.printed('stderr', /the agent asks/);
    const id = await pending(world);
    const servers = living(world.dir.path).filter((pid) =>
      readFileSync(`/proc/${pid}/cmdline`, 'utf8').endsWith('holdfast.cjs\0mcp\0'),
    );
    for (const pid of servers) process.kill(pid, 'SIGSTOP');
    await answer(world, id);
    for (const pid of servers) process.kill(pid, 'SIGKILL');
    expect(await run.ended).toMatchObject({ code: 0 });
    expect(world.prompts()[1]?.prompt).toContain(WORDS);
    expect(world.prompts()[2]?.prompt).not.toContain(WORDS);
  });

  it('when the agent died after it had heard it', async () => {
    await using world = await runWorld([{ steps: [ASK, { crash: true }] }, ...WHOLE_WAY]);
    const run = world.begin(['--attended']);
    await answer(world, await pending(world));
    expect(await run.ended).toMatchObject({ code: 0 });
    expect(world.prompts()[1]?.prompt).toContain(WORDS);
    expect(world.prompts()[2]?.prompt).not.toContain(WORDS);
  });

  it('but not when the agent has heard it and finished its turn', async () => {
    await using world = await runWorld([
      { steps: [ASK, { say: 'I see: {{output}}' }, notDone] },
      ...WHOLE_WAY,
    ]);
    const run = world.begin(['--attended']);
    await answer(world, await pending(world));
    expect(await run.ended).toMatchObject({ code: 0 });
    const [, second] = world.prompts();
    expect(second?.prompt).not.toContain(WORDS);
    expect(second?.history.at(-1)?.text).toContain(WORDS);
  });
});

describe('guidance', () => {
  it('that an agent did not live to answer is told again', async () => {
    await using world = await runWorld([{ steps: [{ crash: true }] }, ...WHOLE_WAY]);
    const check = 'while [ ! -e may-go ]; do sleep 0.05; done; node --test';
    const run = world.begin(['--json', '--verify', check]);
    await run.printed('stdout', /"type":"verify-start"/);
    await world.run(['guide', WORDS]);
    world.put('may-go', '');
    await run.ended;
    const [first, second, third] = world.prompts();
    expect(first?.prompt).toContain(WORDS);
    expect(second?.prompt).toContain(WORDS);
    expect(third?.prompt).not.toContain(WORDS);
  });
});

describe('what a run asked that was killed', () => {
  it('is withdrawn when it is started again', async () => {
    await using world = await runWorld(WHOLE_WAY);
    const run = world.begin(['--attended', '--max-iterations', '1']);
    await run.printed('stderr', /the run asks: Limit/);
    const id = await pending(world);
    run.child.kill('SIGKILL');
    await run.ended;
    expect((await inbox(world).get(id)).outcome.status).toBe('pending');
    expect(await world.go(['--resume', '--max-iterations', '20'])).toMatchObject({ code: 0 });
    expect((await inbox(world).get(id)).outcome).toMatchObject({
      status: 'abandoned',
      reason: 'the run continues without the answer',
    });
  });
});
