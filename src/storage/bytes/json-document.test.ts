import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { FailingFileSystem } from '../../../test/support/failing-file-system.js';
import { FakeClock } from '../../../test/support/fake-clock.js';
import { PLANTED, plant } from '../../../test/support/plant.js';
import { storageTools } from '../../../test/support/storage-tools.js';
import { tempDir } from '../../../test/support/temp-dir.js';
import { verifies } from '../../../test/support/verifies.js';
import { type Clock, oneOf, optional, record, whole } from '../../foundation/index.js';
import { type FileSystem, nodeFileSystem } from './file-system.js';
import {
  formatDocument,
  parseDocument,
  readDocument,
  readPatiently,
  writeDocument,
} from './json-document.js';

const Status = record({
  version: optional(whole()),
  status: oneOf(['pending', 'completed']),
  total: whole(1),
});
const good = { status: 'pending', total: 3 } as const;

function read(tools: { fileSystem: FileSystem; clock: Clock }, path: string) {
  return readPatiently(tools.clock, () => readDocument(tools.fileSystem, path, Status));
}

describe('readDocument, patiently', () => {
  it('reads a document', async () => {
    await using dir = await tempDir();
    writeFileSync(dir.at('a.json'), JSON.stringify(good));
    expect(await read(storageTools(), dir.at('a.json'))).toEqual(good);
  });

  verifies('Q12', 'a missing file is not found, at once', async () => {
    await using dir = await tempDir();
    const clock = new FakeClock({ autoAdvance: true });
    expect(await read(storageTools({ clock }), dir.at('a.json'))).toBeUndefined();
    expect(clock.slept).toEqual([]);
  });

  verifies('Q12', 'a file that does not parse is read three times more, with growing pauses', async () => {
    await using dir = await tempDir();
    writeFileSync(dir.at('a.json'), '{"status":');
    const clock = new FakeClock({ autoAdvance: true });
    const fileSystem = new FailingFileSystem();
    await expect(read({ fileSystem, clock }, dir.at('a.json'))).rejects.toMatchObject({
      code: 'DOCUMENT_DAMAGED',
      reason: 'it is not JSON',
    });
    expect({ slept: clock.slept, opened: fileSystem.count('open') }).toEqual({
      slept: [10, 20, 40],
      opened: 4,
    });
  });

  verifies('Q12', 'a file that is half written when it is first read is read in the end', async () => {
    await using dir = await tempDir();
    writeFileSync(dir.at('a.json'), '{"status":');
    const clock = new FakeClock();
    const reading = read(storageTools({ clock }), dir.at('a.json'));
    await clock.untilAsleep();
    writeFileSync(dir.at('a.json'), JSON.stringify(good));
    clock.advance(10);
    expect(await reading).toEqual(good);
  });

  verifies('Q12', 'a passing fault of the disk is outlived', async () => {
    await using dir = await tempDir();
    writeFileSync(dir.at('a.json'), JSON.stringify(good));
    for (const fault of ['EIO', 'EMFILE'] as const) {
      const clock = new FakeClock({ autoAdvance: true });
      const fileSystem = new FailingFileSystem({ fault, at: 1 });
      expect(await read({ fileSystem, clock }, dir.at('a.json'))).toEqual(good);
      expect(clock.slept).toEqual([10]);
    }
  });

  it('does not retry what will not go away: permission, a planted thing', async () => {
    await using dir = await tempDir();
    writeFileSync(dir.at('a.json'), JSON.stringify(good));
    const clock = new FakeClock({ autoAdvance: true });
    const fileSystem = new FailingFileSystem({ fault: 'EACCES', at: 1, isLasting: true });
    await expect(read({ fileSystem, clock }, dir.at('a.json'))).rejects.toMatchObject({
      code: 'STORAGE_FAILED',
      fault: 'denied',
    });
    for (const what of PLANTED) {
      if (what === 'dangling link') continue;
      plant(what, dir.at(what), dir.at('victim'));
      await expect(read({ fileSystem: nodeFileSystem, clock }, dir.at(what))).rejects.toMatchObject({
        code: 'UNSAFE_PATH',
      });
    }
    expect(clock.slept).toEqual([]);
  });
});

