import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseInclude } from './include.js';

describe('.worktreeinclude', () => {
  it.each([
    ['.env', ['.env', 'a/.env'], ['.envx', 'x.env']],
    ['/.env', ['.env'], ['a/.env']],
    ['*.local', ['a.local', 'x/b.local'], ['a.localx']],
    ['config/*.json', ['config/a.json'], ['config/x/a.json', 'y/config/a.json']],
    ['config/', ['config/a', 'config/b/c', 'x/config/a'], ['config']],
    ['**/secrets', ['secrets', 'a/b/secrets', 'secrets/x'], ['secretsx']],
    ['a/**', ['a/b', 'a/b/c'], ['a', 'b/a/c']],
    ['file?', ['file1'], ['file', 'file12', 'file/']],
    ['a+b(c)[d].txt', ['a+b(c)[d].txt'], ['aab(c)d.txt']],
  ])('%s names what a .gitignore would', (line, wanted, others) => {
    const { isWanted, refused } = parseInclude(line);
    expect(wanted.filter(isWanted)).toEqual(wanted);
    expect(others.filter(isWanted)).toEqual([]);
    expect(refused).toEqual([]);
  });

  it('lets a later line take something back, and reads comments and Windows line ends', () => {
    const { isWanted } = parseInclude('# mine\r\n.env*\r\n\r\n!.env.test\r\n');
    expect(['.env', '.env.test', '.env.local'].map(isWanted)).toEqual([true, false, true]);
  });

  it.each([
    '../x',
    'a/../../x',
    '!../x',
    '~/x',
    '.git/config',
    'a/.git/hooks',
    '.prp-session/',
    '.holdfast/x',
  ])('refuses %s', (line) => {
    const { isWanted, refused } = parseInclude(`${line}\n`);
    expect(refused).toEqual([line]);
    expect(['x', '.git/config', '.prp-session/a', 'a/.git/hooks'].some(isWanted)).toBe(false);
  });

  it('never names what git or Holdfast keeps, whatever it says', () => {
    fc.assert(
      fc.property(fc.string(), fc.constantFrom('.git', '.prp-session', '.holdfast'), (line, kept) => {
        const { isWanted } = parseInclude(`*\n**\n${line}`);
        expect(isWanted(`${kept}/x`) || isWanted(`a/${kept}/x`)).toBe(false);
      }),
    );
  });
});
