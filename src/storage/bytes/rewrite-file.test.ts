import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { storageTools } from '../../../test/support/storage-tools.js';
import { tempDir } from '../../../test/support/temp-dir.js';
import { EndsReader } from './file-ends.js';
import { nodeFileSystem } from './file-system.js';
import { type Piece, rewriteFile } from './rewrite-file.js';

describe('rewriteFile', () => {
  it('puts pieces of the old file and new bytes together, and keeps the old file', async () => {
    await using dir = await tempDir();
    const path = dir.at('log');
    writeFileSync(path, 'one two three');
    const pieces: Piece[] = [{ offset: 8, length: 5 }, Buffer.from(' + '), { offset: 0, length: 3 }];
    const kept = rewriteFile(storageTools(), path, pieces, () => true);
    expect([readFileSync(path, 'utf8'), readFileSync(kept, 'utf8')]).toEqual([
      'three + one',
      'one two three',
    ]);
    expect(readdirSync(dir.path)).toHaveLength(2);
  });

  it('copies pieces that are larger than its buffer', async () => {
    await using dir = await tempDir();
    const path = dir.at('log');
    const large = Buffer.alloc(3_500_000, 'abcdefg');
    writeFileSync(path, large);
    rewriteFile(
      storageTools(),
      path,
      [{ offset: 7, length: large.length - 7 }, Buffer.from('end')],
      () => true,
    );
    expect(readFileSync(path).equals(Buffer.concat([large.subarray(7), Buffer.from('end')]))).toBe(true);
  });

  it.each<[string, Piece[], boolean]>([
    ['the new file is not good', [Buffer.from('x')], false],
    ['the old file is shorter than a piece', [{ offset: 0, length: 99 }], true],
  ])('changes nothing when %s', async (_case, pieces, isGood) => {
    await using dir = await tempDir();
    const path = dir.at('log');
    writeFileSync(path, 'one');
    expect(() => rewriteFile(storageTools(), path, pieces, () => isGood)).toThrow('Atomic write failed');
    expect([readdirSync(dir.path), readFileSync(path, 'utf8')]).toEqual([['log'], 'one']);
  });
});

describe('EndsReader', () => {
  it.each([0, 1, 4, 5, 100])('reads both ends of a file of %i bytes', async (size) => {
    await using dir = await tempDir();
    const content = 'abcdefghij'.repeat(10).slice(0, size);
    writeFileSync(dir.at('file'), content);
    const ends = new EndsReader(nodeFileSystem, 4).read(dir.at('file'));
    expect([ends?.head.toString(), ends?.tail.toString(), ends?.size]).toEqual([
      content.slice(0, 4),
      content.slice(-4),
      size,
    ]);
  });

  it('finds nothing if there is no file, and refuses anything but a file', async () => {
    await using dir = await tempDir();
    const reader = new EndsReader(nodeFileSystem, 4);
    expect(reader.read(dir.at('none'))).toBeUndefined();
    mkdirSync(dir.at('directory'));
    expect(() => reader.read(dir.at('directory'))).toThrow(expect.objectContaining({ code: 'UNSAFE_PATH' }));
  });
});
