import { describe, expect, it } from 'vitest';
import { question, questionWorld } from '../../../../test/support/question-world.js';
import { verifies } from '../../../../test/support/verifies.js';

describe('a set that moves to another machine', () => {
  verifies('F04', 'keeps its id, questions and asker, and can be answered there', async () => {
    await using here = await questionWorld();
    await using there = await questionWorld();
    const asker = { agent: 'scripted', session: '00000000-0000-4000-8000-000000000001' };
    const view = await here.sessions.create([question()], { asker, workingDirectory: '/old' });
    expect(await there.sessions.adopt({ view, workingDirectory: '/new' })).toBe(true);
    const moved = await there.sessions.get(view.id);
    expect(moved).toMatchObject({
      id: view.id,
      outcome: { status: 'pending' },
      questions: view.questions,
      asker,
      createdAt: view.createdAt,
      workingDirectory: '/new',
      faults: [],
    });
    await there.sessions.answer(view.id, [{ questionIndex: 0, selectedOption: 'PostgreSQL' }]);
    expect((await there.sessions.get(view.id)).outcome.status).toBe('completed');
  });

  it('is adopted only once, whatever was decided here in the meantime', async () => {
    await using here = await questionWorld();
    await using there = await questionWorld();
    const view = await here.sessions.create([question()]);
    await there.sessions.adopt({ view, workingDirectory: undefined });
    await there.sessions.reject(view.id, 'no');
    const before = await there.sessions.get(view.id);
    expect(await there.sessions.adopt({ view, workingDirectory: undefined })).toBe(false);
    expect(await there.sessions.get(view.id)).toEqual(before);
  });

  it('brings along an earlier decision, an answer or a rejection', async () => {
    await using here = await questionWorld();
    await using there = await questionWorld();
    const answered = await here.sessions.create([question()]);
    const rejected = await here.sessions.create([question()]);
    const views = [
      await here.sessions.answer(answered.id, [{ questionIndex: 0, selectedOption: 'SQLite' }]),
      await here.sessions.reject(rejected.id, 'not now'),
    ];
    for (const view of views) {
      expect(await there.sessions.adopt({ view, workingDirectory: undefined })).toBe(true);
      expect(await there.sessions.adopt({ view, workingDirectory: undefined })).toBe(false);
      expect((await there.sessions.get(view.id)).outcome).toMatchObject({ status: view.outcome.status });
      expect(await there.sessions.verify(view.id)).toEqual([]);
    }
    expect((await there.sessions.collect(answered.id)).outcome).toMatchObject({
      answers: [{ selectedOption: 'SQLite' }],
    });
  });
});
