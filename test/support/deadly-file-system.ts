import { constants } from 'node:fs';
import { type FileSystem, nodeFileSystem } from '../../src/storage/index.js';

/** The call of its file system at which a worker kills itself. */
export interface KillPlan {
  /** Counted from 1. */
  readonly at: number;
  /** `within` a write: half of it gets written. */
  readonly when: 'before' | 'within' | 'after';
  /** All calls, or only those that change something on disk; a kill between two of these makes no difference. */
  readonly calls: 'all' | 'changes';
}

const CHANGES = new Set([
  'write',
  'truncate',
  'changeMode',
  'rename',
  'link',
  'unlink',
  'makeDirectory',
  'removeDirectory',
]);

function changesSomething(name: string, parameters: readonly unknown[]): boolean {
  return CHANGES.has(name) || (name === 'open' && (Number(parameters[1]) & constants.O_CREAT) !== 0);
}

function die(): never {
  process.kill(process.pid, 'SIGKILL');
  // The signal is on its way: nothing more may happen.
  for (;;) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_000);
}

/** The kernel does not stop in the middle of a few bytes, but may in the middle of many. */
const FEW_BYTES = 16;

function writeHalf([descriptor, buffer, offset, length, position]: Parameters<FileSystem['write']>): void {
  if (length <= FEW_BYTES) return;
  nodeFileSystem.write(descriptor, buffer, offset, Math.floor(length / 2), position);
  die();
}

/** The real file system, except that this process dies at one of its calls. */
export function deadlyFileSystem(plan: KillPlan | undefined): { fileSystem: FileSystem; count(): number } {
  let seen = 0;
  const fileSystem = new Proxy(nodeFileSystem, {
    get(target, property) {
      const name = property as keyof FileSystem;
      const call = target[name] as (...parameters: unknown[]) => unknown;
      return (...parameters: unknown[]) => {
        if (plan?.calls === 'all' || changesSomething(name, parameters)) seen += 1;
        else return call(...parameters);
        const isDue = plan !== undefined && seen === plan.at;
        if (isDue && plan.when === 'before') die();
        if (isDue && plan.when === 'within' && name === 'write')
          writeHalf(parameters as Parameters<FileSystem['write']>);
        const result = call(...parameters);
        if (isDue) die();
        return result;
      };
    },
  });
  return { fileSystem, count: () => seen };
}
