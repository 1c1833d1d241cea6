import { describe, it } from 'vitest';
import { killAndStartAgain, killAtSetup, preparationCalls } from './worktree-kills.js';

describe('O04: a start in a worktree that is killed while it prepares', () => {
  it('leaves one worktree for one run, killed around the calls of git that make it', async () => {
    const calls = await preparationCalls();
    const call = (words: string) => calls.findIndex((one) => one.includes(words)) + 1;
    await killAndStartAgain([call('worktree add'), 'before']);
    // Git is done, but nothing has recorded that.
    await killAndStartAgain([call('worktree add'), 'after']);
    await killAndStartAgain([call('read-tree'), 'before']);
    await killAndStartAgain([call('read-tree'), 'locked']);
    await killAndStartAgain([calls.length, 'after']);
  });

  it('goes on where its setup command was cut short', killAtSetup);
});
