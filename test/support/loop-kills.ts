import { existsSync, readdirSync } from 'node:fs';
import { expect } from 'vitest';
import type { LoopWorker, Place, Seen } from '../crash/workers/loop-worker.js';
import type { KillPlan } from './deadly-file-system.js';
import { tempDir } from './temp-dir.js';
import { startWorker, WorkerGoneError, type WorkerProcess } from './workers.js';

const WORKER = new URL('../crash/workers/loop-worker.ts', import.meta.url);

export type Looper = WorkerProcess<LoopWorker, number>;

export function startLooper(): Promise<Looper> {
  return startWorker<LoopWorker, number>(WORKER);
}

export interface LoopStory {
  readonly name: string;
  prepare(worker: Looper, directory: string): Promise<void>;
  act(worker: Looper, place: Place): Promise<unknown>;
  /** What may be seen afterwards; `before` is the state before the kill. */
  assert(before: Seen, after: Seen, isDone: boolean): void;
}

const same = (seen: Seen) => expect(new Set(seen.iterations).size, JSON.stringify(seen)).toBe(1);

export const LOOP_STORIES: readonly LoopStory[] = [
  {
    name: 'create',
    async prepare() {},
    act: (worker, place) => worker.call('create', place),
    assert(_before, after, isDone) {
      if (isDone) expect(after.isFound).toBe(true);
      expect(after.iterations[0]).toBe(0);
    },
  },
  {
    name: 'iterate',
    async prepare(worker, directory) {
      await worker.call('create', { directory });
      await worker.call('iterate', { directory });
    },
    act: (worker, place) => worker.call('iterate', place),
    assert(before, after, isDone) {
      expect(after.sessionId).toBe(before.sessionId);
      expect([1, 2]).toContain(after.iterations[0]);
      if (isDone) expect(after.iterations[0]).toBe(2);
    },
  },
  {
    name: 'a new session over an old one',
    async prepare(worker, directory) {
      await worker.call('create', { directory });
      await worker.call('iterate', { directory });
    },
    act: (worker, place) => worker.call('create', place),
    assert(before, after, isDone) {
      const isOld = after.sessionId === before.sessionId;
      expect(after.iterations[0]).toBe(isOld ? 1 : 0);
      if (isDone) expect(isOld).toBe(false);
    },
  },
  {
    name: 'take requests',
    async prepare(worker, directory) {
      await worker.call('create', { directory });
      const requests = [{ kind: 'guidance', text: 'a' } as const, { kind: 'guidance', text: 'b' } as const];
      await worker.call('send', { directory, requests });
    },
    act: (worker, place) => worker.call('take', place),
    assert(_before, after, isDone) {
      expect([
        [-1, []],
        [2, ['a', 'b']],
      ]).toContainEqual([after.lastRequest, after.guidance]);
      if (isDone) expect(after.lastRequest).toBe(2);
    },
  },
];

/** Kills a process at one call of its file system and has a fresh one look, continue, and commit again. */
export async function killLoopAt(
  story: LoopStory,
  plan: KillPlan,
  relay: LoopRelay,
): Promise<'killed' | 'done'> {
  await using dir = await tempDir({ isInMemory: true });
  const directory = dir.at('.prp-session');
  const victim = relay.current;
  await story.prepare(victim, directory);
  const before = await victim.call('see', { directory });
  let isDone = true;
  try {
    await story.act(victim, { directory, kill: plan });
  } catch (error) {
    if (!(error instanceof WorkerGoneError)) throw error;
    isDone = false;
  }
  const successor = isDone ? victim : await relay.pass();
  const { before: seen, after, blocks } = await successor.call('succeed', { directory });
  for (const look of [seen, after]) {
    expect(look.faults, JSON.stringify(plan)).toEqual([]);
    same(look);
  }
  expect(seen.iterations).toEqual(after.iterations);
  expect(blocks).toBe(after.iterations[0]);
  story.assert(before, after, isDone);
  if (!after.isFound) await successor.call('create', { directory });
  expect(await successor.call('iterate', { directory })).toBe((after.iterations[0] ?? 0) + 1);
  const left = readdirSync(directory).filter((name) => /\.tmp$|redo\.json/.test(name));
  expect(left).toEqual([]);
  expect(existsSync(directory)).toBe(true);
  return isDone ? 'done' : 'killed';
}

/** Processes that take turns; the next one is already being started. */
export class LoopRelay implements AsyncDisposable {
  current: Looper;
  #spare: Promise<Looper>;

  private constructor(first: Looper) {
    this.current = first;
    this.#spare = startLooper();
  }

  static async start(): Promise<LoopRelay> {
    return new LoopRelay(await startLooper());
  }

  async pass(): Promise<Looper> {
    this.current = await this.#spare;
    this.#spare = startLooper();
    return this.current;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.current[Symbol.asyncDispose]();
    await (await this.#spare)[Symbol.asyncDispose]();
  }
}
