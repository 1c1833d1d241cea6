import { existsSync, mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { FailingFileSystem } from '../../../test/support/failing-file-system.js';
import { itNeeds } from '../../../test/support/it-needs.js';
import { makeFifo, withFacts, withUmask } from '../../../test/support/plant.js';
import { tempDir } from '../../../test/support/temp-dir.js';
import { ensureDirectory, hasDirectory, listDirectory, removeTree } from './directories.js';
import { nodeFileSystem } from './file-system.js';

describe('ensureDirectory', () => {
  it.each(['000', '022', '077'])(
    'creates 0700 directories, including parents, under umask %s',
    async (umask) => {
      await using dir = await tempDir();
      await withUmask(Number.parseInt(umask, 8), () =>
        ensureDirectory(nodeFileSystem, dir.at('a', 'b', 'c')),
      );
      const modes = [dir.at('a'), dir.at('a', 'b'), dir.at('a', 'b', 'c')].map(
        (path) => statSync(path).mode & 0o7777,
      );
      expect(modes).toEqual([0o700, 0o700, 0o700]);
    },
  );

  itNeeds({ root: true }, 'makes 0700 directories even under umask 777', async () => {
    await using dir = await tempDir();
    await withUmask(0o777, () => ensureDirectory(nodeFileSystem, dir.at('a', 'b')));
    expect([dir.at('a'), dir.at('a', 'b')].map((path) => statSync(path).mode & 0o7777)).toEqual([
      0o700, 0o700,
    ]);
  });

  it('accepts an existing one', async () => {
    await using dir = await tempDir();
    ensureDirectory(nodeFileSystem, dir.at('a'));
    const fileSystem = new FailingFileSystem();
    ensureDirectory(fileSystem, dir.at('a'));
    expect(fileSystem.calls.map((call) => call.name)).toEqual(['look']);
  });

  it('makes each new directory durable in its parent', async () => {
    await using dir = await tempDir();
    const fileSystem = new FailingFileSystem();
    ensureDirectory(fileSystem, dir.at('a', 'b'));
    const synced = fileSystem.calls.filter((call) => call.name === 'sync').map((call) => call.about);
    expect(synced).toEqual([dir.path, dir.at('a')]);
  });

  it.each([
    ['a symbolic link', 'symbolic link', (path: string) => symlinkSync('/', path)],
    ['a dangling link', 'symbolic link', (path: string) => symlinkSync('/no/where', path)],
    ['a file', 'not a directory', (path: string) => writeFileSync(path, '')],
    ['a FIFO', 'not a directory', (path: string) => makeFifo(path)],
  ])('refuses %s', async (_what, reason, put) => {
    await using dir = await tempDir();
    put(dir.at('a'));
    for (const check of [ensureDirectory, hasDirectory]) {
      expect(() => check(nodeFileSystem, dir.at('a'))).toThrow(
        expect.objectContaining({
          code: 'UNSAFE_PATH',
          path: dir.at('a'),
          message: expect.stringContaining(reason),
        }),
      );
    }
  });

  it.each(['777', '1777', '770', '702'])('refuses one that others may write to (%s)', async (digits) => {
    await using dir = await tempDir();
    mkdirSync(dir.at('a'));
    const fileSystem = withFacts((path) =>
      path === dir.at('a') ? { mode: Number.parseInt(digits, 8) } : undefined,
    );
    expect(() => ensureDirectory(fileSystem, dir.at('a'))).toThrow(
      expect.objectContaining({ code: 'UNSAFE_PATH', message: expect.stringContaining(`mode ${digits}`) }),
    );
  });

  it.each(['700', '755', '500'])('accepts one that only we may write to (%s)', async (digits) => {
    await using dir = await tempDir();
    mkdirSync(dir.at('a'), { mode: Number.parseInt(digits, 8) });
    ensureDirectory(nodeFileSystem, dir.at('a'));
    expect(hasDirectory(nodeFileSystem, dir.at('a'))).toBe(true);
  });

  it('refuses one that belongs to another user', async () => {
    await using dir = await tempDir();
    mkdirSync(dir.at('a'));
    const fileSystem = withFacts(() => ({ uid: 12_345 }));
    expect(() => ensureDirectory(fileSystem, dir.at('a'))).toThrow(
      expect.objectContaining({
        code: 'UNSAFE_PATH',
        message: expect.stringContaining('belongs to user 12345'),
      }),
    );
  });

  it('refuses one that another user made in between', async () => {
    await using dir = await tempDir();
    const fileSystem = {
      ...withFacts(() => ({ uid: 12_345 })),
      makeDirectory(path: string, mode: number) {
        mkdirSync(path);
        nodeFileSystem.makeDirectory(path, mode);
      },
    };
    expect(() => ensureDirectory(fileSystem, dir.at('a'))).toThrow(
      expect.objectContaining({ code: 'UNSAFE_PATH' }),
    );
  });

  it('accepts one that we ourselves made in between', async () => {
    await using dir = await tempDir();
    const fileSystem = {
      ...nodeFileSystem,
      makeDirectory(path: string, mode: number) {
        mkdirSync(path, { mode });
        nodeFileSystem.makeDirectory(path, mode);
      },
    };
    ensureDirectory(fileSystem, dir.at('a'));
    expect(hasDirectory(nodeFileSystem, dir.at('a'))).toBe(true);
  });
});

it('lists names, and none if there is no directory', async () => {
  await using dir = await tempDir();
  writeFileSync(dir.at('a'), '');
  expect(listDirectory(nodeFileSystem, dir.path)).toEqual(['a']);
  expect(listDirectory(nodeFileSystem, dir.at('gone'))).toEqual([]);
  expect(hasDirectory(nodeFileSystem, dir.at('gone'))).toBe(false);
  expect(() => listDirectory(nodeFileSystem, dir.at('a'))).toThrow(
    expect.objectContaining({ code: 'STORAGE_FAILED', step: 'list' }),
  );
});

describe('removeTree', () => {
  it('removes everything below, and never follows a link', async () => {
    await using dir = await tempDir();
    mkdirSync(dir.at('outside'));
    writeFileSync(dir.at('outside', 'precious'), '');
    mkdirSync(dir.at('tree', 'deep', 'er'), { recursive: true });
    writeFileSync(dir.at('tree', 'deep', 'file'), '');
    symlinkSync(dir.at('outside'), dir.at('tree', 'deep', 'link'));
    symlinkSync(dir.at('nowhere'), dir.at('tree', 'dangling'));
    makeFifo(dir.at('tree', 'fifo'));
    removeTree(nodeFileSystem, dir.at('tree'));
    expect(readdirSync(dir.path)).toEqual(['outside']);
    expect(existsSync(dir.at('outside', 'precious'))).toBe(true);
  });

  it('removes a link to a directory, not the directory', async () => {
    await using dir = await tempDir();
    mkdirSync(dir.at('outside'));
    writeFileSync(dir.at('outside', 'precious'), '');
    symlinkSync(dir.at('outside'), dir.at('link'));
    removeTree(nodeFileSystem, dir.at('link'));
    expect(readdirSync(dir.path)).toEqual(['outside']);
    expect(readdirSync(dir.at('outside'))).toEqual(['precious']);
  });

  it('accepts that something is already gone', async () => {
    await using dir = await tempDir();
    removeTree(nodeFileSystem, dir.at('gone'));
  });

  it('continues when another process removes at the same time', async () => {
    await using dir = await tempDir();
    mkdirSync(dir.at('tree'));
    for (const name of ['a', 'b', 'c']) writeFileSync(dir.at('tree', name), '');
    const fileSystem = {
      ...nodeFileSystem,
      list(path: string) {
        const names = nodeFileSystem.list(path);
        nodeFileSystem.unlink(dir.at('tree', 'b'));
        return names;
      },
    };
    removeTree(fileSystem, dir.at('tree'));
    expect(existsSync(dir.at('tree'))).toBe(false);
  });
});
