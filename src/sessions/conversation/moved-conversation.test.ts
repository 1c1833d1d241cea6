import { describe, expect, it } from 'vitest';
import { conversationWorld } from '../../../test/support/conversation-world.js';
import { verifies } from '../../../test/support/verifies.js';

const ID = 'run-00000000-0000-4000-8000-000000000001';

async function spoken() {
  const world = await conversationWorld();
  using one = await world.sessions.create({ id: ID, agent: 'qa', workingDirectory: '/old', isHidden: true });
  one.addUserTurn('hello');
  one.noteAgent({ driver: 'acp', resumeId: 'abc', processId: 'ses_1' });
  one.addAssistantTurn('hi');
  return world;
}

describe('a conversation that continues elsewhere', () => {
  verifies('F04', 'has every turn, and the agent begins a conversation of its own', async () => {
    await using here = await spoken();
    await using there = await conversationWorld();
    const records = here.sessions.exportRecords(ID).map(({ record }) => record);
    expect(await there.sessions.adopt(ID, records, { workingDirectory: '/new' })).toBe(true);
    const view = there.sessions.get(ID);
    expect(view.turns.map(({ content }) => content)).toEqual(['hello', 'hi']);
    expect(view).toMatchObject({
      workingDirectory: '/new',
      agentHandle: { driver: 'acp', resumeId: null },
      damage: [],
    });
    expect(there.sessions.verify(ID).isOk).toBe(true);
    expect(await there.sessions.adopt(ID, records, { workingDirectory: '/new' })).toBe(false);
  });

  it('is sent in parts, each record once', async () => {
    await using here = await spoken();
    const all = here.sessions.exportRecords(ID);
    expect(all.map(({ seq }) => seq)).toEqual([0, 1, 2, 3]);
    expect(here.sessions.exportRecords(ID, 1)).toEqual(all.slice(2));
  });

  it('invalid records, or those of another conversation, change nothing', async () => {
    await using here = await spoken();
    await using there = await conversationWorld();
    const records = here.sessions.exportRecords(ID).map(({ record }) => record);
    const adopt = (moved: typeof records, id = ID) =>
      there.sessions.adopt(id, moved, { workingDirectory: '/new' });
    await expect(adopt([])).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    await expect(adopt(records.slice(1))).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    await expect(adopt([...records, { type: 'turn', role: 'nobody' }])).rejects.toMatchObject({
      code: 'INVALID_INPUT',
    });
    await expect(adopt(records, 'other')).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    expect(there.sessions.list({ withHidden: true })).toEqual([]);
  });
});
