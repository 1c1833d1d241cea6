import {
  existsSync,
  lstatSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { describe, expect, it } from 'vitest';
import { FailingFileSystem } from '../../../test/support/failing-file-system.js';
import { storageTools } from '../../../test/support/storage-tools.js';
import { tempDir } from '../../../test/support/temp-dir.js';
import { nodeFileSystem } from './file-system.js';
import { readUserFile, replaceUserFile, updateUserFile } from './user-file.js';

describe('a file of the user', () => {
  it('is read and replaced through links, and keeps its mode', async () => {
    await using dir = await tempDir();
    writeFileSync(dir.at('real.json'), 'old', { mode: 0o644 });
    symlinkSync(dir.at('real.json'), dir.at('link.json'));
    expect(readUserFile(nodeFileSystem, dir.at('link.json'))).toBe('old');
    replaceUserFile(storageTools(), dir.at('link.json'), 'new');
    expect(lstatSync(dir.at('link.json')).isSymbolicLink()).toBe(true);
    expect(readFileSync(dir.at('real.json'), 'utf8')).toBe('new');
    expect(statSync(dir.at('real.json')).mode & 0o7777).toBe(0o644);
  });

  it('is created private if there is none', async () => {
    await using dir = await tempDir();
    expect(readUserFile(nodeFileSystem, dir.at('a.json'))).toBeUndefined();
    replaceUserFile(storageTools(), dir.at('a.json'), 'new');
    expect(statSync(dir.at('a.json')).mode & 0o7777).toBe(0o600);
  });

  it('stays as it was, mode too, when writing fails', async () => {
    await using dir = await tempDir();
    writeFileSync(dir.at('a.json'), 'old', { mode: 0o644 });
    const fileSystem = new FailingFileSystem({ fault: 'ENOSPC', at: 1, only: ['write'] });
    expect(() => replaceUserFile(storageTools({ fileSystem }), dir.at('a.json'), 'new')).toThrow(
      expect.objectContaining({ code: 'ATOMIC_WRITE_FAILED' }),
    );
    expect(readFileSync(dir.at('a.json'), 'utf8')).toBe('old');
    expect(readdirSync(dir.path)).toEqual(['a.json']);
    expect(existsSync(dir.at('a.json'))).toBe(true);
  });
});

describe('changing a file of the user', () => {
  const append = (file: Buffer | undefined) => Buffer.concat([file ?? Buffer.alloc(0), Buffer.from('+')]);

  it('changes what is there, through links, and keeps its mode', async () => {
    await using dir = await tempDir();
    writeFileSync(dir.at('real.md'), 'a', { mode: 0o644 });
    symlinkSync(dir.at('real.md'), dir.at('link.md'));
    expect(updateUserFile(storageTools(), dir.at('link.md'), append)).toBe(true);
    expect(readFileSync(dir.at('real.md'), 'utf8')).toBe('a+');
    expect(statSync(dir.at('real.md')).mode & 0o7777).toBe(0o644);
    expect(lstatSync(dir.at('link.md')).isSymbolicLink()).toBe(true);
  });

  it('creates it with the given mode if there is none, and leaves it alone if there is nothing to do', async () => {
    await using dir = await tempDir();
    expect(updateUserFile(storageTools(), dir.at('a.md'), () => undefined)).toBe(false);
    expect(existsSync(dir.at('a.md'))).toBe(false);
    updateUserFile(storageTools(), dir.at('a.md'), append, 0o640);
    expect(statSync(dir.at('a.md')).mode & 0o7777).toBe(0o640);
  });

  it('starts again from what another writer has changed, created or removed meanwhile', async () => {
    await using dir = await tempDir();
    const path = dir.at('a.md');
    const meanwhile = [
      () => writeFileSync(path, 'made'),
      () => writeFileSync(path, 'changed'),
      () => rmSync(path),
    ];
    const seen: (string | undefined)[] = [];
    const isChanged = updateUserFile(storageTools(), path, (file) => {
      seen.push(file?.toString());
      meanwhile.shift()?.();
      return append(file);
    });
    expect([isChanged, seen]).toEqual([true, [undefined, 'made', 'changed', undefined]]);
    expect(readFileSync(path, 'utf8')).toBe('+');
    expect(readdirSync(dir.path)).toEqual(['a.md']);
  });
});
