import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { HoldfastError, record, whole } from '../../src/foundation/index.js';
import {
  acquireLock,
  closeReleased,
  createFile,
  ensureDirectory,
  forceUnlock,
  inspectLock,
  JsonlLog,
  keepDamagedBytes,
  Lock,
  type LockTools,
  nodeFileSystem,
  readDocument,
  readLastRecords,
  readLog,
  replaceFile,
  setAside,
  Trash,
  tryAcquireLock,
} from '../../src/storage/index.js';
import { FailingFileSystem, type Fault } from '../support/failing-file-system.js';
import { FakeClock } from '../support/fake-clock.js';
import { deadIdentity } from '../support/processes.js';
import { storageTools } from '../support/storage-tools.js';
import { tempDir } from '../support/temp-dir.js';

// Runs every operation of storage with its N-th call failing, for every N until it runs through untouched: failing
// once, and failing from there on for ever. It demands a typed error or success, nothing left open, no temporary file
// left behind, no acknowledged byte lost, and success at the next attempt without the fault.

const FAULTS: readonly Fault[] = ['ENOSPC', 'EIO', 'EACCES', 'EMFILE', 'EROFS', 'SHORT'];
const sessionId = 'session-1';
const held = { assertHeld() {} };

interface World {
  readonly directory: string;
  /** Has the fault while `act` runs, and none before and after. */
  readonly tools: LockTools;
  readonly fileSystem: FailingFileSystem;
  /** What `prepare` and `act` want to remember. */
  readonly acknowledged: number[];
}

interface Operation {
  readonly name: string;
  prepare?(world: World): void;
  act(world: World): unknown;
  /** Checks what is there after `act`, failed or not, and again after a second attempt without the fault. */
  check(world: World, outcome: { readonly isDone: boolean; readonly isRetry: boolean }): void;
}

