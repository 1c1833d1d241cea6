import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Json, RunOptions } from '../support/holdfast-binary.js';
import { release01 } from '../support/old-release.js';
import { type ReleasedMachine, releasedMachine } from '../support/release-0.1.js';

// Today's programs read and change a home that release 0.1 made, then those of 0.1 do, and then ours read it again. A
// person who goes back to the older release, or has both installed, loses nothing.

const CHATS = ['chat-completed', 'chat-interrupted', 'chat-left'] as const;

/** Where the runs of 0.1 and then of ours end: iterations without progress are counted across both. */
const LIMIT = 7;
const BREAKER = 6;
const LOOPS = [
  { name: 'loop-created', goesOn: ['--agent', 'scripted'], ends: [LIMIT, BREAKER] },
  { name: 'loop-green-killed', goesOn: [], ends: [BREAKER, LIMIT] },
  { name: 'loop-archived', goesOn: [], ends: [LIMIT, BREAKER] },
  { name: 'loop-redo', goesOn: [], ends: [BREAKER, LIMIT] },
  { name: 'loop-halted', goesOn: ['--reset'], ends: [LIMIT, BREAKER] },
] as const;

let old: { readonly dist: string };
beforeAll(() => {
  old = { dist: release01() };
});

describe.concurrent('release 0.1 beside ours', () => {
  it('question sets: each reads what the other decided, and decides the next one', async () => {
    await using world = await releasedMachine();
    const ours = await world.run('website', ['answer', world.id('pending'), '--option', 'Yes']);
    expect(ours.code).toBe(0);
    expect((await world.run('website', ['answer', world.id('draft'), '--reject'])).code).toBe(0);
    expect((await world.run('website', ['questions', 'cancel', world.id('loop-question')])).code).toBe(0);
    const asked = await ask(world, {});
    expect(await statuses(world, old)).toMatchObject({
      [world.id('pending')]: 'completed',
      [world.id('draft')]: 'rejected',
      [world.id('loop-question')]: 'abandoned',
      [asked]: 'pending',
    });

    expect((await world.run('website', ['answer', asked, '--option', 'Yes'], old)).code).toBe(0);
    expect((await world.run('website', ['answer', world.id('dead-asker'), '--option', 'No'], old)).code).toBe(
      0,
    );
    // The first answer wins, whichever release gave it.
    expect((await world.run('website', ['answer', world.id('pending'), '--option', 'No'], old)).code).toBe(1);
    const later = await ask(world, old);
    expect(await statuses(world, {})).toMatchObject({
      [world.id('pending')]: 'completed',
      [asked]: 'completed',
      [world.id('dead-asker')]: 'completed',
      [later]: 'pending',
    });
    for (const id of [world.id('pending'), world.id('draft'), asked, later]) await expectWhole(world, id);
  });

  it.each(CHATS)('conversations: %s is continued by ours, by 0.1 and by ours again', async (name) => {
    await using world = await releasedMachine();
    const say = (input: string, by: RunOptions) =>
      world.run('website', ['chat', '--resume', name], { ...by, input: `${input}\n` });
    expect((await say('The word is anchor', {})).code).toBe(0);
    const remembered = await say('What did I say?', old);
    expect([remembered.code, remembered.stdout]).toEqual([0, expect.stringContaining('The word is anchor')]);
    const again = await say('What did I say?', {});
    expect([again.code, again.stdout]).toEqual([0, expect.stringContaining('The word is anchor')]);
    await expectWhole(world, name);
  });

  it.each(LOOPS)(
    'loops: $name goes on with ours, with 0.1 and with ours again',
    async ({ name, goesOn, ends }) => {
      await using world = await releasedMachine();
      const run = (limit: number, more: readonly string[], by: RunOptions) => {
        const limits = ['--verify', 'node --test', '--max-iterations', String(limit)];
        return world.run(name, ['run', 'docs/prps/adder.md', '--resume', '--json', ...limits, ...more], by);
      };
      const before = (await world.json(name, ['status'])).data.loop.usage.iterations as number;
      const first = await run(before + 1, goesOn, {});
      const second = await run(before + 2, [], old);
      const third = await run(before + 3, ends[0] === BREAKER ? ['--reset'] : [], {});
      expect([first.code, second.code, third.code]).toEqual([LIMIT, ...ends]);
      for (const look of [old, {}]) {
        const { data } = await world.json(name, ['status'], look);
        expect(data.loop).toMatchObject({ sessionId: world.id(name), usage: { iterations: before + 3 } });
      }
      const verified = await world.json(name, ['sessions', 'verify', '--kind', 'loop']);
      expect(verified.data.sessions.flatMap(({ faults }: Json) => faults)).toEqual([]);
    },
  );

  it('loops: one that ours began is refused by 0.1 and left as it is, and ours continues it', async () => {
    await using world = await releasedMachine();
    const name = 'loop-completed';
    const run = (limit: number, more: readonly string[], by: RunOptions) => {
      const limits = ['--agent', 'scripted', '--verify', 'node --test', '--max-iterations', String(limit)];
      return world.run(name, ['run', 'docs/prps/adder.md', '--json', ...limits, ...more], by);
    };
    expect((await run(1, ['--new'], {})).code).toBe(7);
    const state = () => world.text('projects', name, '.prp-session', 'loop-state.json');
    const before = state();
    const refused = await run(2, ['--resume'], old);
    expect([refused.code, JSON.parse(refused.stdout).code]).toEqual([3, 'LOOP_NOT_RESUMABLE']);
    expect(state()).toBe(before);
    expect((await run(2, ['--resume'], {})).code).toBe(7);
  });

  it.each([
    ['0.1', 'ours'],
    ['ours', '0.1'],
  ] as const)('loops: a run of %s obeys the requests of %s', async (runner, sender) => {
    await using world = await releasedMachine();
    const by = { '0.1': old, ours: {} };
    const name = 'loop-green-killed';
    const run = [
      'run',
      'docs/prps/adder.md',
      '--resume',
      '--json',
      '--verify',
      'true',
      '--max-iterations',
      '5000',
    ];
    // An agent that works until told otherwise, so a request finds it at work.
    const script = join(world.root, 'works.script.json');
    writeFileSync(
      script,
      JSON.stringify({ turns: [{ steps: [{ hang: true }] }], onExhausted: 'repeat-last' }),
    );
    const env = { HOLDFAST_SCRIPTED_SCRIPT: script };
    const running = world.start(name, run, { ...by[runner], env });
    await running.printed('stdout', /"type":"iteration-start"/);
    const send = async (...args: string[]) => {
      expect((await world.run(name, args, by[sender])).code).toBe(0);
    };
    await send('pause', '--reason', 'lunch');
    await running.printed('stdout', /"kind":"pause"/);
    for (const look of [old, {}])
      expect((await world.json(name, ['status'], look)).data.loop.status).toBe('paused');
    await send('guide', 'use plain numbers');
    await send('resume');
    await running.printed('stdout', /"kind":"guidance"[\s\S]*"kind":"resume"/);
    await send('stop');
    expect((await running.ended).code).toBe(3);
  });

  it('changes: ours takes a story, 0.1 ticks and learns, ours flushes', async () => {
    await using world = await releasedMachine();
    const name = 'change-claimed';
    const session = ['--session', world.id(name)];
    const done = async (args: readonly string[], by: RunOptions) => {
      const { code, data } = await world.json(name, ['change', ...args, ...session], by);
      expect([args, code]).toEqual([args, 0]);
      return data;
    };
    await done(['next-story'], {});
    await done(['learn', 'The table needs an index'], {});
    await done(['done', '1.1'], old);
    await done(['learn', 'Hashing is slow'], old);
    const shown = await world.json(name, ['change', 'show', 'add-login']);
    expect(shown.data.session).toMatchObject({ session_id: world.id(name) });
    await done(['done', '1.2'], {});
    await done(['next-story'], old);
    await done(['flush'], {});
    const design = world.text('projects', name, 'openspec', 'changes', 'add-login', 'design.md');
    for (const learned of ['The table needs an index', 'Hashing is slow'])
      expect(design.split(learned)).toHaveLength(2);
    const free = await world.json(name, ['change', 'show', 'add-login'], old);
    expect(free.data.session).toBeNull();
    const next = await world.json(name, ['change', 'init', 'add-login'], old);
    expect(next.code).toBe(0);
    expect((await world.json(name, ['change', 'show', 'add-login'])).data.session).not.toBeNull();
  });

  it('processes: what one keeps of an agent, the other lists and goes on with', async () => {
    await using world = await releasedMachine();
    const ids = async (by: RunOptions) =>
      ((await world.json('website', ['processes', 'list', '--all'], by)).data as Json[])
        .map(({ id }) => String(id))
        .sort();
    const exec = (args: readonly string[], by: RunOptions) => world.run('website', ['exec', ...args], by);
    const before = await ids({});
    expect(await ids(old)).toEqual(before);
    expect((await exec(['--agent', 'scripted', 'The word is anchor'], {})).code).toBe(0);
    const [fresh] = (await ids(old)).filter((id) => !before.includes(id));
    expect(fresh).toBeDefined();
    // Each release has its own scripted agent, at another path.
    const goOn = ['--session', String(fresh), '--accept-changes', 'What did I say?'];
    const told = await exec(goOn, old);
    expect([told.code, told.stdout]).toEqual([0, expect.stringContaining('The word is anchor')]);
    const again = await exec(goOn, {});
    expect([again.code, again.stdout]).toEqual([0, expect.stringContaining('The word is anchor')]);
  });
});

async function ask(world: ReleasedMachine, by: RunOptions): Promise<string> {
  const question = { title: 'Go', prompt: 'Go on?', options: [{ label: 'Yes' }, { label: 'No' }] };
  const { code, stdout } = await world.run(
    'website',
    ['ask', JSON.stringify({ questions: [question] }), '--no-wait'],
    by,
  );
  expect(code).toBe(0);
  return stdout.trim();
}

/** The status of every question set, by its id. */
async function statuses(world: ReleasedMachine, by: RunOptions): Promise<Record<string, string>> {
  const { data } = await world.json('website', ['questions', 'list', '--all'], by);
  const sets: Json[] = data.sessions ?? data;
  return Object.fromEntries(sets.map(({ sessionId, status }) => [sessionId, status]));
}

/** Checks that neither release finds anything wrong with a session. */
async function expectWhole(world: ReleasedMachine, id: string): Promise<void> {
  for (const by of [old, {}]) {
    const verified = await world.json('website', ['sessions', 'verify', id], by);
    expect([id, verified.code]).toEqual([id, 0]);
  }
}
