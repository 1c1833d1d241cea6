import { expect, it } from 'vitest';
import { killContenders, takeOverAgainAndAgain } from './lock-contention.js';

it('six contenders after the death of the owner, 1,000 times: one takes over at once, never two', async () => {
  await takeOverAgainAndAgain(1_000);
});

it('400 contenders killed at random instants: never two inside, never stuck', async () => {
  const { turns, takeovers } = await killContenders(400, 22);
  expect(turns).toBeGreaterThan(400);
  expect(takeovers).toBeGreaterThan(10);
});