const operations: readonly Operation[] = [
  {
    name: 'replaceFile: a new file',
    act: ({ tools, directory }) => replaceFile(tools, join(directory, 'file'), 'new content'),
    check({ directory }, { isDone }) {
      const content = textIn(directory, 'file');
      expect(isDone ? ['new content'] : [undefined, 'new content']).toContain(content);
    },
  },
  {
    name: 'replaceFile: an existing file',
    prepare: ({ directory }) => writeFileSync(join(directory, 'file'), 'old content'),
    act: ({ tools, directory }) => replaceFile(tools, join(directory, 'file'), 'new content'),
    check({ directory, fileSystem }, { isDone }) {
      const isShown =
        fileSystem.calls.some((call) => call.name === 'rename') && fileSystem.firstFault !== undefined;
      const content = textIn(directory, 'file');
      if (isDone) expect(content).toBe('new content');
      else expect(isShown ? ['old content', 'new content'] : ['old content']).toContain(content);
    },
  },
  {
    name: 'createFile: none there yet',
    act: ({ tools, directory }) => createFile(tools, join(directory, 'file'), 'ours'),
    check: ({ directory }, { isDone }) =>
      expect(isDone ? ['ours'] : [undefined, 'ours']).toContain(textIn(directory, 'file')),
  },
  {
    name: 'createFile: somebody was first',
    prepare: ({ directory }) => writeFileSync(join(directory, 'file'), 'theirs'),
    act: ({ tools, directory }) => expect(createFile(tools, join(directory, 'file'), 'ours')).toBe(false),
    check: ({ directory }) => expect(textIn(directory, 'file')).toBe('theirs'),
  },
  {
    name: 'JsonlLog.create',
    act: ({ tools, directory }) =>
      JsonlLog.create(tools, join(directory, 'log'), sessionId, { type: 'metadata' }),
    check: ({ directory }, { isDone }) =>
      expect(isDone ? [[0]] : [[], [0]]).toContainEqual(seqsIn(directory)),
  },
  ...[
    { name: 'a clean log', tail: '' },
    { name: 'a torn end', tail: '{"type":"turn","cont' },
    { name: 'an end without LF', tail: '{"type":"turn"}' },
  ].map(
    ({ name, tail }): Operation => ({
      name: `JsonlLog.open: ${name}`,
      prepare: ({ directory }) => makeLog(directory, tail),
      act: ({ tools, directory }) => openLog(tools, directory).close(),
      check({ directory }, { isDone }) {
        const { records, damage } = readLog(nodeFileSystem, join(directory, 'log'), { sessionId });
        expect(records.slice(0, 2).map(({ seq }) => seq)).toEqual([0, 1]);
        expect(damage).toEqual([]);
        if (isDone) expect(readFileSync(join(directory, 'log')).at(-1)).toBe(0x0a);
        if (name === 'a torn end') expectKept(directory, tail);
      },
    }),
  ),
  appending('append', 1),
  appending('appendAll', 3),
  appending('append behind what somebody else tore', 1, '{"type":"turn","cont'),
  {
    name: 'acquireLock and release',
    act: takeAndRelease,
    check: ({ directory }) => expectTakeable(directory),
  },
  {
    name: 'acquireLock: over a free one',
    prepare: ({ directory }) => take(storageTools(), join(directory, 'session')).release(),
    act: takeAndRelease,
    check: ({ directory }) => expectTakeable(directory),
  },
  {
    name: 'acquireLock: over a dead one',
    prepare: ({ directory }) => writeFileSync(join(directory, 'session.lock.4'), ''),
    act: takeAndRelease,
    check: ({ directory }) => expectTakeable(directory),
  },
  {
    name: 'inspectLock',
    prepare: ({ directory }) => writeFileSync(join(directory, 'session.lock.4'), 'rubbish'),
    act: ({ tools, directory }) => expect(inspectLock(tools, join(directory, 'session')).hold).toBe('held'),
    check: ({ directory }) => expect(readdirSync(directory)).toEqual(['session.lock.4']),
  },
  {
    name: 'forceUnlock',
    prepare: ({ directory }) => writeFileSync(join(directory, 'session.lock.4'), 'rubbish'),
    act: ({ tools, directory }) => forceUnlock(tools, join(directory, 'session')),
    check({ directory }, { isDone }) {
      const state = inspectLock(storageTools(), join(directory, 'session'));
      expect(isDone ? ['free'] : ['held', 'free']).toContain(state.hold);
    },
  },
  {
    name: 'setAside',
    prepare: ({ directory }) => writeFileSync(join(directory, 'file'), 'damaged'),
    act: ({ tools, directory }) =>
      existsSync(join(directory, 'file')) && setAside(tools, join(directory, 'file')),
    check({ directory }, { isDone }) {
      const kept = readdirSync(directory).filter((name) => name.startsWith('file'));
      for (const name of kept) expect(textIn(directory, name)).toBe('damaged');
      expect(kept.length).toBeGreaterThan(0);
      if (isDone) expect(kept).not.toContain('file');
    },
  },
  {
    name: 'keepDamagedBytes',
    act: ({ tools, directory }) => keepDamagedBytes(tools, join(directory, 'log'), 7, Buffer.from('torn')),
    check: ({ directory }, { isDone }) => isDone && expectKept(directory, 'torn'),
  },
  {
    name: 'Trash.take',
    prepare: ({ directory }) => makeSession(join(directory, 'a')),
    act: ({ tools, directory }) =>
      existsSync(join(directory, 'a')) && trashIn(tools, directory).take('id', join(directory, 'a')),
    check({ directory }, { isDone }) {
      const places = [
        join(directory, 'a'),
        ...trashIn(storageTools(), directory)
          .entries()
          .map((entry) => entry.path),
      ];
      const found = places.filter((path) => existsSync(join(path, 'file')));
      expect(found).toHaveLength(1);
      if (isDone) expect(found[0]).toContain('trash');
    },
  },
  {
    name: 'Trash.restore',
    prepare({ directory }) {
      makeSession(join(directory, 'a'));
      trashIn(storageTools(), directory).take('id', join(directory, 'a'));
    },
    act({ tools, directory }) {
      const [entry] = trashIn(storageTools(), directory).entries();
      if (entry !== undefined) trashIn(tools, directory).restore(entry, join(directory, 'a'));
    },
    check({ directory }, { isDone }) {
      const places = [
        join(directory, 'a'),
        ...trashIn(storageTools(), directory)
          .entries()
          .map((entry) => entry.path),
      ];
      const found = places.filter((path) => existsSync(join(path, 'file')));
      expect(found).toHaveLength(1);
      if (isDone) expect(found).toEqual([join(directory, 'a')]);
    },
  },
  {
    name: 'Trash.purge',
    prepare({ directory }) {
      for (const name of ['a', 'b']) {
        makeSession(join(directory, name));
        trashIn(storageTools({ clock: new FakeClock() }), directory).take(name, join(directory, name));
      }
    },
    act: ({ tools, directory }) => trashIn(tools, directory).purge(1_000),
    check: ({ directory }, { isDone }) =>
      isDone && expect(trashIn(storageTools(), directory).entries()).toEqual([]),
  },
  {
    name: 'ensureDirectory',
    act: ({ tools, directory }) => ensureDirectory(tools.fileSystem, join(directory, 'a', 'b', 'c')),
    check({ directory }, { isDone }) {
      if (isDone) expect(statSync(join(directory, 'a', 'b', 'c')).mode & 0o7777).toBe(0o700);
    },
  },
  {
    name: 'readDocument',
    prepare: ({ directory }) => writeFileSync(join(directory, 'file'), '{"total":3}'),
    act({ tools, directory }) {
      const found = readDocument(tools.fileSystem, join(directory, 'file'), record({ total: whole() }));
      expect(found).toEqual({ total: 3 });
    },
    check: ({ directory }) => expect(textIn(directory, 'file')).toBe('{"total":3}'),
  },
  {
    name: 'readLog and readLastRecords',
    prepare: ({ directory }) => makeLog(directory, ''),
    act({ tools, directory }) {
      expect(readLog(tools.fileSystem, join(directory, 'log'), { sessionId }).records).toHaveLength(2);
      expect(
        readLastRecords(tools.fileSystem, join(directory, 'log'), 1, { sessionId }).records,
      ).toHaveLength(1);
    },
    check: ({ directory }) => expect(seqsIn(directory)).toEqual([0, 1]),
  },
  {
    name: 'DirectoryWatcher.watch',
    act: ({ tools, directory }) => tools.watcher.watch(directory, () => {}).close(),
    check: () => {},
  },
];

