import { basename } from 'node:path';
import { record, text, type ValueOf, whole, withDefault } from '../../foundation/index.js';
import { readFile } from '../bytes/atomic-file.js';
import type { FileSystem } from '../bytes/file-system.js';
import { UnsafePathError } from '../errors.js';
import { judgeLife, PROCESS_KEYS, type ProcessIdentity } from './process-identity.js';

/** What the owner of a lock records about itself. */
const Owner = record({
  version: withDefault(whole(), () => 1),
  ...PROCESS_KEYS,
  token: text,
  command: text,
  since: text,
});
export type LockOwner = Readonly<ValueOf<typeof Owner>>;

/** Who holds a lock. `dead` means proven dead, so it is free to take over; anything doubtful is `held`. */
export interface LockState {
  readonly hold: 'free' | 'dead' | 'held';
  readonly epoch: number;
  readonly owner?: LockOwner;
  readonly reason: string;
}

/** The start of a released record; after it come blanks, or what an interrupted release left of the owner. */
export const FREE = 'free\n';

/** The path of the record of one epoch. */
export function recordPath(path: string, epoch: number): string {
  return `${path}.lock.${epoch}`;
}

/** The highest possible epoch: a number of fifteen digits, which is as many as we read. Taking locks never gets there. */
const MAX_EPOCH = 999_999_999_999_999;

/** The next epoch. Throws UNSAFE_PATH if there is none: then someone planted the record. */
export function epochAfter(path: string, epoch: number): number {
  if (epoch < MAX_EPOCH) return epoch + 1;
  throw new UnsafePathError(
    recordPath(path, epoch),
    'no lock is ever taken that often: remove that file by hand',
  );
}

/** All epochs with a record among the names in a directory, lowest first. */
export function epochsIn(names: readonly string[], path: string): number[] {
  const prefix = `${basename(path)}.lock.`;
  const epochs: number[] = [];
  for (const name of names) {
    if (!name.startsWith(prefix)) continue;
    const digits = name.slice(prefix.length);
    if (/^[1-9][0-9]{0,14}$/.test(digits)) epochs.push(Number(digits));
  }
  return epochs.sort((a, b) => a - b);
}

/**
 * Reads and judges the record of the highest epoch; epoch 0 means that there was never a lock. Undefined if the record
 * is gone: then it is no longer the highest.
 */
export function lockStateAt(
  tools: { fileSystem: FileSystem; identity: ProcessIdentity },
  path: string,
  epoch: number,
): LockState | undefined {
  if (epoch === 0) return { hold: 'free', epoch, reason: 'it was never taken' };
  const content = readFile(tools.fileSystem, recordPath(path, epoch));
  if (content === undefined) return undefined;
  // An owner starts with a brace, so this first letter shows that it had decided to release the lock.
  if (content.startsWith(FREE.charAt(0))) return { hold: 'free', epoch, reason: 'it was released' };
  // A record is linked only after it is completely written, so only power loss leaves it empty or full of NULs.
  if (/^\0*$/.test(content)) return { hold: 'dead', epoch, reason: 'its owner died in a power loss' };
  const owner = parseOwner(content);
  if (owner === undefined) return { hold: 'held', epoch, reason: 'its record cannot be read' };
  const verdict = judgeLife(tools.fileSystem, owner, tools.identity);
  return { hold: verdict.life === 'dead' ? 'dead' : 'held', epoch, owner, reason: verdict.reason };
}

export function serializeOwner(owner: LockOwner): string {
  return `${JSON.stringify(Owner.toDisk(owner))}\n`;
}

function parseOwner(content: string): LockOwner | undefined {
  try {
    return Owner.fromDisk(JSON.parse(content));
  } catch {
    return undefined; // the caller reports "cannot be read"
  }
}
