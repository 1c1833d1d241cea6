import { describe, expect, it } from 'vitest';
import { LONG_TEST_MS } from '../support/deadlines.js';
import { killAndStartAgain, preparationCalls } from './worktree-kills.js';

describe('O04: a start in a worktree that is killed while it prepares', () => {
  it(
    'leaves one worktree for one run, whichever call of git it was killed at',
    async () => {
      const { length } = await preparationCalls();
      expect(length).toBeGreaterThan(5);
      for (let call = 1; call <= length; call += 1) {
        await killAndStartAgain([call, 'before']);
        await killAndStartAgain([call, 'after']);
      }
    },
    LONG_TEST_MS,
  );
});
