import { describe, expect, it } from 'vitest';
import { FakeClock } from '../../../test/support/fake-clock.js';
import { News, Periodic } from './news.js';

describe('the turn of a link', () => {
  it('comes when it is time, however often something else wakes it meanwhile', () => {
    const clock = new FakeClock();
    const look = new Periodic(clock, 5_000);
    const due: boolean[] = [];
    for (let second = 1; second <= 11; second++) {
      clock.advance(1_000);
      due.push(look.isDue());
    }
    expect(due.flatMap((isDue, index) => (isDue ? [index + 1] : []))).toEqual([5, 10]);
    expect(look.leftMs).toBe(4_000);
  });
});

describe('news for a link', () => {
  it('wakes it, is taken once, and a run that says the same again and again wakes it once', async () => {
    const news = new News();
    expect([news.takeAsked(), news.takeAsked()]).toEqual([true, false]);
    const next = news.next();
    news.noteRuns();
    await next;
    let isWoken = false;
    void news.next().then(() => {
      isWoken = true;
    });
    news.noteRuns();
    await new Promise((resolve) => setImmediate(resolve));
    expect([isWoken, news.isEmpty, news.takeRuns(), news.takeRuns()]).toEqual([false, true, true, false]);
    news.noteQuestion('a');
    news.noteQuestion(null);
    expect([news.isEmpty, [...news.takeQuestions()], [...news.takeQuestions()]]).toEqual([
      false,
      ['a', null],
      [],
    ]);
  });
});
