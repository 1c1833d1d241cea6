import { silentLogger } from '../../src/foundation/index.js';
import {
  type DirectoryWatcher,
  type FileSystem,
  Lock,
  type LockTools,
  tryAcquireLock,
} from '../../src/storage/index.js';
import { type Fate, SteppedProgram } from './interleaving.js';
import { LockFileSystem } from './memory-file-system.js';
import type { SeededRandom } from './seeded-random.js';

export const LOCK = '/sessions/session';
const NOW = new Date('2026-03-01T12:00:00.000Z');
/** Higher than any pid the kernel assigns, so the real kernel always reports it as gone. */
export const FIRST_PID = 5_000_000;

export interface Taker {
  readonly name: string;
  readonly program: SteppedProgram;
  readonly pid: number;
  isInside: boolean;
  isKilled: boolean;
}

/**
 * The lock protocol, one file-system call at a time. Takers are stopped and killed between any two calls, and readdir
 * may or may not show names that appear or vanish meanwhile.
 */
export class LockWorld {
  readonly fileSystem = new LockFileSystem(NOW, ['/sessions', '/trash']);
  readonly takers: Taker[] = [];
  readonly #fate: Fate;

  constructor(fate: Fate) {
    this.#fate = fate;
  }

  /** A taker that takes the lock this often, stays inside for two checks, and releases it (or keeps it). */
  taker(name: string, options: { rounds?: number; keeps?: boolean } = {}): Taker {
    const pid = FIRST_PID + this.takers.length;
    this.fileSystem.processes.set(pid, `start-${name}`);
    const program = new SteppedProgram(this.fileSystem, this.#fate, (fileSystem) => {
      taker.isInside = false;
      const tools = toolsOf(fileSystem, name, pid);
      for (let round = 0; round < (options.rounds ?? 1); round++) {
        const outcome = tryAcquireLock(tools, LOCK);
        if (!(outcome instanceof Lock)) continue;
        taker.isInside = true;
        outcome.isHeld();
        outcome.isHeld();
        if (options.keeps === true) return;
        taker.isInside = false;
        outcome.release();
      }
    });
    const taker: Taker = { name, program, pid, isInside: false, isKilled: false };
    this.takers.push(taker);
    return taker;
  }

  kill(taker: Taker): void {
    this.fileSystem.processes.delete(taker.pid);
    taker.isKilled = true;
  }

  inside(): string[] {
    return this.takers.filter((taker) => taker.isInside && !taker.isKilled).map((taker) => taker.name);
  }
}

/** Four takers that run in bursts, some killed midway; ends when two are inside or all are done. */
export function runRandomSchedule(random: SeededRandom): { holders: string[]; steps: string[] } {
  const failures = random.chance(0.3) ? 0.02 : 0;
  const world = new LockWorld({
    isListed: () => random.chance(0.5),
    errorOf: (call) => {
      if (!random.chance(failures)) return undefined;
      if (call === 'list') return 'EMFILE';
      return call === 'unlink' ? 'EIO' : undefined;
    },
  });
  for (const name of ['a', 'b', 'c', 'd']) world.taker(name, { rounds: 3 });
  const steps: string[] = [];
  for (;;) {
    const ready = world.takers.filter((taker) => !taker.program.isDone && !taker.isKilled);
    if (ready.length === 0) return { holders: [], steps };
    const taker = random.pick(ready);
    if (random.chance(0.02)) {
      world.kill(taker);
      steps.push(`kill:${taker.name}`);
      continue;
    }
    const calls = random.chance(0.5) ? 1 + random.below(3) : 1 + random.below(40);
    stepTolerantly(taker, calls);
    steps.push(`${taker.name}${calls}`);
    if (world.inside().length > 1) return { holders: world.inside(), steps };
  }
}

/** A program that meets an injected error ends there, as a command would; its process stays alive. */
function stepTolerantly(taker: Taker, calls: number): void {
  try {
    taker.program.step(calls);
  } catch {
    taker.isInside = false;
    taker.program.isDone = true;
  }
}

export function toolsOf(fileSystem: FileSystem, name: string, pid: number): LockTools {
  let tokens = 0;
  return {
    fileSystem,
    ids: { uuid: () => `${name}-uuid`, token: () => `${name}-${tokens++}` },
    clock: { now: () => NOW, monotonicMs: () => 0, sleep: () => Promise.resolve() },
    log: silentLogger,
    watcher: undefined as unknown as DirectoryWatcher,
    identity: { pid, startTime: `start-${name}`, bootId: 'boot', pidNamespace: 'pid:[1]', host: 'here' },
    command: name,
  };
}
