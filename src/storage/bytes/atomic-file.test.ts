import {
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { describe, expect, it } from 'vitest';
import { FailingFileSystem } from '../../../test/support/failing-file-system.js';
import { makeFifo, PLANTED, plant, withUmask } from '../../../test/support/plant.js';
import { storageTools } from '../../../test/support/storage-tools.js';
import { tempDir } from '../../../test/support/temp-dir.js';
import { verifies } from '../../../test/support/verifies.js';
import { systemIds } from '../../foundation/index.js';
import {
  createFile,
  isTemporaryName,
  linkIfAbsent,
  readBytes,
  readFile,
  removeQuietly,
  replaceFile,
  syncDirectory,
  temporaryName,
} from './atomic-file.js';
import { type FileSystem, nodeFileSystem } from './file-system.js';

const tools = storageTools();

describe('replaceFile', () => {
  it('creates a file if there is none, and replaces an existing one', async () => {
    await using dir = await tempDir();
    const path = dir.at('status.json');
    replaceFile(tools, path, 'one');
    expect(readFileSync(path, 'utf8')).toBe('one');
    replaceFile(tools, path, 'zwei: ü 🎉');
    expect(readFileSync(path, 'utf8')).toBe('zwei: ü 🎉');
    expect(readdirSync(dir.path)).toEqual(['status.json']);
  });

  it.each([0, 1, 4_095, 4_096, 4_097, 3_000_000])('writes %i bytes unchanged', async (length) => {
    await using dir = await tempDir();
    replaceFile(tools, dir.at('file'), 'x'.repeat(length));
    expect(statSync(dir.at('file')).size).toBe(length);
    expect(readFile(nodeFileSystem, dir.at('file'))).toBe('x'.repeat(length));
  });

  it.each(['000', '022', '077', '777'])('is 0600 under umask %s', async (umask) => {
    await using dir = await tempDir();
    await withUmask(Number.parseInt(umask, 8), () => {
      replaceFile(tools, dir.at('replaced'), 'text');
      createFile(tools, dir.at('created'), 'text');
    });
    expect(readdirSync(dir.path).map((name) => statSync(dir.at(name)).mode & 0o7777)).toEqual([0o600, 0o600]);
  });

  it('puts a new file in place of the old one: a process that has that open keeps it whole', async () => {
    await using dir = await tempDir();
    replaceFile(tools, dir.at('file'), 'old');
    linkSync(dir.at('file'), dir.at('opened'));
    replaceFile(tools, dir.at('file'), 'new');
    expect(readFileSync(dir.at('opened'), 'utf8')).toBe('old');
  });

  verifies(
    'Q10',
    'a write is: private temporary file, verify, sync, rename, sync of the directory',
    async () => {
      await using dir = await tempDir();
      const fileSystem = new FailingFileSystem();
      replaceFile(
        { fileSystem, ids: { ...systemIds, token: () => 'f'.repeat(32) } },
        dir.at('a.json'),
        'text',
      );
      const temporary = dir.at(`.a.json.${'f'.repeat(32)}.tmp`);
      expect(fileSystem.calls.map(({ name, about }) => `${name} ${about}`)).toEqual([
        `open ${temporary}`,
        `changeMode ${temporary}`,
        `write ${temporary}`,
        `read ${temporary}`,
        `read ${temporary}`,
        `sync ${temporary}`,
        `close ${temporary}`,
        `rename ${temporary}`,
        `open ${dir.path}`,
        `sync ${dir.path}`,
        `close ${dir.path}`,
      ]);
    },
  );

  verifies('Q10', 'a failed write says path, step and cause, and leaves no temporary file', async () => {
    await using dir = await tempDir();
    const path = dir.at('status.json');
    replaceFile(tools, path, 'old');
    const fileSystem = new FailingFileSystem({ fault: 'ENOSPC', at: 1, only: ['write'] });
    expect(() => replaceFile({ ...tools, fileSystem }, path, 'new')).toThrow(
      expect.objectContaining({
        name: 'AtomicWriteError',
        code: 'ATOMIC_WRITE_FAILED',
        path,
        step: 'write',
        fault: 'full',
        message: expect.stringMatching(
          /^Atomic write failed: .*status\.json \(at the step "write"\): ENOSPC/,
        ),
        cause: expect.objectContaining({ code: 'ENOSPC' }),
        hint: expect.stringContaining('Free some space'),
      }),
    );
    expect(readFileSync(path, 'utf8')).toBe('old');
    expect(readdirSync(dir.path)).toEqual(['status.json']);
  });

  verifies('Q10', 'what is read back must be what was written', async () => {
    await using dir = await tempDir();
    replaceFile(tools, dir.at('file'), 'old');
    for (const spoil of [flipOneBit, loseTheEnd, growABit]) {
      expect(() => replaceFile({ ...tools, fileSystem: spoil }, dir.at('file'), 'new text')).toThrow(
        expect.objectContaining({ code: 'ATOMIC_WRITE_FAILED', step: 'verify' }),
      );
    }
    expect(readFileSync(dir.at('file'), 'utf8')).toBe('old');
    expect(readdirSync(dir.path)).toEqual(['file']);
  });

  it('continues after a short write', async () => {
    await using dir = await tempDir();
    const fileSystem = new FailingFileSystem({ fault: 'SHORT', at: 1, isLasting: true });
    replaceFile({ ...tools, fileSystem }, dir.at('file'), 'a longer text');
    expect(readFileSync(dir.at('file'), 'utf8')).toBe('a longer text');
  });

  it('gives up when nothing more can be written', async () => {
    await using dir = await tempDir();
    const fileSystem = { ...nodeFileSystem, write: () => 0 };
    expect(() => replaceFile({ ...tools, fileSystem }, dir.at('file'), 'text')).toThrow(
      expect.objectContaining({ code: 'ATOMIC_WRITE_FAILED', step: 'write' }),
    );
    expect(readdirSync(dir.path)).toEqual([]);
  });

  it.each(['symbolic link', 'dangling link', 'FIFO'] as const)(
    'replaces a planted %s itself, and does not follow it',
    async (what) => {
      await using dir = await tempDir();
      plant(what, dir.at('file'), dir.at('victim'));
      replaceFile(tools, dir.at('file'), 'ours');
      expect(lstatSync(dir.at('file')).isFile()).toBe(true);
      expect(existsSync(dir.at('victim')) ? readFileSync(dir.at('victim'), 'utf8') : 'victim').toBe('victim');
    },
  );

  it('fails on a planted directory and leaves it', async () => {
    await using dir = await tempDir();
    mkdirSync(dir.at('file'));
    expect(() => replaceFile(tools, dir.at('file'), 'ours')).toThrow(
      expect.objectContaining({ code: 'ATOMIC_WRITE_FAILED', step: 'rename' }),
    );
    expect(readdirSync(dir.path)).toEqual(['file']);
  });

  it('does not write through a guessed name', async () => {
    await using dir = await tempDir();
    const ids = { ...systemIds, token: () => '0'.repeat(32) };
    symlinkSync(dir.at('victim'), temporaryName(ids, dir.at('file')));
    expect(() => replaceFile({ fileSystem: nodeFileSystem, ids }, dir.at('file'), 'ours')).toThrow(
      expect.objectContaining({ code: 'ATOMIC_WRITE_FAILED', step: 'create' }),
    );
    expect(existsSync(dir.at('victim'))).toBe(false);
    expect(existsSync(dir.at('file'))).toBe(false);
  });

  it('fails if there is no directory', async () => {
    await using dir = await tempDir();
    expect(() => replaceFile(tools, dir.at('gone', 'file'), 'text')).toThrow(
      expect.objectContaining({ code: 'ATOMIC_WRITE_FAILED', step: 'create', fault: 'gone' }),
    );
  });
});

describe('createFile', () => {
  it('creates a file, only if there is none', async () => {
    await using dir = await tempDir();
    expect(createFile(tools, dir.at('answers.json'), 'first')).toBe(true);
    expect(createFile(tools, dir.at('answers.json'), 'second')).toBe(false);
    expect(readFileSync(dir.at('answers.json'), 'utf8')).toBe('first');
    expect(readdirSync(dir.path)).toEqual(['answers.json']);
    expect(statSync(dir.at('answers.json')).nlink).toBe(1);
  });

  it('writes bytes unchanged', async () => {
    await using dir = await tempDir();
    const bytes = Buffer.from(Array.from({ length: 256 }, (_, index) => index));
    createFile(tools, dir.at('bytes'), bytes);
    expect(readBytes(nodeFileSystem, dir.at('bytes'))).toEqual(bytes);
  });

  it('leaves the file of another writer that came first alone', async () => {
    await using dir = await tempDir();
    const fileSystem: FileSystem = {
      ...nodeFileSystem,
      link(existing, added) {
        writeFileSync(added, 'theirs');
        nodeFileSystem.link(existing, added);
      },
    };
    expect(createFile({ ...tools, fileSystem }, dir.at('file'), 'ours')).toBe(false);
    expect(readFileSync(dir.at('file'), 'utf8')).toBe('theirs');
    expect(readdirSync(dir.path)).toEqual(['file']);
  });

  it.each(PLANTED)('leaves a planted %s alone', async (what) => {
    await using dir = await tempDir();
    plant(what, dir.at('file'), dir.at('victim'));
    const before = lstatSync(dir.at('file')).ino;
    expect(createFile(tools, dir.at('file'), 'ours')).toBe(false);
    expect(lstatSync(dir.at('file')).ino).toBe(before);
    expect(existsSync(dir.at('victim')) ? readFileSync(dir.at('victim'), 'utf8') : 'victim').toBe('victim');
  });

  it('syncs the file before its name appears, and the directory after', async () => {
    await using dir = await tempDir();
    const fileSystem = new FailingFileSystem();
    createFile({ ...tools, fileSystem }, dir.at('file'), 'text');
    const names = fileSystem.calls.map((call) => call.name);
    expect(names.indexOf('sync')).toBeLessThan(names.indexOf('link'));
    expect(names.lastIndexOf('sync')).toBeGreaterThan(names.indexOf('link'));
    expect(fileSystem.calls[names.lastIndexOf('sync')]?.about).toBe(dir.path);
  });
});

describe('readFile and readBytes', () => {
  it('give undefined if nothing is there, or a parent is missing or not a directory', async () => {
    await using dir = await tempDir();
    writeFileSync(dir.at('file'), '');
    expect(readFile(nodeFileSystem, dir.at('missing'))).toBeUndefined();
    expect(readFile(nodeFileSystem, dir.at('missing', 'file'))).toBeUndefined();
    expect(readFile(nodeFileSystem, dir.at('file', 'file'))).toBeUndefined();
    expect(readFile(nodeFileSystem, dir.at('file'))).toBe('');
  });

  it.each([
    ['a symbolic link', 'it is a symbolic link', (path: string) => symlinkSync('/etc/hostname', path)],
    ['a FIFO', 'it is not a regular file but a other', (path: string) => makeFifo(path)],
    ['a directory', 'it is not a regular file but a directory', (path: string) => mkdirSync(path)],
  ])('refuse %s', async (_what, reason, put) => {
    await using dir = await tempDir();
    put(dir.at('file'));
    expect(() => readFile(nodeFileSystem, dir.at('file'))).toThrow(
      expect.objectContaining({
        code: 'UNSAFE_PATH',
        path: dir.at('file'),
        message: expect.stringContaining(reason),
      }),
    );
  });

  it('refuse what is too large to be ours', async () => {
    await using dir = await tempDir();
    writeFileSync(dir.at('file'), 'text');
    const fileSystem: FileSystem = {
      ...nodeFileSystem,
      factsOf: (descriptor) => ({ ...nodeFileSystem.factsOf(descriptor), size: 2 ** 40 }),
    };
    expect(() => readFile(fileSystem, dir.at('file'))).toThrow(
      expect.objectContaining({ code: 'UNSAFE_PATH' }),
    );
  });

  it('read a file that is growing to its end', async () => {
    await using dir = await tempDir();
    writeFileSync(dir.at('file'), 'x'.repeat(1_000));
    const fileSystem: FileSystem = {
      ...nodeFileSystem,
      factsOf: (descriptor) => ({ ...nodeFileSystem.factsOf(descriptor), size: 10 }),
    };
    expect(readFile(fileSystem, dir.at('file'))).toBe('x'.repeat(1_000));
  });

  it('take one call for the text of a file', async () => {
    await using dir = await tempDir();
    writeFileSync(dir.at('file'), 'x'.repeat(1_000));
    const fileSystem = new FailingFileSystem();
    readFile(fileSystem, dir.at('file'));
    expect(fileSystem.calls.map(({ name }) => name)).toEqual(['open', 'factsOf', 'readText', 'close']);
  });

  it('report what the system says about a file that cannot be read, and close it', async () => {
    await using dir = await tempDir();
    writeFileSync(dir.at('file'), 'text');
    const fileSystem = new FailingFileSystem({ fault: 'EIO', at: 1, only: ['readText'] });
    expect(() => readFile(fileSystem, dir.at('file'))).toThrow(
      expect.objectContaining({ code: 'STORAGE_FAILED', step: 'read', fault: 'broken' }),
    );
    expect(fileSystem.openDescriptors.size).toBe(0);
  });
});

describe('names and links', () => {
  it('recognise a temporary name, and nothing else', async () => {
    const name = temporaryName(systemIds, '/some/where/status.json').slice('/some/where/'.length);
    expect(isTemporaryName(name, 'status.json')).toBe(true);
    expect(isTemporaryName(name, 'answers.json')).toBe(false);
    expect(isTemporaryName(name, 'status')).toBe(false);
    expect(
      [
        'status.json',
        '.status.json',
        '.tmp',
        '.a.tmp',
        `${name}x`,
        `x${name}`,
        '..tmp',
        `.${'f'.repeat(32)}.tmp`,
      ].filter((candidate) => isTemporaryName(candidate, 'status.json')),
    ).toEqual([]);
  });

  it('link only if nothing is there', async () => {
    await using dir = await tempDir();
    writeFileSync(dir.at('a'), 'a');
    expect(linkIfAbsent(nodeFileSystem, dir.at('a'), dir.at('b'))).toBe(true);
    expect(linkIfAbsent(nodeFileSystem, dir.at('a'), dir.at('b'))).toBe(false);
    expect(() => linkIfAbsent(nodeFileSystem, dir.at('gone'), dir.at('c'))).toThrow('ENOENT');
  });

  it('remove quietly, whether or not something is there', async () => {
    await using dir = await tempDir();
    writeFileSync(dir.at('a'), 'a');
    removeQuietly(nodeFileSystem, dir.at('a'));
    removeQuietly(nodeFileSystem, dir.at('a'));
    expect(readdirSync(dir.path)).toEqual([]);
  });

  it('do not sync a directory through a link', async () => {
    await using dir = await tempDir();
    mkdirSync(dir.at('real'));
    symlinkSync(dir.at('real'), dir.at('link'));
    syncDirectory(nodeFileSystem, dir.at('real'));
    expect(() => syncDirectory(nodeFileSystem, dir.at('link'))).toThrow();
  });
});

const flipOneBit: FileSystem = {
  ...nodeFileSystem,
  read(descriptor, buffer, offset, length, position) {
    const count = nodeFileSystem.read(descriptor, buffer, offset, length, position);
    if (count > 0) buffer[offset] = (buffer[offset] ?? 0) ^ 1;
    return count;
  },
};

const loseTheEnd: FileSystem = {
  ...nodeFileSystem,
  read: (descriptor, buffer, offset, length, position) =>
    position > 0 ? 0 : nodeFileSystem.read(descriptor, buffer, offset, Math.min(3, length), position),
};

const growABit: FileSystem = {
  ...nodeFileSystem,
  read(descriptor, buffer, offset, length, position) {
    const count = nodeFileSystem.read(descriptor, buffer, offset, length, position);
    if (count > 0 || position !== 'new text'.length) return count;
    buffer[offset] = 0x21;
    return 1;
  },
};
