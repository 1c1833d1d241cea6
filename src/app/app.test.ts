import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { appWorld } from '../../test/support/app-world.js';
import { question } from '../../test/support/question-world.js';
import { createQuestionSessions, openLocks, readTextFile, withTemporaryHome } from './index.js';
import { openChanges } from './sessions/open-changes.js';

describe('opening question sessions from a program', () => {
  it('uses the given home, and the command line sees the same', async () => {
    await using world = await appWorld();
    const sessions = createQuestionSessions({ home: world.environment.HOLDFAST_HOME, command: 'my program' });
    const { id } = await sessions.create([question()]);
    expect((await world.json(['questions', 'show', id])).data).toMatchObject({
      sessionId: id,
      status: 'pending',
    });
  });

  it('obeys the configuration there', async () => {
    await using world = await appWorld();
    world.configure({ question: { maxQuestions: 1, timeoutSeconds: 60 } });
    const sessions = createQuestionSessions({ home: world.environment.HOLDFAST_HOME });
    expect((await sessions.create([question()])).expiresAt).not.toBeNull();
    await expect(sessions.create([question(), question()])).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    world.configure({ nonsense: 1 });
    expect(() => createQuestionSessions({ home: world.environment.HOLDFAST_HOME })).toThrow(
      expect.objectContaining({ code: 'CONFIG_INVALID' }),
    );
  });
});

describe('a temporary home', () => {
  it('is gone afterwards, also after a failure', async () => {
    await using world = await appWorld();
    const services = world.services();
    let home = '';
    const failing = withTemporaryHome(services, 'demo', async (environment) => {
      home = environment.HOLDFAST_HOME ?? '';
      mkdirSync(join(home, 'deep', 'er'), { recursive: true });
      symlinkSync(world.project, join(home, 'link'));
      throw new Error('left in the middle');
    });
    await expect(failing).rejects.toThrow('left in the middle');
    expect(home).toMatch(/holdfast-demo-/);
    expect(existsSync(home)).toBe(false);
    expect(existsSync(world.project)).toBe(true);
    expect(readdirSync(world.dir.at('tmp'))).toEqual([]);
  });
});

describe('the lock of a session', () => {
  it('is reported with its owner, and taken away with force', async () => {
    await using world = await appWorld();
    const services = world.services();
    const { id } = await services.questions.create([question()]);
    const locks = openLocks(services);
    const start = id.slice(0, 8);
    expect(await locks.look(start)).toEqual({ sessionId: id, state: 'free', epoch: 0, owner: null });
    const held = await services.questionStore.hold(id);
    expect(await locks.look(start)).toMatchObject({
      state: 'held',
      epoch: 1,
      owner: expect.stringContaining(`by process ${process.pid}`),
    });
    expect(await locks.takeAway(start, 'cli')).toMatchObject({ state: 'held', epoch: 1 });
    const record = readFileSync(`${services.questionStore.lockPath(id)}.lock.2`, 'utf8');
    expect(record).toMatch(/^free\n\{"actor":"cli","command":"holdfast test","at":"[^"]+"\}\n$/);
    held[Symbol.dispose]();
    expect(await locks.look(start)).toMatchObject({ state: 'free', owner: null });
    await expect(locks.look('aaaa')).rejects.toThrow(expect.objectContaining({ code: 'SESSION_NOT_FOUND' }));
  });

  it('is also found for a change session', async () => {
    await using world = await appWorld();
    mkdirSync(join(world.project, 'openspec', 'changes', 'add-login'), { recursive: true });
    const services = world.services();
    await openChanges(services).create('add-login', { sessionId: 'nightly' });
    const locks = openLocks(services);
    expect(await locks.look('nigh')).toEqual({ sessionId: 'nightly', state: 'free', epoch: 1, owner: null });
    await expect(locks.look('../x')).rejects.toThrow(expect.objectContaining({ code: 'INVALID_SESSION_ID' }));
  });
});

describe('a file that the user names', () => {
  it('is read through links, relative to the project; a missing one is named', async () => {
    await using world = await appWorld();
    const services = world.services();
    writeFileSync(join(world.project, 'real.json'), 'text');
    symlinkSync('real.json', join(world.project, 'link.json'));
    expect(readTextFile(services, 'link.json')).toBe('text');
    expect(() => readTextFile(services, 'none\u001b.json')).toThrow(
      expect.objectContaining({ code: 'INVALID_INPUT', message: 'There is no file none^[.json' }),
    );
  });
});
