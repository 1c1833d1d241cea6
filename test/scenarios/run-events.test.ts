import { describe, expect, it } from 'vitest';
import { runWorld, WHOLE_WAY } from '../support/run-world.js';

describe('the events of a run', () => {
  it('tell how it stands: what is done, what is used up, how near the limits are', async () => {
    await using world = await runWorld(WHOLE_WAY);
    const { events } = await world.events(['--max-iterations', '20', '--calls-per-hour', '50']);
    expect(events[0]).toMatchObject({
      type: 'run-start',
      phases: ['RED', 'GREEN', 'REFACTOR', 'DOCUMENT'],
      stories: null,
      tests: [],
    });
    const standings = events.filter(({ type }) => type === 'standing');
    expect(standings[0]).toMatchObject({
      status: 'running',
      reason: null,
      phase: 'RED',
      completed: [],
      iteration: 0,
      usage: { iterations: 0, tokens: 0 },
      budget: { iterations: 20 },
      calls: { made: 0, limit: 50 },
      breaker: { state: 'CLOSED', noProgress: { count: 0, limit: 3 }, sameError: { count: 0, limit: 5 } },
      contextPercent: null,
      openQuestions: [],
    });
    expect(standings.at(-1)).toMatchObject({
      phase: 'DOCUMENT',
      status: 'completed',
      completed: ['RED', 'GREEN', 'REFACTOR', 'DOCUMENT'],
      usage: { iterations: 4 },
      calls: { made: 4, limit: 50 },
      contextPercent: expect.any(Number),
    });
    const starts = events.filter(({ type }) => type === 'iteration-start');
    expect(starts.map(({ title }) => title)).toEqual(Array(4).fill('Adder'));
  });

  it('after a restart begin with what the tests came to before it', async () => {
    await using world = await runWorld(WHOLE_WAY);
    expect(await world.go(['--max-iterations', '2'])).toMatchObject({ code: 7 });
    const { events } = await world.events(['--resume', '--max-iterations', '20']);
    expect(events[0]).toMatchObject({
      type: 'run-start',
      isResumed: true,
      tests: [
        { passing: 0, total: 0 },
        { passing: 0, total: 2 },
        { passing: 2, total: 2 },
      ],
    });
  });
});
