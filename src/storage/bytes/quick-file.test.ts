import {
  closeSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { describe, expect, it } from 'vitest';
import { FailingFileSystem } from '../../../test/support/failing-file-system.js';
import { withUmask } from '../../../test/support/plant.js';
import { storageTools } from '../../../test/support/storage-tools.js';
import { tempDir } from '../../../test/support/temp-dir.js';
import { nodeFileSystem } from './file-system.js';
import { openForAppending, replaceQuick, writeQuick } from './quick-file.js';

describe('writeQuick', () => {
  it('writes a private file, once', async () => {
    await using dir = await tempDir();
    await withUmask(0, () => writeQuick(nodeFileSystem, dir.at('a'), 'text'));
    expect(readFileSync(dir.at('a'), 'utf8')).toBe('text');
    expect(statSync(dir.at('a')).mode & 0o7777).toBe(0o600);
    expect(() => writeQuick(nodeFileSystem, dir.at('a'), 'again')).toThrow(
      expect.objectContaining({ code: 'STORAGE_FAILED', step: 'write' }),
    );
  });

  it.each(['ENOSPC', 'SHORT'] as const)(
    'reports %s and leaves nothing open, and no part of the file',
    async (fault) => {
      await using dir = await tempDir();
      const fileSystem = new FailingFileSystem({ fault, at: 1, only: ['write'] });
      expect(() => writeQuick(fileSystem, dir.at('a'), 'text')).toThrow(
        expect.objectContaining({ code: 'STORAGE_FAILED' }),
      );
      expect(fileSystem.openDescriptors.size).toBe(0);
      expect(readdirSync(dir.path)).toEqual([]);
    },
  );
});

describe('replaceQuick', () => {
  it('replaces a file with a private one', async () => {
    await using dir = await tempDir();
    writeFileSync(dir.at('a'), 'old', { mode: 0o644 });
    replaceQuick(storageTools(), dir.at('a'), 'new');
    expect(readFileSync(dir.at('a'), 'utf8')).toBe('new');
    expect(statSync(dir.at('a')).mode & 0o7777).toBe(0o600);
  });

  it.each(['write', 'rename', 'open'] as const)(
    'leaves the old one and nothing else when %s fails',
    async (call) => {
      await using dir = await tempDir();
      writeFileSync(dir.at('a'), 'old');
      const fileSystem = new FailingFileSystem({ fault: 'ENOSPC', at: 1, only: [call] });
      expect(() => replaceQuick(storageTools({ fileSystem }), dir.at('a'), 'new')).toThrow(
        expect.objectContaining({ code: 'STORAGE_FAILED' }),
      );
      expect(readFileSync(dir.at('a'), 'utf8')).toBe('old');
      expect(readdirSync(dir.path)).toEqual(['a']);
    },
  );
});

describe('openForAppending', () => {
  it.each([
    [true, 'new'],
    [false, 'oldnew'],
  ])('fresh %s', async (isFresh, content) => {
    await using dir = await tempDir();
    writeFileSync(dir.at('a'), 'old');
    const descriptor = openForAppending(nodeFileSystem, dir.at('a'), { isFresh });
    writeSync(descriptor, 'new');
    closeSync(descriptor);
    expect(readFileSync(dir.at('a'), 'utf8')).toBe(content);
  });

  it('does not follow a planted link', async () => {
    await using dir = await tempDir();
    writeFileSync(dir.at('victim'), 'victim');
    symlinkSync(dir.at('victim'), dir.at('a'));
    expect(() => openForAppending(nodeFileSystem, dir.at('a'), { isFresh: true })).toThrow(
      expect.objectContaining({ code: 'STORAGE_FAILED' }),
    );
    expect(readFileSync(dir.at('victim'), 'utf8')).toBe('victim');
  });
});
