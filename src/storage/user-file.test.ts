import {
  existsSync,
  lstatSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { describe, expect, it } from 'vitest';
import { FailingFileSystem } from '../../test/support/failing-file-system.js';
import { storageTools } from '../../test/support/storage-tools.js';
import { tempDir } from '../../test/support/temp-dir.js';
import { nodeFileSystem } from './file-system.js';
import { readUserFile, replaceUserFile } from './user-file.js';

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

  it('is made private where there is none', async () => {
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
