import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  createFile,
  isTemporaryName,
  JsonlLog,
  Lock,
  nodeFileSystem,
  readLog,
  replaceFile,
  tryAcquireLock,
} from '../../src/storage/index.js';
import { storageTools } from '../support/storage-tools.js';
import { type TempDir, tempDir } from '../support/temp-dir.js';
import { startWorker, WorkerGoneError } from '../support/workers.js';
import type { Acknowledged, KillableOperation, StorageWorker } from './workers/storage-worker.js';

// A real process dies by SIGKILL right before each single call of an operation (which is right after the previous one);
// then this process looks at what it left.

const WORKER = new URL('./workers/storage-worker.ts', import.meta.url);
const SESSION = 'session-1';
const held = { assertHeld() {} };

interface Case {
  readonly operation: KillableOperation;
  prepare(dir: TempDir): void;
  /** What must hold after a kill, and after the operation has run to its end. */
  check(dir: TempDir, acknowledged: readonly number[], isDone: boolean): void;
}

const cases: readonly Case[] = [
  {
    operation: 'replace',
    prepare: (dir) => writeFileSync(dir.at('file'), 'old content'),
    check(dir, _acknowledged, isDone) {
      const content = readFileSync(dir.at('file'), 'utf8');
      expect(isDone ? ['new content'] : ['old content', 'new content']).toContain(content);
      expectOnlyTemporaries(dir, ['file']);
      replaceFile(storageTools(), dir.at('file'), 'later');
      expect(readFileSync(dir.at('file'), 'utf8')).toBe('later');
    },
  },
  {
    operation: 'create',
    prepare: () => {},
    check(dir, _acknowledged, isDone) {
      const content = existsSync(dir.at('file')) ? readFileSync(dir.at('file'), 'utf8') : undefined;
      expect(isDone ? ['new content'] : [undefined, 'new content']).toContain(content);
      expectOnlyTemporaries(dir, ['file']);
      expect(createFile(storageTools(), dir.at('file'), 'later')).toBe(content === undefined);
    },
  },
  {
    operation: 'append',
    prepare: makeLog,
    check: expectLogWhole,
  },
  {
    operation: 'append',
    prepare(dir) {
      makeLog(dir);
      writeFileSync(dir.at('log.jsonl'), '{"type":"turn","torn', { flag: 'a' });
    },
    check: expectLogWhole,
  },
  { operation: 'lock', prepare: () => {}, check: expectTakeableAtOnce },
  {
    operation: 'take over',
    prepare: (dir) => writeFileSync(dir.at('log.lock.6'), ''),
    check: expectTakeableAtOnce,
  },
];

describe.each(cases)('SIGKILL at each call of $operation', ({ operation, prepare, check }) => {
  it('loses nothing that was acknowledged, and needs no repair by hand', async () => {
    let killBefore = 1;
    let isDone = false;
    while (!isDone) {
      const batch = [killBefore, killBefore + 1, killBefore + 2];
      const outcomes = await Promise.all(batch.map((call) => killAt(call)));
      isDone = outcomes.includes(true);
      killBefore += batch.length;
    }
    expect(killBefore).toBeGreaterThan(8);

    /** True if the operation ended before that call. */
    async function killAt(call: number): Promise<boolean> {
      await using dir = await tempDir();
      prepare(dir);
      await using worker = await startWorker<StorageWorker, Acknowledged>(WORKER);
      const acknowledged: number[] = [];
      worker.onNote((note) => acknowledged.push(note.acknowledged));
      const end = await worker
        .call('runOnce', { operation, directory: dir.path, killBefore: call })
        .then(() => true)
        .catch((error: unknown) => {
          expect(error).toBeInstanceOf(WorkerGoneError);
          return false;
        });
      if (!end) expect(await worker.ended).toEqual({ code: null, signal: 'SIGKILL' });
      check(dir, acknowledged, end);
      return end;
    }
  });
});

function makeLog(dir: TempDir): void {
  JsonlLog.create(storageTools(), dir.at('log.jsonl'), SESSION, { type: 'metadata' });
}

function expectLogWhole(dir: TempDir, acknowledged: readonly number[], isDone: boolean): void {
  const log = JsonlLog.open(storageTools(), dir.at('log.jsonl'), { sessionId: SESSION, lock: held });
  const found = seqsIn(dir);
  expect(found.slice(0, 1 + acknowledged.length)).toEqual([0, ...acknowledged]);
  expect(found.length - 1 - acknowledged.length).toBeLessThanOrEqual(isDone ? 0 : 1);
  expect(log.append({ type: 'turn' })).toBe(found.length);
  log.close();
  expect(seqsIn(dir)).toEqual([...found, found.length]);
}

function seqsIn(dir: TempDir): (number | null)[] {
  const { records, damage, tail } = readLog(nodeFileSystem, dir.at('log.jsonl'), { sessionId: SESSION });
  expect([damage, tail]).toEqual([[], undefined]);
  return records.map(({ seq }) => seq);
}

function expectTakeableAtOnce(dir: TempDir): void {
  const lock = tryAcquireLock(storageTools(), dir.at('log'));
  if (!(lock instanceof Lock)) throw new Error(`not taken: ${lock.reason}`);
  expect(lock.isHeld()).toBe(true);
  lock.release();
}

function expectOnlyTemporaries(dir: TempDir, ours: readonly string[]): void {
  const rest = readdirSync(dir.path).filter((name) => !ours.includes(name));
  expect(rest.filter((name) => !ours.some((target) => isTemporaryName(name, target)))).toEqual([]);
  expect(rest.length).toBeLessThanOrEqual(1);
}
