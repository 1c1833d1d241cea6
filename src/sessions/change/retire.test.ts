import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type ChangeWorld, changeWorld } from '../../../test/support/change-world.js';

const ended = (world: ChangeWorld) => join(world.project, 'openspec', '.holdfast', 'ended');

/** Makes a flushed session; returns its id. */
async function finished(world: ChangeWorld, sessionId: string): Promise<string> {
  await world.sessions.create('add-login', { sessionId });
  await world.sessions.flush({ sessionId });
  world.clock.advance(60_000);
  return sessionId;
}

describe('an ended change session', () => {
  it('goes to the trash of its project and comes back byte for byte', async () => {
    await using world = await changeWorld();
    await finished(world, 's1');
    const [name = ''] = readdirSync(ended(world));
    const before = readFileSync(join(ended(world), name));
    await world.sessions.remove('s1');
    expect(world.sessions.list()).toEqual([]);
    expect(() => world.sessions.get('s1')).toThrow(expect.objectContaining({ code: 'SESSION_NOT_FOUND' }));
    const [trashed, ...more] = world.other().trashed();
    expect([trashed?.sessionId, more]).toEqual(['s1', []]);
    if (trashed === undefined) throw new Error('unreachable');
    expect(world.sessions.restore(trashed)).toBe(true);
    expect(readFileSync(join(ended(world), name))).toEqual(before);
    expect(world.sessions.get('s1')).toMatchObject({ status: 'finished' });
  });

  it('of several with the same id the last goes, or the one created at that time', async () => {
    await using world = await changeWorld();
    for (const id of ['s1', 's1', 's1']) await finished(world, id);
    const times = () => world.sessions.list().map(({ createdAt }) => createdAt);
    const [last, middle, first] = times();
    await world.sessions.remove('s1', { createdAt: middle ?? '' });
    expect(times()).toEqual([last, first]);
    await world.sessions.remove('s1');
    expect(times()).toEqual([first]);
  });

  it('is reported with what is not in design.md yet', async () => {
    await using world = await changeWorld();
    await world.sessions.create('add-login', { sessionId: 's1' });
    await world.sessions.learn('never twice');
    await world.sessions.release('add-login', 'gone');
    expect(world.sessions.list()).toMatchObject([{ id: 's1', unflushedLearnings: 1 }]);
    await world.sessions.recover('s1');
    expect(world.sessions.list()).toMatchObject([{ id: 's1', unflushedLearnings: 0 }]);
  });
});

describe('removing', () => {
  it('refuses a session that holds its change, an unreadable claim, and a missing session', async () => {
    await using world = await changeWorld();
    await world.sessions.create('add-login', { sessionId: 's1' });
    await expect(world.sessions.remove('s1')).rejects.toMatchObject({
      code: 'CHANGE_LOCKED',
      sessionId: 's1',
    });
    await expect(world.sessions.remove('s2')).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' });
    await expect(world.sessions.remove('../s1')).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' });
    writeFileSync(world.claimPath(), 'x');
    const wayOut = { code: 'DOCUMENT_DAMAGED', hint: expect.stringContaining('holdfast change recover') };
    await expect(world.sessions.remove('add-login')).rejects.toMatchObject(wayOut);
    expect(() => world.sessions.get('add-login')).toThrow(expect.objectContaining(wayOut));
    expect(readFileSync(world.claimPath(), 'utf8')).toBe('x');
  });

  it('without a project there is nothing to remove, restore or purge', async () => {
    await using world = await changeWorld();
    const nowhere = world.other({ workingDirectory: world.dir.path });
    await expect(nowhere.remove('s1')).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' });
    expect([nowhere.trashed(), nowhere.purgeTrash(0)]).toEqual([[], []]);
  });

  it('permanently removes what has been in the trash long enough', async () => {
    await using world = await changeWorld();
    await finished(world, 's1');
    await world.sessions.remove('s1');
    world.clock.advance(1_000);
    expect(world.sessions.purgeTrash(1_000)).toEqual([]);
    expect(world.sessions.purgeTrash(999)).toMatchObject([{ sessionId: 's1' }]);
    expect(world.sessions.trashed()).toEqual([]);
  });
});
