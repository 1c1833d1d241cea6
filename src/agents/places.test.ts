import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TempDir, tempDir } from '../../test/support/temp-dir.js';
import { nodeFileSystem } from '../storage/index.js';
import type { PermissionRequest } from './permission.js';
import { refusalOf } from './places.js';

let dir: TempDir;

beforeAll(async () => {
  dir = await tempDir();
  for (const name of ['project/src', 'project/sub/.git/hooks', 'project/ours', 'outside', 'other'])
    mkdirSync(dir.at(name), { recursive: true });
  writeFileSync(dir.at('project/src/a.ts'), '');
  writeFileSync(dir.at('outside/secret'), '');
  symlinkSync(dir.at('outside'), dir.at('project/way-out'));
  symlinkSync(dir.at('outside/secret'), dir.at('project/src/link.ts'));
  symlinkSync(dir.at('outside/not-yet'), dir.at('project/dangling'));
  symlinkSync(dir.at('project/sub/.git'), dir.at('project/innocent'));
  symlinkSync(dir.at('project'), dir.at('other/home'));
  symlinkSync(dir.at('project/loop'), dir.at('project/loop'));
});
afterAll(() => dir[Symbol.asyncDispose]());

const OUTSIDE = 'it is outside the working directory';
const GUARDED = 'it is not a file of the project (a repository, settings of an agent, or files of Holdfast)';
const UNCLEAR = 'it is not clear which file it means';

function refusal(overrides: Partial<PermissionRequest>, workingDirectory = dir.at('project')) {
  const ground = { fileSystem: nodeFileSystem, workingDirectory, ownDirectories: [dir.at('project/ours')] };
  return refusalOf(ground, { id: '1', name: 'Edit', kind: 'edit', title: '', input: {}, ...overrides });
}

describe('an edit', () => {
  it.each([
    ['a file of the project', 'src/a.ts'],
    ['a new file in a new directory', 'docs/new/b.md'],
    ['a path that goes up and comes back', 'src/../src/a.ts'],
    ['a name that only looks like a guarded one', 'src/.github/workflows/ci.yml'],
    ['a name with dots', '..a/b'],
  ])('of %s is accepted', (_what, path) => {
    expect(refusal({ locations: [path] })).toBeUndefined();
    expect(refusal({ locations: [dir.at('project', path)] })).toBeUndefined();
  });

  it('is judged by real path, even if the project itself is reached through a link', () => {
    expect(refusal({ locations: [dir.at('project/src/a.ts')] }, dir.at('other/home'))).toBeUndefined();
    expect(refusal({ locations: ['src/a.ts'] }, dir.at('other/home'))).toBeUndefined();
    expect(refusal({ locations: ['.git/config'] }, dir.at('other/home'))).toBe(GUARDED);
  });

  it.each([
    ['/etc/passwd', OUTSIDE],
    ['../outside/secret', OUTSIDE],
    ['way-out/secret', OUTSIDE],
    ['way-out/new', OUTSIDE],
    ['src/link.ts', OUTSIDE],
    ['way-out/../project/src/a.ts', undefined],
    ['way-out/../outside/secret', OUTSIDE],
    ['dangling', UNCLEAR],
    ['loop', UNCLEAR],
    ['~/.bashrc', UNCLEAR],
    ['file:///etc/passwd', UNCLEAR],
    ['', UNCLEAR],
    ['.', UNCLEAR],
    ['src/a\0.ts', UNCLEAR],
    ['.git/hooks/pre-commit', GUARDED],
    ['.GIT/hooks/pre-commit', GUARDED],
    ['sub/.git/config', GUARDED],
    ['innocent/hooks/pre-commit', GUARDED],
    ['.prp-session/loop-state.json', GUARDED],
    ['openspec/.holdfast/claim.json', GUARDED],
    ['.claude/settings.json', GUARDED],
    ['packages/a/.codex/config.toml', GUARDED],
    ['.gemini/settings.json', GUARDED],
    ['opencode.json', GUARDED],
    ['.mcp.json', GUARDED],
    ['ours/questions/x', 'it belongs to Holdfast'],
    ['src/a.ts/below-a-file', undefined],
  ])('of %j: %s', (path, expected) => {
    expect(refusal({ locations: [path] })).toBe(expected);
  });

  it('is refused for one bad place among good ones, and without any', () => {
    expect(refusal({ locations: ['src/a.ts', '/etc/passwd'] })).toBe(OUTSIDE);
    expect(refusal({ locations: [] })).toBe('it does not say which files');
    expect(refusal({})).toBe('it does not say which files');
  });

  it('that contains a command is not believed', () => {
    const input = { command: 'rm -rf /' };
    expect(refusal({ locations: ['src/a.ts'], input })).toMatch(/contains a command/);
  });
});

describe('anything but an edit', () => {
  it('may read in the project, and nowhere else', () => {
    expect(refusal({ kind: 'read', locations: ['src'] })).toBeUndefined();
    expect(refusal({ kind: 'read', locations: ['.'] })).toBeUndefined();
    expect(refusal({ kind: 'read', locations: ['/root/.ssh/id_rsa'] })).toBe(OUTSIDE);
    expect(refusal({ kind: 'read', locations: ['src/link.ts'] })).toBe(OUTSIDE);
  });

  it.each(['delete', 'move', 'execute', 'fetch', 'other'] as const)(
    '%s is refused in the project too',
    (kind) => {
      expect(refusal({ kind, locations: ['src/a.ts'] })).toBe('only edits are accepted');
    },
  );
});
