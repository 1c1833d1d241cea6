import { describe, expect, it } from 'vitest';
import { questionWorld } from '../../test/support/question-world.js';
import { systemClock } from '../foundation/index.js';
import { ANSWERED_THERE } from './agent-signs.js';
import { answerByCard, type CardOptions } from './answer-permission.js';

const QUESTION = {
  title: 'Permission',
  prompt: 'May I?',
  options: [{ label: 'Allow once' }, { label: 'Deny' }],
};
const FACTS = { agent: 'claude' as const, session: 'its own', workingDirectory: '/work' };

async function ask(overrides: Partial<CardOptions>) {
  const world = await questionWorld({ clock: systemClock });
  const printed: string[] = [];
  const desk = {
    questions: world.sessions,
    clock: systemClock,
    log: world.log,
    print: async (decision: string) => void printed.push(decision),
  };
  const end = answerByCard(desk, {
    facts: FACTS,
    questions: [QUESTION],
    patienceMs: undefined,
    signs: { read: () => undefined },
    signal: new AbortController().signal,
    decisionIn: ({ status }) => status,
    ...overrides,
  });
  while (world.sessions.ids().length === 0) await systemClock.sleep(5);
  const [id = ''] = world.sessions.ids();
  return { world, printed, end, id };
}

const YES = [{ questionIndex: 0, selectedOption: 'Allow once' }];

describe('a card of a hook', () => {
  it('is printed once it is answered, and then marked as given', async () => {
    const { world, printed, end, id } = await ask({});
    await using _world = world;
    await world.sessions.answer(id, YES);
    expect([await end, printed]).toEqual(['given', ['completed']]);
    expect((await world.sessions.get(id)).collectedAt).not.toBeNull();
  });

  it('is not printed if the agent has continued when the answer arrives, and says so', async () => {
    let isOver = false;
    const { world, printed, end, id } = await ask({
      signs: { read: () => (isOver ? ANSWERED_THERE : undefined) },
    });
    await using _world = world;
    // Between two looks: only the last look, right before printing, can see it.
    const answered = world.sessions.answer(id, () => {
      isOver = true;
      return YES;
    });
    await answered;
    expect([await end, printed]).toEqual(['withdrawn', []]);
    expect(await world.sessions.get(id)).toMatchObject({
      outcome: { status: 'completed' },
      unheardReason: ANSWERED_THERE,
    });
  });
});
