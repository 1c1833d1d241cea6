import { describe, expect, it } from 'vitest';
import { branchOf, directoryOf, worktreeName } from './names.js';

const ID = '3f2a9c1e-0000-4000-8000-000000000000';

describe('the name of a worktree', () => {
  it.each([
    ['docs/prps/login.md', 'login'],
    ['/x/My Plan (2).md', 'my-plan-2'],
    ['--upload-pack=x.md', 'upload-pack-x'],
    ['.md', 'plan'],
    ['日本.md', 'plan'],
    ['über-café.MD', 'uber-cafe'],
    [`${'a'.repeat(200)}.md`, 'a'.repeat(60)],
  ])('is made from the plan %s', (plan, name) => {
    expect(worktreeName('', plan)).toBe(name);
  });

  it.each(['login', 'feature/login', 'a.b_c-d', 'v1.2'])('may be %s', (name) => {
    expect(worktreeName(name, 'x.md')).toBe(name);
  });

  it.each([
    '../x',
    'a/../b',
    'a//b',
    '/a',
    'a/',
    '-x',
    'a b',
    'a.lock',
    'a..b',
    'a.',
    '.git',
    'x\n',
    '~',
    'a'.repeat(61),
  ])('may not be %j', (name) => {
    expect(() => worktreeName(name, 'x.md')).toThrowError(
      expect.objectContaining({ code: 'INVALID_INPUT', place: 'worktree' }),
    );
  });

  it('keeps its slashes in the branch and loses them in the directory', () => {
    expect(branchOf('feature/login', ID)).toBe('holdfast/feature/login-3f2a');
    expect(directoryOf('My Shop', 'feature/login', ID)).toBe('my-shop/feature-login-3f2a');
  });
});
