import { describe, expect, it } from 'vitest';
import { eventually } from '../../../test/support/agents.js';
import { FakeClock } from '../../../test/support/fake-clock.js';
import { type QuestionWorld, question, questionWorld } from '../../../test/support/question-world.js';
import { type Asker, permissionAsker } from '../../sessions/question/index.js';
import { AgentQuestions } from './agent-questions.js';

function follow(world: QuestionWorld, onAsked: (id: string) => void = () => {}) {
  const told = { asked: [] as string[], waiting: [] as boolean[], answered: [] as string[] };
  const questions = new AgentQuestions({
    questions: world.other().sessions,
    clock: world.clock,
    log: world.log,
    sessionId: 'run-1',
    onWaiting: (isWaiting) => told.waiting.push(isWaiting),
    onAsked({ id }) {
      onAsked(id);
      told.asked.push(id);
    },
    onAnswered: (id) => told.answered.push(id),
  });
  return { told, questions };
}

const ask = async (world: QuestionWorld, asker: Record<string, string> | Asker, isWaiting = true) =>
  (await world.sessions.create([question()], { asker, isWaiting })).id;

describe('the questions of an agent', () => {
  it("are found by our server's stamp alone, without a word from the agent about a tool", async () => {
    await using world = await questionWorld({ clock: new FakeClock() });
    const { told, questions } = follow(world);
    const id = await ask(world, { agent: 'gemini', session: 'run-1' });
    await eventually(() => told.asked.length > 0);
    expect(told).toEqual({ asked: [id], waiting: [true], answered: [] });
    await world.sessions.answer(id, [{ questionIndex: 0, selectedOption: 'SQLite' }]);
    await eventually(() => told.waiting.length > 1);
    {
      using delivery = await world.sessions.collect(id);
      delivery.confirm();
    }
    await questions.settle({ isCompleted: true });
    expect(told).toEqual({ asked: [id], waiting: [true, false], answered: [id] });
  });

  it('do not include those of others or of earlier exchanges', async () => {
    await using world = await questionWorld({ clock: new FakeClock() });
    await ask(world, { agent: 'gemini', session: 'run-1' });
    const { told, questions } = follow(world);
    await ask(world, { agent: 'gemini', session: 'run-2' });
    await ask(world, { agent: 'gemini' });
    await questions.settle({ isCompleted: true });
    expect(told).toEqual({ asked: [], waiting: [], answered: [] });
  });

  it('include those for a permission, which end with the exchange', async () => {
    await using world = await questionWorld({ clock: new FakeClock() });
    const { told, questions } = follow(world);
    const id = await ask(world, permissionAsker({ agent: 'gemini', session: 'run-1' }));
    await eventually(() => told.asked.length > 0);
    expect(told).toEqual({ asked: [id], waiting: [true], answered: [] });
    await world.sessions.answer(id, [{ questionIndex: 0, selectedOption: 'SQLite' }]);
    {
      using delivery = await world.sessions.collect(id);
      delivery.confirm();
    }
    await questions.settle({ isCompleted: true });
    expect(told).toEqual({ asked: [id], waiting: [true, false], answered: [] });
  });

  it('that could not be recorded are found again', async () => {
    await using world = await questionWorld({ clock: new FakeClock() });
    let isFull = true;
    const { told, questions } = follow(world, () => {
      if (isFull) throw new Error('the disk is full');
    });
    const id = await ask(world, { session: 'run-1' });
    await eventually(() => world.log.named('run.questions-not-read').length > 0);
    isFull = false;
    await questions.settle({ isCompleted: false });
    expect(told.asked).toEqual([id]);
  });

  it('do not stop the clocks if the agent was only given an id', async () => {
    await using world = await questionWorld({ clock: new FakeClock() });
    const { told, questions } = follow(world);
    const id = await ask(world, { session: 'run-1' }, false);
    await questions.settle({ isCompleted: false });
    expect(told).toEqual({ asked: [id], waiting: [], answered: [] });
  });

  it('stay open when the exchange was cut, and the wait for a person ends', async () => {
    await using world = await questionWorld({ clock: new FakeClock() });
    const { told, questions } = follow(world);
    const id = await ask(world, { session: 'run-1' });
    await eventually(() => told.waiting.length > 0);
    await world.sessions.answer(id, [{ questionIndex: 0, selectedOption: 'SQLite' }]);
    await questions.settle({ isCompleted: false });
    expect(told).toEqual({ asked: [id], waiting: [true, false], answered: [] });
  });
});
