import { describe, expect, it } from 'vitest';
import { noticeWorld } from '../../test/support/notice-world.js';
import { QuestionStandings } from './standings.js';

describe('how questions stand', () => {
  it('is read only for questions that may change, and given for all', async () => {
    await using world = await noticeWorld({ channels: {} });
    const { questions } = world.services;
    const read: string[][] = [];
    const standings = new QuestionStandings({
      list: async (options) => {
        const views = await questions.list(options);
        read.push(views.map(({ id }) => id));
        return views;
      },
    });
    const [over, refused, waiting] = [await world.ask(), await world.ask(), await world.ask()];
    await world.answer(over);
    await questions.reject(refused, 'not now');
    expect((await standings.open()).map(({ id }) => id)).toEqual([waiting]);
    expect(await standings.statuses()).toEqual(
      new Map([
        [over, 'completed'],
        [refused, 'rejected'],
        [waiting, 'pending'],
      ]),
    );
    await world.answer(waiting);
    expect((await standings.statuses()).get(waiting)).toBe('completed');
    expect(await standings.open()).toEqual([]);
    expect(read.map((ids) => ids.length)).toEqual([3, 1, 1, 0]);
  });

  it('is unknown for other machines to a process that does not look there, whatever it asks for', async () => {
    await using world = await noticeWorld({ channels: {} });
    const here = await world.ask();
    const standings = new QuestionStandings(world.services.questions);
    const there = '40000000-0000-4000-8000-000000000001';
    expect(standings.waitingElsewhere()).toBeUndefined();
    expect(await standings.statuses([there, here])).toEqual(
      new Map([
        [there, 'unknown'],
        [here, 'pending'],
      ]),
    );
  });
});
