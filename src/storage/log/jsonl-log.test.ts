import {
  appendFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { describe, expect, it } from 'vitest';
import { FailingFileSystem } from '../../../test/support/failing-file-system.js';
import { makeFifo, withUmask } from '../../../test/support/plant.js';
import { storageTools } from '../../../test/support/storage-tools.js';
import { type TempDir, tempDir } from '../../../test/support/temp-dir.js';
import { type FileSystem, nodeFileSystem } from '../bytes/file-system.js';
import { tryAcquireLock } from '../lock/lock.js';
import { LockLostError } from '../lock/lock-errors.js';
import { JsonlLog } from './jsonl-log.js';
import { readLog } from './jsonl-reader.js';
import { checksumSeed, encodeRecord } from './jsonl-record.js';

const sessionId = 'session-1';
const held = { assertHeld() {} };
const first = { type: 'metadata', session_id: sessionId };

/** A log with its first record and this many turns, opened for appending. */
function openLog(dir: TempDir, options: { fileSystem?: FileSystem; turns?: number } = {}): JsonlLog {
  const tools = storageTools(options.fileSystem === undefined ? {} : { fileSystem: options.fileSystem });
  const path = dir.at('log.jsonl');
  JsonlLog.create(storageTools(), path, sessionId, first);
  const log = JsonlLog.open(tools, path, { sessionId, lock: held });
  for (let turn = 1; turn <= (options.turns ?? 0); turn++)
    log.append({ type: 'turn', content: `text ${turn}` });
  return log;
}

function contentsOf(dir: TempDir): { seqs: (number | null)[]; damage: string[]; hasTail: boolean } {
  const { records, damage, tail } = readLog(nodeFileSystem, dir.at('log.jsonl'), { sessionId });
  return {
    seqs: records.map(({ seq }) => seq),
    damage: damage.map(({ reason }) => reason),
    hasTail: tail !== undefined,
  };
}

describe('JsonlLog.create', () => {
  it('creates a private log with its first record, only if there is none', async () => {
    await using dir = await tempDir({ isInMemory: true });
    const tools = storageTools();
    await withUmask(0, () =>
      expect(JsonlLog.create(tools, dir.at('log.jsonl'), sessionId, first)).toBe(true),
    );
    expect(JsonlLog.create(tools, dir.at('log.jsonl'), sessionId, { type: 'other' })).toBe(false);
    expect(statSync(dir.at('log.jsonl')).mode & 0o7777).toBe(0o600);
    expect(readFileSync(dir.at('log.jsonl'))).toEqual(encodeRecord(first, 0, checksumSeed(sessionId)));
  });
});

describe('append', () => {
  it('numbers records and makes each durable before it returns', async () => {
    await using dir = await tempDir({ isInMemory: true });
    const fileSystem = new FailingFileSystem();
    using log = openLog(dir, { fileSystem });
    fileSystem.calls.length = 0;
    expect(log.nextSeq).toBe(1);
    expect(log.append({ type: 'turn' })).toBe(1);
    expect(fileSystem.calls.map((call) => call.name)).toEqual(['factsOf', 'write', 'syncData']);
    expect(log.append({ type: 'turn' })).toBe(2);
    expect(contentsOf(dir)).toEqual({ seqs: [0, 1, 2], damage: [], hasTail: false });
  });

  it('appends several records with one write and one sync', async () => {
    await using dir = await tempDir({ isInMemory: true });
    const fileSystem = new FailingFileSystem();
    using log = openLog(dir, { fileSystem });
    fileSystem.calls.length = 0;
    expect(log.appendAll([{ a: 1 }, { a: 2 }, { a: 3 }])).toBe(1);
    expect([fileSystem.count('write'), fileSystem.count('syncData')]).toEqual([1, 1]);
    expect(log.appendAll([])).toBe(4);
    expect(contentsOf(dir)).toEqual({ seqs: [0, 1, 2, 3], damage: [], hasTail: false });
  });

  it('continues after the last number when a log is reopened', async () => {
    await using dir = await tempDir({ isInMemory: true });
    openLog(dir, { turns: 3 }).close();
    using log = openLog(dir);
    expect(log.append({ type: 'turn' })).toBe(4);
  });

  it('counts a file without numbers once, and continues from there', async () => {
    await using dir = await tempDir({ isInMemory: true });
    writeFileSync(dir.at('log.jsonl'), '{"type":"metadata"}\n{"type":"turn"}\n');
    using log = openLog(dir);
    expect(log.append({ type: 'turn' })).toBe(2);
    expect(contentsOf(dir)).toEqual({ seqs: [null, null, 2], damage: [], hasTail: false });
  });

  it('continues after records that another program appended without numbers', async () => {
    await using dir = await tempDir({ isInMemory: true });
    using log = openLog(dir, { turns: 1 });
    appendFileSync(dir.at('log.jsonl'), '{"type":"turn"}\n{"type":"turn"}\n');
    log.append({ type: 'turn' });
    log.append({ type: 'turn' });
    expect(contentsOf(dir)).toEqual({ seqs: [0, 1, null, null, 4, 5], damage: [], hasTail: false });
  });

  it('refuses a record that no reader would accept, and changes nothing', async () => {
    await using dir = await tempDir({ isInMemory: true });
    using log = openLog(dir);
    const before = readFileSync(dir.at('log.jsonl'));
    expect(() => log.append({ content: 'x'.repeat(32 * 1024 * 1024) })).toThrow(
      expect.objectContaining({ code: 'INVALID_INPUT' }),
    );
    expect(readFileSync(dir.at('log.jsonl'))).toEqual(before);
    expect(log.append({ type: 'turn' })).toBe(1);
  });

  it('accepts the largest record that a reader accepts', async () => {
    await using dir = await tempDir({ isInMemory: true });
    using log = openLog(dir);
    log.append({ content: 'x'.repeat(32 * 1024 * 1024 - 100) });
    log.append({ content: 'small' });
    expect(contentsOf(dir)).toEqual({ seqs: [0, 1, 2], damage: [], hasTail: false });
  });

  it('asks the lock before each write, and writes nothing once it is lost', async () => {
    await using dir = await tempDir({ isInMemory: true });
    let isHeld = true;
    const lock = {
      assertHeld() {
        if (!isHeld) throw new LockLostError('/lock', 1);
      },
    };
    JsonlLog.create(storageTools(), dir.at('log.jsonl'), sessionId, first);
    using log = JsonlLog.open(storageTools(), dir.at('log.jsonl'), { sessionId, lock });
    isHeld = false;
    expect(() => log.append({ type: 'turn' })).toThrow(expect.objectContaining({ code: 'LOCK_LOST' }));
    expect(contentsOf(dir).seqs).toEqual([0]);
    expect(() => JsonlLog.open(storageTools(), dir.at('log.jsonl'), { sessionId, lock })).toThrow(
      LockLostError,
    );
  });

  it('works under a real lock', async () => {
    await using dir = await tempDir({ isInMemory: true });
    const tools = storageTools();
    const lock = tryAcquireLock(tools, dir.at('log'));
    if (!('release' in lock)) throw new Error('not free');
    JsonlLog.create(tools, dir.at('log.jsonl'), sessionId, first);
    using log = JsonlLog.open(tools, dir.at('log.jsonl'), { sessionId, lock });
    expect(log.append({ type: 'turn' })).toBe(1);
    lock.release();
    expect(() => log.append({ type: 'turn' })).toThrow(expect.objectContaining({ code: 'LOCK_LOST' }));
  });

  it('does nothing more once it is closed, and closes once', async () => {
    await using dir = await tempDir({ isInMemory: true });
    const fileSystem = new FailingFileSystem();
    const log = openLog(dir, { fileSystem });
    log.close();
    log.close();
    expect(fileSystem.openDescriptors.size).toBe(0);
    expect(() => log.append({ type: 'turn' })).toThrow(expect.objectContaining({ code: 'LOG_POISONED' }));
  });
});

describe('a failing disk', () => {
  it.each(['ENOSPC', 'EIO', 'SHORT'] as const)(
    '%s at a write: cut back, reported, and the next append is good',
    async (fault) => {
      await using dir = await tempDir({ isInMemory: true });
      const fileSystem = new FailingFileSystem();
      using log = openLog(dir, { fileSystem, turns: 1 });
      const before = readFileSync(dir.at('log.jsonl'));
      fileSystem.arm({ fault, at: 1, only: ['write'] });
      expect(() => log.append({ type: 'turn', content: 'lost' })).toThrow(
        expect.objectContaining({ code: 'STORAGE_FAILED', step: 'append' }),
      );
      expect(readFileSync(dir.at('log.jsonl'))).toEqual(before);
      expect(log.append({ type: 'turn', content: 'good' })).toBe(2);
      expect(contentsOf(dir)).toEqual({ seqs: [0, 1, 2], damage: [], hasTail: false });
    },
  );

  it('poisons the log when a short write cannot be cut back, and the next owner repairs it', async () => {
    await using dir = await tempDir({ isInMemory: true });
    const fileSystem = new FailingFileSystem();
    const log = openLog(dir, { fileSystem, turns: 1 });
    let isShort = true;
    const broken: FileSystem = {
      ...nodeFileSystem,
      write: (descriptor, buffer, offset, length, position) =>
        nodeFileSystem.write(descriptor, buffer, offset, isShort ? 10 : length, position),
      truncate() {
        throw new Error('no');
      },
    };
    log.close();
    const poisoned = openLog(dir, { fileSystem: broken });
    expect(() => poisoned.append({ type: 'turn' })).toThrow(expect.objectContaining({ fault: 'full' }));
    isShort = false;
    expect(() => poisoned.append({ type: 'turn' })).toThrow(
      expect.objectContaining({ code: 'LOG_POISONED' }),
    );
    poisoned.close();
    using next = openLog(dir);
    expect(next.repairs).toMatchObject([{ action: 'cut', length: 10 }]);
    expect(next.append({ type: 'turn' })).toBe(2);
    expect(contentsOf(dir)).toEqual({ seqs: [0, 1, 2], damage: [], hasTail: false });
  });

  it('never acknowledges again after a failed sync', async () => {
    await using dir = await tempDir({ isInMemory: true });
    const fileSystem = new FailingFileSystem();
    using log = openLog(dir, { fileSystem, turns: 1 });
    fileSystem.arm({ fault: 'EIO', at: 1, only: ['syncData'] });
    expect(() => log.append({ type: 'turn' })).toThrow(
      expect.objectContaining({ code: 'STORAGE_FAILED', step: 'sync' }),
    );
    for (let tries = 0; tries < 3; tries++) {
      expect(() => log.append({ type: 'turn' })).toThrow(
        expect.objectContaining({ code: 'LOG_POISONED', cause: expect.objectContaining({ code: 'EIO' }) }),
      );
    }
    expect(contentsOf(dir).seqs).toEqual([0, 1]);
  });

  it('does not append after a torn end that it failed to inspect', async () => {
    await using dir = await tempDir({ isInMemory: true });
    for (let at = 1; ; at++) {
      const fileSystem = new FailingFileSystem();
      using log = openLog(dir, { fileSystem });
      const before = contentsOf(dir).seqs.length;
      appendFileSync(dir.at('log.jsonl'), '{"type":"turn","con');
      fileSystem.arm({
        fault: 'EIO',
        at,
        only: ['open', 'read', 'truncate', 'close', 'sync', 'rename', 'link'],
      });
      const isFaulty = !succeeds(() => log.append({ type: 'turn' }));
      fileSystem.arm(undefined);
      // A retry must either append in good order or be refused.
      if (isFaulty) succeeds(() => log.append({ type: 'turn' }));
      log.close();
      openLog(dir).close();
      expect(contentsOf(dir).damage, `fault at call ${at}`).toEqual([]);
      expect(contentsOf(dir).seqs.length - before, `fault at call ${at}`).toBeLessThanOrEqual(1);
      if (!isFaulty) break;
    }
  });

  it('does not read uninitialised memory when the end is shorter than expected', async () => {
    await using dir = await tempDir({ isInMemory: true });
    openLog(dir, { turns: 2 }).close();
    const fileSystem: FileSystem = {
      ...nodeFileSystem,
      read: (descriptor, buffer, offset, length, position) =>
        nodeFileSystem.read(descriptor, buffer, offset, Math.min(length, 7), position),
    };
    using log = openLog(dir, { fileSystem });
    expect({ repairs: log.repairs, next: log.nextSeq }).toEqual({ repairs: [], next: 3 });
    expect(readdirSync(dir.path)).toEqual(['log.jsonl']);
  });
});

describe('the end of a log', () => {
  it('is repaired whatever byte it was torn at, and the torn bytes are kept', async () => {
    await using dir = await tempDir({ isInMemory: true });
    openLog(dir, { turns: 2 }).close();
    const whole = readFileSync(dir.at('log.jsonl'));
    const lastLine = whole.lastIndexOf(0x0a, whole.length - 2) + 1;
    for (let length = lastLine; length < whole.length; length++) {
      await using other = await tempDir({ isInMemory: true });
      const path = other.at('log.jsonl');
      writeFileSync(path, whole.subarray(0, length));
      using log = JsonlLog.open(storageTools(), path, { sessionId, lock: held });
      const isSealed = length === whole.length - 1;
      expect(log.append({ type: 'turn' })).toBe(isSealed ? 3 : 2);
      expect(contentsOf(other)).toEqual({
        seqs: isSealed ? [0, 1, 2, 3] : [0, 1, 2],
        damage: [],
        hasTail: false,
      });
      const kept = readdirSync(other.path).filter((name) => name !== 'log.jsonl');
      if (length === lastLine) expect([log.repairs, kept]).toEqual([[], []]);
      else if (isSealed) {
        expect(log.repairs).toEqual([{ action: 'sealed', offset: lastLine, length: length - lastLine }]);
        expect(kept).toEqual([]);
      } else {
        expect(kept).toEqual([
          expect.stringMatching(new RegExp(`^log\\.jsonl\\.damaged-\\d{8}T\\d{9}Z-at-${lastLine}$`)),
        ]);
        expect(readFileSync(other.at(kept[0] ?? ''))).toEqual(whole.subarray(lastLine, length));
        expect(log.repairs).toEqual([
          { action: 'cut', offset: lastLine, length: length - lastLine, keptAt: other.at(kept[0] ?? '') },
        ]);
      }
    }
  });

  it.each([
    ['NULs', Buffer.alloc(4_096)],
    ['a megabyte without a line break', Buffer.alloc(1_000_000, 'x')],
    ['NULs and the start of a record', Buffer.concat([Buffer.alloc(100), Buffer.from('{"type":')])],
  ])('%s are set aside', async (_what, tail) => {
    await using dir = await tempDir({ isInMemory: true });
    openLog(dir, { turns: 1 }).close();
    appendFileSync(dir.at('log.jsonl'), tail);
    using log = openLog(dir);
    expect(log.repairs).toMatchObject([{ action: 'cut', length: tail.length }]);
    expect(readFileSync(log.repairs[0]?.keptAt ?? '').equals(tail)).toBe(true);
    expect(log.append({ type: 'turn' })).toBe(2);
    expect(contentsOf(dir)).toEqual({ seqs: [0, 1, 2], damage: [], hasTail: false });
  });

  it('is repaired when it is the whole file', async () => {
    await using dir = await tempDir({ isInMemory: true });
    writeFileSync(dir.at('log.jsonl'), '{"type":"met');
    using log = openLog(dir);
    expect(log.repairs).toMatchObject([{ action: 'cut', offset: 0 }]);
    expect(log.append(first)).toBe(0);
    expect(contentsOf(dir)).toEqual({ seqs: [0], damage: [], hasTail: false });
  });

  it('is inspected again when another program wrote to the file', async () => {
    await using dir = await tempDir({ isInMemory: true });
    using log = openLog(dir, { turns: 1 });
    appendFileSync(dir.at('log.jsonl'), '{"torn');
    expect(log.append({ type: 'turn' })).toBe(2);
    expect(log.repairs).toMatchObject([{ action: 'cut', length: 6 }]);
    expect(contentsOf(dir)).toEqual({ seqs: [0, 1, 2], damage: [], hasTail: false });
  });

  it('is not numbered from a damaged record', async () => {
    await using dir = await tempDir({ isInMemory: true });
    openLog(dir, { turns: 3 }).close();
    appendFileSync(dir.at('log.jsonl'), '{"type":"turn","seq":900,"crc":"00000000"}\n');
    using log = openLog(dir);
    expect(log.append({ type: 'turn' })).toBe(4);
  });
});

describe('a planted thing at the path of a log', () => {
  it.each([
    ['a symbolic link', (path: string) => symlinkSync('/etc/hostname', path)],
    ['a FIFO', (path: string) => makeFifo(path)],
    ['a directory', (path: string) => mkdirSync(path)],
  ])('%s is refused, and nothing stays open', async (_what, put) => {
    await using dir = await tempDir({ isInMemory: true });
    put(dir.at('log.jsonl'));
    const fileSystem = new FailingFileSystem();
    expect(() =>
      JsonlLog.open(storageTools({ fileSystem }), dir.at('log.jsonl'), { sessionId, lock: held }),
    ).toThrow(expect.objectContaining({ code: 'UNSAFE_PATH' }));
    expect(fileSystem.openDescriptors.size).toBe(0);
  });

  it('a missing log is reported as gone', async () => {
    await using dir = await tempDir({ isInMemory: true });
    expect(() => JsonlLog.open(storageTools(), dir.at('log.jsonl'), { sessionId, lock: held })).toThrow(
      expect.objectContaining({ code: 'STORAGE_FAILED', fault: 'gone' }),
    );
  });
});

function succeeds(action: () => unknown): boolean {
  try {
    action();
    return true;
  } catch {
    return false;
  }
}
