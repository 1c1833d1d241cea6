import { existsSync, readdirSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  acquireLock,
  createFile,
  describeOwner,
  type FileSystem,
  forceUnlock,
  inspectLock,
  JsonlLog,
  Lock,
  type LockState,
  type LockTools,
  nodeFileSystem,
  readFile,
  readLog,
  replaceFile,
  tryAcquireLock,
} from '../../../src/storage/index.js';
import { processFacts } from '../../support/processes.js';
import { SeededRandom } from '../../support/seeded-random.js';
import { storageTools } from '../../support/storage-tools.js';
import { serve, tell } from '../../support/worker-side.js';

// A process that does real work on storage and may be killed at any instant. Acknowledgements are sent as notes.

export const SESSION = 'session-1';

export interface Acknowledged {
  readonly acknowledged: number;
}

/** What a fresh process finds. */
export interface Found {
  readonly takenOver: boolean;
  readonly seqs: (number | null)[];
  readonly damage: string[];
  readonly repairs: string[];
  readonly status: string | undefined;
}

export type KillableOperation = 'replace' | 'create' | 'append' | 'lock' | 'take over';

let heldLock: Lock | undefined;
let openLog: JsonlLog | undefined;

const handlers = {
  pid: (): number => process.pid,

  /** Runs one operation, killing itself right before its k-th call; returns how many calls it made. */
  runOnce({
    operation,
    directory,
    killBefore,
  }: {
    operation: KillableOperation;
    directory: string;
    killBefore: number;
  }) {
    const calls = { count: 0 };
    const tools = storageTools({ fileSystem: suicidal(killBefore, calls) });
    perform(operation, tools, directory);
    return calls.count;
  },

  /** Takes the lock at the first attempt, repairs and reads the log, and is ready to append. */
  recover({ directory }: { directory: string }): Found {
    const tools = storageTools();
    const path = join(directory, 'log');
    heldLock = take(tools, path);
    JsonlLog.create(tools, `${path}.jsonl`, SESSION, { type: 'metadata' });
    openLog = JsonlLog.open(tools, `${path}.jsonl`, { sessionId: SESSION, lock: heldLock });
    const { records, damage } = readLog(nodeFileSystem, `${path}.jsonl`, { sessionId: SESSION });
    return {
      takenOver: heldLock.takenOver,
      seqs: records.map(({ seq }) => seq),
      damage: damage.map(({ detail }) => detail),
      repairs: openLog.repairs.map(({ action }) => action),
      status: readFile(nodeFileSystem, join(directory, 'status.json')),
    };
  },

  /** Appends and acknowledges until it is killed. */
  appendForEver({ directory, seed }: { directory: string; seed: number }): void {
    const random = new SeededRandom(seed);
    const tools = storageTools();
    for (;;) {
      const content = 'x'.repeat(random.below(3_000));
      const seq = openLog?.append({ type: 'turn', content });
      if (random.chance(0.2))
        replaceFile(tools, join(directory, 'status.json'), JSON.stringify({ seq, content }));
      tell({ acknowledged: seq } as Acknowledged);
    }
  },

  /** One attempt at the lock, with random pauses between its calls; once inside, checks that it is alone. */
  contend({ path, seed }: { path: string; seed: number }) {
    const tools = storageTools({ fileSystem: hesitant(new SeededRandom(seed)) });
    const outcome = tryAcquireLock(tools, path);
    if (!(outcome instanceof Lock)) return { taken: false as const, reason: describeOwner(outcome) };
    const others = beInside(path);
    outcome.release();
    return { taken: true as const, takenOver: outcome.takenOver, epoch: outcome.epoch, others };
  },

  /** Takes the lock again and again until it is killed, and reports when it was not alone. */
  contendForEver({ path, seed }: { path: string; seed: number }): void {
    const tools = storageTools({ fileSystem: hesitant(new SeededRandom(seed)) });
    for (;;) {
      const outcome = tryAcquireLock(tools, path);
      if (!(outcome instanceof Lock)) continue;
      const others = beInside(path);
      tell({ epoch: outcome.epoch, takenOver: outcome.takenOver, others } satisfies Turn);
      outcome.release();
    }
  },

  async hold({ path }: { path: string }): Promise<number> {
    heldLock = await acquireLock(storageTools(), path, { waitMs: 0 });
    return heldLock.epoch;
  },

  /** A commit the way storage makes it: the lock is checked first. */
  commit({ path, text }: { path: string; text: string }): void {
    heldLock?.assertHeld();
    replaceFile(storageTools(), path, text);
  },

  release(): void {
    heldLock?.release();
  },

  tryLock({ path }: { path: string }): { taken: boolean; state?: LockState } {
    const outcome = tryAcquireLock(storageTools(), path);
    if (!(outcome instanceof Lock)) return { taken: false, state: outcome };
    heldLock = outcome;
    return { taken: true };
  },

  inspect: ({ path }: { path: string }): LockState => inspectLock(storageTools(), path),

  force: ({ path }: { path: string }): LockState => forceUnlock(storageTools(), path),

  /** Adds one to the number in a file this many times, each time under the lock. */
  async increment({ path, times }: { path: string; times: number }): Promise<void> {
    const tools = storageTools();
    for (let time = 0; time < times; time++) {
      using lock = await acquireLock(tools, path, { waitMs: 300_000 });
      const value = Number(readFile(nodeFileSystem, path) ?? '0');
      lock.assertHeld();
      replaceFile(tools, path, String(value + 1));
    }
  },

  /** Creates a log and appends this many records under the lock. */
  writeLog({ path, records }: { path: string; records: number }): void {
    const tools = storageTools();
    using lock = take(tools, path);
    JsonlLog.create(tools, `${path}.jsonl`, SESSION, recordOf(0));
    using log = JsonlLog.open(tools, `${path}.jsonl`, { sessionId: SESSION, lock });
    for (let seq = 1; seq < records; seq++) log.append(recordOf(seq));
  },

  /** Reads a log again and again until it has this many records; reports what was wrong with any reading. */
  readUntil({ path, records }: { path: string; records: number }): { readings: number; wrong: string[] } {
    const wrong: string[] = [];
    let readings = 0;
    for (let seen = 0; seen < records; ) {
      const reading = readLog(nodeFileSystem, `${path}.jsonl`, { sessionId: SESSION });
      readings += 1;
      if (reading.damage.length > 0) wrong.push(`damage: ${reading.damage[0]?.detail}`);
      for (const [index, { seq, value }] of reading.records.entries()) {
        if (seq !== index || value.content !== recordOf(index).content)
          wrong.push(`record ${seq} at ${index}`);
      }
      if (reading.records.length < seen) wrong.push(`${reading.records.length} records after ${seen}`);
      seen = reading.records.length;
    }
    return { readings, wrong: wrong.slice(0, 5) };
  },
};

