import { mkdirSync, writeFileSync } from 'node:fs';
import { describe, expect, it, vi } from 'vitest';
import { type AppWorld, appWorld } from '../../test/support/app-world.js';
import { writeChange } from '../../test/support/change-scenarios.js';
import { PATIENT } from '../../test/support/deadlines.js';
import { PLAN } from '../../test/support/loop-world.js';
import { question } from '../../test/support/question-world.js';
import { Holdfast } from './holdfast.js';

/** Another project next to the usual one, with a plan and a change. */
function project(world: AppWorld, name: string): string {
  const directory = world.dir.at(name);
  mkdirSync(`${directory}/docs/prps`, { recursive: true, mode: 0o700 });
  writeFileSync(`${directory}/${PLAN}`, '# Login\n');
  writeChange(directory);
  return directory;
}

describe('one long-lived Holdfast', () => {
  it('serves several projects: each has its own loops and changes, and the user has one set of questions', async () => {
    await using world = await appWorld();
    const [shop, blog] = [project(world, 'shop'), project(world, 'blog')];
    await using holdfast = new Holdfast(world.services());
    using _loop = await holdfast.project(shop).loops.create(PLAN);
    await holdfast.project(blog).changes.create('add-login', { sessionId: 'worker' });
    expect(holdfast.project(shop).loops.isFound()).toBe(true);
    expect(holdfast.project(blog).loops.isFound()).toBe(false);
    expect(holdfast.project(blog).changes.get('worker').project).toBe(blog);
    const { id } = await holdfast.questions.create([question()]);
    for (const directory of [shop, blog])
      expect((await holdfast.project(directory).catalog.find(id)).kind).toBe('question');
  });

  it('builds each part once', async () => {
    await using world = await appWorld();
    const shop = project(world, 'shop');
    await using holdfast = new Holdfast(world.services());
    const parts = holdfast.project(shop);
    expect(holdfast.project(shop)).toBe(parts);
    for (const name of ['loops', 'changes', 'conversations', 'processes', 'catalog'] as const)
      expect(parts[name], name).toBe(parts[name]);
    expect(parts.services.tools).toBe(holdfast.project().services.tools);
    expect(parts.services.questions).toBe(holdfast.questions);
  });

  it('lists the sessions of every project where one was started, from anywhere, each once', async () => {
    await using world = await appWorld();
    const [shop, blog] = [project(world, 'shop'), project(world, 'blog')];
    {
      await using earlier = new Holdfast(world.services());
      (await earlier.project(shop).loops.create(PLAN))[Symbol.dispose]();
      await earlier.project(blog).changes.create('add-login', { sessionId: 'worker' });
      const talk = { id: 'talk', agent: 'qa', workingDirectory: blog };
      (await earlier.project(blog).conversations.create(talk))[Symbol.dispose]();
    }
    await using holdfast = new Holdfast(world.services());
    expect(holdfast.projects().map(({ path }) => path)).toEqual([blog, shop]);
    const { sessions, gone } = await holdfast.listSessions({ isAll: true });
    expect(gone).toEqual([]);
    expect(sessions.map(({ kind, project: of }) => [kind, of]).sort()).toEqual([
      ['change', blog],
      ['conversation', blog],
      ['loop', shop],
    ]);
    expect(await holdfast.listSessions({ kind: 'loop' })).toMatchObject({ sessions: [{ project: shop }] });
    await expect(holdfast.listSessions({ status: 'nonsense' })).rejects.toMatchObject({
      code: 'INVALID_INPUT',
    });
  });

  it('on disposal stops work in progress, waits for it, and takes no more', async () => {
    await using world = await appWorld();
    const holdfast = new Holdfast(world.services());
    const happened: string[] = [];
    const working = holdfast.during(async (signal) => {
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
      await Promise.resolve();
      happened.push('the work ended');
    });
    await holdfast[Symbol.asyncDispose]();
    happened.push('disposed of');
    await working;
    expect(happened).toEqual(['the work ended', 'disposed of']);
    expect(() => holdfast.project()).toThrow(expect.objectContaining({ code: 'ABORTED' }));
    await expect(holdfast.during(async () => 1)).rejects.toMatchObject({ code: 'ABORTED' });
  });

  it('on disposal closes every watch: nothing keeps the process alive', async () => {
    await using world = await appWorld();
    const services = world.services();
    const before = watches();
    {
      await using holdfast = new Holdfast(services);
      await holdfast.questions.create([question()]);
      holdfast.questions.watch(() => {});
      expect(watches().length).toBeGreaterThan(before.length);
    }
    await vi.waitFor(() => expect(watches()).toEqual(before), PATIENT);
  });
});

const watches = () =>
  process.getActiveResourcesInfo().filter((name) => name === 'FSEvent' || name === 'FSEventWrap');