describe.each(operations)('$name', (operation) => {
  it.each(FAULTS)('%s at every call', async (fault) => {
    for (const isLasting of [false, true]) {
      for (let at = 1; ; at++) {
        const fired = await failAt(operation, fault, at, isLasting);
        if (fired === 0) break;
      }
    }
  });
});

/** Runs an operation once with one fault and checks everything; returns how often the fault occurred. */
async function failAt(operation: Operation, fault: Fault, at: number, isLasting: boolean): Promise<number> {
  await using dir = await tempDir({ isInMemory: true });
  const fileSystem = new FailingFileSystem();
  // A process that fails for ever cannot even record that it lets go; its death does that. A passing fault must not
  // need it.
  const identity = isLasting ? await ghost : undefined;
  const clock = new FakeClock({ now: '2026-03-02T12:00:00.000Z', autoAdvance: true });
  const tools = storageTools({ fileSystem, clock, ...(identity === undefined ? {} : { identity }) });
  const world: World = { directory: dir.path, tools, fileSystem, acknowledged: [] };
  operation.prepare?.(world);
  fileSystem.arm({ fault, at, isLasting });
  const failure = await failureOf(operation, world);
  const { fired, firstFault } = fileSystem;
  const what = `${isLasting ? 'lasting ' : ''}${fault} from call ${at} on (${firstFault})`;
  if (failure !== undefined && !(failure instanceof HoldfastError))
    throw new Error(`${what}: untyped`, { cause: failure });
  closeReleased(fileSystem);
  expect([...fileSystem.openDescriptors.values()], `${what}: left open`).toEqual([]);
  expect(leftBehind(dir.path, fileSystem), `${what}: left behind`).toEqual([]);
  telling(what, () => operation.check(world, { isDone: failure === undefined, isRetry: false }));
  fileSystem.arm(undefined);
  const second = await failureOf(operation, world);
  expect(second, `${what}: the next try`).toBeUndefined();
  telling(`${what}, tried again`, () => operation.check(world, { isDone: true, isRetry: true }));
  closeReleased(fileSystem);
  expect([...fileSystem.openDescriptors.values()], `${what}: left open`).toEqual([]);
  return fired;
}

const ghost = deadIdentity();

async function failureOf(operation: Operation, world: World): Promise<unknown> {
  try {
    await operation.act(world);
    return undefined;
  } catch (error) {
    return error ?? new Error('thrown: nothing');
  }
}

function telling(what: string, check: () => void): void {
  try {
    check();
  } catch (error) {
    throw new Error(what, { cause: error });
  }
}

