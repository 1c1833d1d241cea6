import { describe, expect, it } from 'vitest';
import { commandsFor } from './worktree-report.js';

const FACTS = {
  path: "/s/it's/login-3f2a",
  branch: 'holdfast/login-3f2a',
  repository: '/home/a/shop',
  isThere: true,
  isBranchThere: true,
  uncommitted: 0,
};

describe('the commands for a worktree', () => {
  it('merge what is committed, and remove without force', () => {
    expect(commandsFor(FACTS)).toEqual({
      merge: ["git -C '/home/a/shop' merge 'holdfast/login-3f2a'"],
      discard: [
        "git -C '/home/a/shop' worktree remove '/s/it'\\''s/login-3f2a'",
        "git -C '/home/a/shop' branch -D 'holdfast/login-3f2a'",
      ],
    });
  });

  it.each([3, null])('commit first what is not committed (%s files)', (uncommitted) => {
    const { merge, discard } = commandsFor({ ...FACTS, uncommitted });
    expect(merge).toEqual([
      "git -C '/s/it'\\''s/login-3f2a' add --all",
      "git -C '/s/it'\\''s/login-3f2a' commit",
      "git -C '/home/a/shop' merge 'holdfast/login-3f2a'",
    ]);
    expect(discard[0]).toContain('worktree remove --force');
  });

  it('leave out what is gone', () => {
    expect(commandsFor({ ...FACTS, isThere: false, isBranchThere: false, uncommitted: null })).toEqual({
      merge: [],
      discard: ["git -C '/home/a/shop' worktree prune"],
    });
  });
});