export type StorageWorker = typeof handlers;

/** One stay inside a lock. */
export interface Turn {
  readonly epoch: number;
  readonly takenOver: boolean;
  /** Who else was inside. */
  readonly others: string[];
}

serve(handlers);

function perform(operation: KillableOperation, tools: LockTools, directory: string): void {
  if (operation === 'replace') replaceFile(tools, join(directory, 'file'), 'new content');
  else if (operation === 'create') createFile(tools, join(directory, 'file'), 'new content');
  else if (operation === 'append') {
    const lock = { assertHeld() {} };
    using log = JsonlLog.open(tools, join(directory, 'log.jsonl'), { sessionId: SESSION, lock });
    tell({ acknowledged: log.append({ type: 'turn', content: 'one' }) } as Acknowledged);
    tell({ acknowledged: log.append({ type: 'turn', content: 'two' }) } as Acknowledged);
  } else {
    const lock = take(tools, join(directory, 'log'));
    lock.assertHeld();
    lock.release();
  }
}

function take(tools: LockTools, path: string): Lock {
  const outcome = tryAcquireLock(tools, path);
  if (outcome instanceof Lock) return outcome;
  throw new Error(`not taken at the first try: ${describeOwner(outcome)}`);
}

/** Kills this process right before one of its calls; /proc does not count. */
function suicidal(killBefore: number, calls: { count: number }): FileSystem {
  return wrapEach((first) => {
    if (typeof first === 'string' && first.startsWith('/proc/')) return;
    calls.count += 1;
    if (calls.count === killBefore) die();
  });
}

function die(): never {
  process.kill(process.pid, 'SIGKILL');
  for (;;) pause(1_000);
}

/** Pauses occasionally between calls, so that others get in between. */
function hesitant(random: SeededRandom): FileSystem {
  return wrapEach(() => {
    if (random.chance(0.15)) pause(random.next() * 0.5);
  });
}

function wrapEach(before: (first: unknown) => void): FileSystem {
  return new Proxy(nodeFileSystem, {
    get(target, name: keyof FileSystem) {
      const method = target[name] as (...parameters: unknown[]) => unknown;
      return (...parameters: unknown[]) => {
        before(parameters[0]);
        return method.apply(target, parameters);
      };
    },
  });
}

const nothing = new Int32Array(new SharedArrayBuffer(4));

function pause(ms: number): void {
  Atomics.wait(nothing, 0, 0, ms);
}

/**
 * Stays inside for a moment and returns who else is there. Each one puts up its own mark before it looks for others, so
 * of two at least one sees the other. Marks of the dead are taken down.
 */
function beInside(path: string): string[] {
  const own = `${path}.inside.${process.pid}`;
  writeFileSync(own, '', { flag: 'wx' });
  const others: string[] = [];
  for (let look = 0; look < 3; look++) {
    const { directory, prefix } = { directory: join(path, '..'), prefix: 'inside.' };
    for (const name of readdirSync(directory)) {
      const at = name.indexOf(prefix);
      const pid = Number(name.slice(at + prefix.length));
      if (at === -1 || pid === process.pid) continue;
      const state = processFacts(pid)?.state;
      if (state === undefined || state === 'Z' || state === 'X') removeMark(join(directory, name));
      else if (existsSync(join(directory, name))) others.push(name);
    }
    pause(0.05);
  }
  unlinkSync(own);
  return others;
}

function removeMark(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // Another one was faster.
  }
}

function recordOf(seq: number): { type: string; content: string } {
  return { type: 'turn', content: `${seq}:${'y'.repeat((seq * 7_919) % 9_000)}` };
}
