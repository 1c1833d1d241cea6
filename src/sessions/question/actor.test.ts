import { describe, expect, it } from 'vitest';
import { question, questionWorld } from '../../../test/support/question-world.js';
import { answerQuestions, cancelQuestions, rejectQuestions } from './operations.js';

const SQLITE = [{ questionIndex: 0, selectedOption: 'SQLite' }];
const signal = new AbortController().signal;

describe('who decided', () => {
  it('is whoever called the operation, in status.json and never in the answer', async () => {
    await using world = await questionWorld();
    const parts = { questions: world.sessions };
    const [answered, rejected, cancelled] = await Promise.all(
      [1, 2, 3].map(async () => (await world.sessions.create([question()])).id),
    );
    const context = (actor: string) => ({ actor, signal });
    const input = (session = '') => ({ session });
    const reports = [
      await answerQuestions.run(parts, { ...input(answered), answers: SQLITE }, context('cli')),
      await rejectQuestions.run(parts, { ...input(rejected), reason: null }, context('inbox')),
      await cancelQuestions.run(parts, { ...input(cancelled), reason: 'later' }, context('mcp:claude-code')),
    ];
    expect(reports.map(({ actor }) => actor)).toEqual(['cli', 'inbox', 'mcp:claude-code']);
    expect(world.read(answered ?? '', 'status.json')).toMatchObject({ actor: 'cli' });
    expect(Object.keys(world.read(answered ?? '', 'answers.json'))).not.toContain('actor');
  });

  it('is a program using the library unless stated otherwise', async () => {
    await using world = await questionWorld();
    const { id } = await world.sessions.create([question()]);
    expect((await world.sessions.get(id)).actor).toBeNull();
    expect((await world.sessions.answer(id, SQLITE)).actor).toBe('library');
  });

  it('is the one who answered late, not the one who withdrew the set', async () => {
    await using world = await questionWorld();
    const { id } = await world.sessions.create([question()]);
    await world.sessions.as('cli').cancel(id, 'later');
    expect((await world.sessions.as('inbox').answer(id, SQLITE)).actor).toBe('inbox');
    // The answerer may die before it writes the status.
    const { id: other } = await world.sessions.create([question()]);
    await world.sessions.as('cli').cancel(other, 'later');
    const { sessionId: _, ...answers } = world.read(id, 'answers.json') as { sessionId: string };
    world.write(other, 'answers.json', { sessionId: other, ...answers });
    expect((await world.sessions.get(other)).outcome.status).toBe('completed');
    expect((await world.sessions.get(other)).actor).toBeNull();
  });

  it('is AUQ if the answer is in its format, whoever answered before', async () => {
    await using world = await questionWorld();
    const { id } = await world.sessions.create([question()]);
    await world.sessions.as('cli').answer(id, SQLITE);
    const { version: _, ...answers } = world.read(id, 'answers.json') as { version: number };
    world.write(id, 'answers.json', answers);
    expect((await world.sessions.get(id)).actor).toBe('auq');
  });

  it('is nobody in a file of release 0.1, and an outsider if the word is unknown', async () => {
    await using world = await questionWorld();
    const { id } = await world.sessions.create([question()]);
    await world.sessions.answer(id, SQLITE);
    const { actor: _, ...status } = world.read(id, 'status.json') as { actor: string };
    world.write(id, 'status.json', status);
    expect((await world.sessions.get(id)).actor).toBeNull();
    world.write(id, 'status.json', { ...status, actor: 'somebody' });
    expect((await world.sessions.get(id)).actor).toBe('outside');
  });
});
