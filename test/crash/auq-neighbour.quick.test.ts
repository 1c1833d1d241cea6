import { describe } from 'vitest';
import { neighbourWorld, RACES } from '../support/auq-neighbour.js';
import { verifies } from '../support/verifies.js';

const ROUNDS = 3;

describe('beside a program that writes as AUQ does, in one directory', () => {
  for (const [what, race] of RACES) {
    verifies('Q21', `${what} (${ROUNDS} rounds)`, async () => {
      await using world = await neighbourWorld();
      for (let round = 0; round < ROUNDS; round++) await race(world, round);
    });
  }
});