/** Temporary files that stayed although nothing prevented their removal. */
function leftBehind(directory: string, fileSystem: FailingFileSystem): string[] {
  return readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .filter((name) => {
      const last = name.slice(name.lastIndexOf('/') + 1);
      return last.endsWith('.tmp') || last.endsWith('.candidate') || last.startsWith('.holdfast-probe-');
    })
    .filter((name) => !fileSystem.unremovable.has(join(directory, name)));
}

function appending(name: string, count: number, tornByOthers?: string): Operation {
  return {
    name,
    prepare: ({ directory }) => makeLog(directory, ''),
    act({ tools, directory, fileSystem, acknowledged }) {
      // Opening is an operation of its own: here only the appends may fail.
      const isFaultDue = fileSystem.fired === 0 && fileSystem.firstFault === undefined;
      const log = fileSystem.suspended(() => openLog(tools, directory));
      if (tornByOthers !== undefined && isFaultDue) appendFileSync(join(directory, 'log'), tornByOthers);
      try {
        acknowledged.push(log.appendAll(Array.from({ length: count }, () => ({ type: 'turn' }))));
      } finally {
        expectHonestAfterwards(log, fileSystem, acknowledged);
        log.close();
      }
    },
    check({ directory, acknowledged }) {
      const { records, damage } = readLog(nodeFileSystem, join(directory, 'log'), { sessionId });
      expect(damage).toEqual([]);
      const seqs = records.map(({ seq }) => seq);
      expect(seqs).toEqual(seqs.map((_, index) => index));
      for (const seq of acknowledged) expect(seqs).toContain(seq);
      if (tornByOthers !== undefined) expect(readdirSync(directory).length).toBeGreaterThan(0);
    },
  };
}

/** A writer that met a failed sync never acknowledges again; any other writer does, or says why not. */
function expectHonestAfterwards(log: JsonlLog, fileSystem: FailingFileSystem, acknowledged: number[]): void {
  const failedAt = fileSystem.firstFault;
  if (failedAt === undefined) return;
  const isSyncLost = failedAt.startsWith('syncData');
  for (let tries = 0; tries < 2; tries++) {
    try {
      acknowledged.push(log.append({ type: 'later' }));
      expect(isSyncLost, 'acknowledged after a failed sync').toBe(false);
    } catch (error) {
      expect(error).toBeInstanceOf(HoldfastError);
      if (isSyncLost) expect(error).toMatchObject({ code: 'LOG_POISONED' });
    }
  }
}

async function takeAndRelease({ tools, directory }: World): Promise<void> {
  const lock = await acquireLock(tools, join(directory, 'session'), { waitMs: 0 });
  try {
    lock.assertHeld();
  } finally {
    lock.release();
  }
}

/** Another process gets the lock at its first attempt. */
function expectTakeable(directory: string): void {
  const lock = take(storageTools(), join(directory, 'session'));
  expect(lock.isHeld()).toBe(true);
  lock.release();
}

function take(tools: LockTools, path: string): Lock {
  const outcome = tryAcquireLock(tools, path);
  if (outcome instanceof Lock) return outcome;
  throw new Error(`not taken: ${outcome.reason}`);
}

function makeLog(directory: string, tail: string): void {
  JsonlLog.create(storageTools(), join(directory, 'log'), sessionId, { type: 'metadata' });
  using log = openLog(storageTools(), directory);
  log.append({ type: 'turn' });
  appendFileSync(join(directory, 'log'), tail);
}

function openLog(tools: LockTools, directory: string): JsonlLog {
  return JsonlLog.open(tools, join(directory, 'log'), { sessionId, lock: held });
}

function seqsIn(directory: string): (number | null)[] {
  return readLog(nodeFileSystem, join(directory, 'log'), { sessionId }).records.map(({ seq }) => seq);
}

/** The torn bytes are still at the end of the log, or in a file beside it. */
function expectKept(directory: string, torn: string): void {
  const isThere = readdirSync(directory).some((name) => textIn(directory, name)?.endsWith(torn));
  expect(isThere, 'the torn bytes are kept').toBe(true);
}

function makeSession(path: string): void {
  mkdirSync(path);
  writeFileSync(join(path, 'file'), 'content');
}

function trashIn(tools: LockTools, directory: string): Trash {
  return new Trash(tools, join(directory, 'trash'));
}

function textIn(directory: string, name: string): string | undefined {
  const path = join(directory, name);
  return existsSync(path) ? readFileSync(path, 'utf8') : undefined;
}
