import { existsSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { FailingFileSystem } from '../../../test/support/failing-file-system.js';
import { storageTools } from '../../../test/support/storage-tools.js';
import { type TempDir, tempDir } from '../../../test/support/temp-dir.js';
import { commitGroup, type FileGroup, hasRedo, nodeFileSystem, readRedo, rollForward } from '../index.js';

const HELD = { assertHeld() {} };

function groupIn(dir: TempDir): FileGroup {
  return { directory: dir.path, record: 'redo.json', files: ['a.json', 'b.json', 'log'] };
}

const contents = (dir: TempDir) =>
  Object.fromEntries(readdirSync(dir.path).map((name) => [name, readFileSync(dir.at(name), 'utf8')]));

describe('a commit over several files', () => {
  it('replaces and appends, and leaves nothing else behind', async () => {
    await using dir = await tempDir();
    writeFileSync(dir.at('a.json'), 'old');
    writeFileSync(dir.at('log'), 'first\n');
    const tools = storageTools();
    commitGroup(
      tools,
      groupIn(dir),
      { replaced: { 'a.json': 'A', 'b.json': 'B' }, appended: { log: 'second\n' } },
      HELD,
    );
    expect(contents(dir)).toEqual({ 'a.json': 'A', 'b.json': 'B', log: 'first\nsecond\n' });
  });

  it('takes nine syncs for five files and a log: two for the record, one for each file, one for the directory', async () => {
    await using dir = await tempDir();
    const fileSystem = new FailingFileSystem();
    const files = ['1', '2', '3', '4', '5'];
    const group = { directory: dir.path, record: 'redo.json', files: [...files, 'log'] };
    const replaced = Object.fromEntries(files.map((name) => [name, name]));
    commitGroup(storageTools({ fileSystem }), group, { replaced, appended: { log: 'x\n' } }, HELD);
    expect([fileSystem.count('sync'), fileSystem.count('syncData')]).toEqual([8, 1]);
  });

  it('that failed before its record stands has changed nothing', async () => {
    await using dir = await tempDir();
    writeFileSync(dir.at('a.json'), 'old');
    const fileSystem = new FailingFileSystem({ fault: 'ENOSPC', at: 1, only: ['write'] });
    expect(() =>
      commitGroup(storageTools({ fileSystem }), groupIn(dir), { replaced: { 'a.json': 'A' } }, HELD),
    ).toThrow(expect.objectContaining({ code: 'ATOMIC_WRITE_FAILED' }));
    expect(contents(dir)).toEqual({ 'a.json': 'old' });
    expect(hasRedo(nodeFileSystem, groupIn(dir))).toBe(false);
  });

  it('that failed after it is completed by the next roll forward', async () => {
    await using dir = await tempDir();
    writeFileSync(dir.at('a.json'), 'old');
    const fileSystem = new FailingFileSystem({ fault: 'ENOSPC', at: 2, only: ['write'] });
    const change = { replaced: { 'a.json': 'A', 'b.json': 'B' }, appended: { log: 'line\n' } };
    expect(() => commitGroup(storageTools({ fileSystem }), groupIn(dir), change, HELD)).toThrow();
    expect(readRedo(nodeFileSystem, groupIn(dir))?.replaced).toEqual(change.replaced);
    expect(rollForward(storageTools(), groupIn(dir), HELD)).toBe(true);
    expect(contents(dir)).toEqual({ 'a.json': 'A', 'b.json': 'B', log: 'line\n' });
    expect(rollForward(storageTools(), groupIn(dir), HELD)).toBe(false);
  });

  it('writes nothing once the lock is lost', async () => {
    await using dir = await tempDir();
    const lost = {
      assertHeld() {
        throw new Error('lost');
      },
    };
    expect(() => commitGroup(storageTools(), groupIn(dir), { replaced: { 'a.json': 'A' } }, lost)).toThrow(
      'lost',
    );
    expect(contents(dir)).toEqual({});
  });
});

describe('rolling forward', () => {
  const record = (text: string, offset: number) =>
    JSON.stringify({ version: 1, replaced: {}, appended: { log: { offset, text } } });

  it.each([
    ['nothing of it', 'first\n', 'first\nsecond\n'],
    ['half of it', 'first\nsec', 'first\nsecond\n'],
    ['all of it', 'first\nsecond\n', 'first\nsecond\n'],
    ['something else', 'first\nforeign\n', 'first\nforeign\nsecond\n'],
  ])('appends once when the log holds %s', async (_what, before, after) => {
    await using dir = await tempDir();
    writeFileSync(dir.at('log'), before);
    writeFileSync(dir.at('redo.json'), record('second\n', 6));
    rollForward(storageTools(), groupIn(dir), HELD);
    expect(contents(dir)).toEqual({ log: after });
  });

  it.each([
    ['is no JSON', '{'],
    [
      'names a file outside the group',
      JSON.stringify({ version: 1, replaced: { '../x': 'y' }, appended: {} }),
    ],
    ['holds no text', JSON.stringify({ version: 1, replaced: { 'a.json': 1 }, appended: {} })],
    ['is null', 'null'],
  ])('refuses a record that %s', async (_what, text) => {
    await using dir = await tempDir();
    writeFileSync(dir.at('redo.json'), text);
    expect(() => rollForward(storageTools(), groupIn(dir), HELD)).toThrow(
      expect.objectContaining({ code: 'DOCUMENT_DAMAGED' }),
    );
    expect(existsSync(dir.at('..', 'x'))).toBe(false);
  });

  it('does not follow a link in place of the log', async () => {
    await using dir = await tempDir();
    await using outside = await tempDir();
    writeFileSync(outside.at('victim'), 'victim');
    symlinkSync(outside.at('victim'), dir.at('log'));
    writeFileSync(dir.at('redo.json'), record('x', 0));
    expect(() => rollForward(storageTools(), groupIn(dir), HELD)).toThrow(
      expect.objectContaining({ code: 'UNSAFE_PATH' }),
    );
    expect(readFileSync(outside.at('victim'), 'utf8')).toBe('victim');
  });
});
