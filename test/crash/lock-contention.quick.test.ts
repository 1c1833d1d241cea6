import { expect, it } from 'vitest';
import { killContenders, takeOverAgainAndAgain } from './lock-contention.js';

it('six contenders after the death of the owner, 150 times: one takes over at once, never two', async () => {
  await takeOverAgainAndAgain(150);
});

it('30 contenders killed at random instants: never two inside, never stuck', async () => {
  const { turns } = await killContenders(30, 21);
  expect(turns).toBeGreaterThan(30);
});