describe('parseDocument', () => {
  it.each([
    ['', 'it is empty'],
    ['{', 'it is not JSON'],
    ['\0\0\0\0', 'it is not JSON'],
    ['\ufeff{}', 'it is not JSON'],
    ['{} trailing', 'it is not JSON'],
    ['"text"', 'the document: '],
    ['null', 'the document: '],
    ['[]', 'the document: '],
    ['{"status":"pending"}', 'total: '],
    ['{"status":"other","total":1}', 'status: '],
    ['{"status":"pending","total":-1}', 'total: '],
    ['['.repeat(100_000), 'it is not JSON'],
  ])('%j is damaged: %s', (text, reason) => {
    expect(() => parseDocument('/a.json', text, Status)).toThrow(
      expect.objectContaining({
        code: 'DOCUMENT_DAMAGED',
        path: '/a.json',
        reason: expect.stringContaining(reason),
      }),
    );
  });

  it('keeps unknown keys', () => {
    expect(parseDocument('/a.json', '{"status":"pending","total":1,"mine":{"deep":[1]}}', Status)).toEqual({
      status: 'pending',
      total: 1,
      mine: { deep: [1] },
    });
  });

  it.each([
    ['at the top', '{"status":"pending","total":1,"__proto__":{"evil":true}}'],
    ['deep inside', '{"status":"pending","total":1,"a":[{"__proto__":{"evil":true}}]}'],
    ['spelled with an escape', '{"status":"pending","total":1,"a":{"\\u005f_proto__":{"evil":true}}}'],
    [
      'spelled with an upper-case escape',
      '{"status":"pending","total":1,"a":{"__\\u0070roto_\\u005F":{"evil":true}}}',
    ],
  ])('drops __proto__ %s', (_where, text) => {
    const document = parseDocument('/a.json', text, Status);
    expect(JSON.stringify(document)).not.toContain('evil');
    expect(({} as Record<string, unknown>).evil).toBeUndefined();
    expect(Object.getPrototypeOf(document)).toBe(Object.prototype);
  });

  it('keeps the word __proto__ in plain text', () => {
    const text = '{"status":"pending","total":1,"note":"about __proto__"}';
    expect(parseDocument('/a.json', text, Status)).toEqual(JSON.parse(text));
  });
});

describe('writeDocument', () => {
  it('writes two spaces and no final newline, and what it wrote is read again', async () => {
    await using dir = await tempDir();
    writeDocument(storageTools(), dir.at('a.json'), { version: 1, ...good }, Status);
    expect(readFileSync(dir.at('a.json'), 'utf8')).toBe(
      '{\n  "version": 1,\n  "status": "pending",\n  "total": 3\n}',
    );
    expect(readDocument(nodeFileSystem, dir.at('a.json'), Status)).toEqual({ version: 1, ...good });
    expect(formatDocument('/a.json', {}, record({}))).toBe('{}');
  });

  it('refuses to rewrite what a newer Holdfast wrote, and leaves it alone', async () => {
    await using dir = await tempDir();
    writeFileSync(dir.at('a.json'), JSON.stringify({ version: 2, ...good }));
    const document = readDocument(nodeFileSystem, dir.at('a.json'), Status);
    expect(() =>
      writeDocument(storageTools(), dir.at('a.json'), { ...document, total: 1, status: 'completed' }, Status),
    ).toThrow(expect.objectContaining({ code: 'NEWER_VERSION' }));
    expect(JSON.parse(readFileSync(dir.at('a.json'), 'utf8'))).toEqual({ version: 2, ...good });
    expect(readdirSync(dir.path)).toEqual(['a.json']);
  });

  it('counts a document without a version as 1', async () => {
    await using dir = await tempDir();
    writeDocument(storageTools(), dir.at('a.json'), good, Status);
    expect(readDocument(nodeFileSystem, dir.at('a.json'), Status)).toEqual(good);
  });

  it('writes nothing that its own reader would refuse', async () => {
    await using dir = await tempDir();
    for (const total of [Number.NaN, 0, 1.5, 2 ** 53])
      expect(() => writeDocument(storageTools(), dir.at('a.json'), { ...good, total }, Status)).toThrow(
        expect.objectContaining({ code: 'DOCUMENT_REFUSED', reason: expect.stringMatching(/^total: /) }),
      );
    expect(readdirSync(dir.path)).toEqual([]);
  });

  it('reports a failed atomic write as such', async () => {
    await using dir = await tempDir();
    const fileSystem: FileSystem = new FailingFileSystem({ fault: 'EROFS', at: 1 });
    expect(() => writeDocument(storageTools({ fileSystem }), dir.at('a.json'), good, Status)).toThrow(
      expect.objectContaining({ code: 'ATOMIC_WRITE_FAILED', fault: 'read-only' }),
    );
  });
});
