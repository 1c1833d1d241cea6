import { join } from 'node:path';
import { type Clock, DAY_MS, type Logger, messageOf } from '../foundation/index.js';
import {
  ensureDirectory,
  readFile,
  removeQuietly,
  replaceQuick,
  type StorageTools,
} from '../storage/index.js';
import type { RetainedKind } from './kind.js';
import { type RetainReport, retain } from './retain.js';

/** How long a command may be held up after its own work. */
const LIMIT_MS = 100;

/**
 * Cleans a kind once a day, and only for a moment: the next start continues where this one stopped, and once everything
 * is done it rests for a day. Never throws, because it comes after the command's own work. Returns undefined if nothing
 * was due.
 */
export async function retainDaily(
  kind: RetainedKind,
  tools: StorageTools & { readonly clock: Clock; readonly log: Logger },
  options: {
    readonly olderThanMs: number;
    readonly except?: readonly string[] | undefined;
    /** Where it records when it was last done, and how far it got. */
    readonly notes: string;
  },
): Promise<Pick<RetainReport, 'retired' | 'isComplete'> | undefined> {
  const { olderThanMs, except, notes } = options;
  const { fileSystem, clock, log } = tools;
  const stamp = join(notes, `${kind.kind}s-cleaned`);
  const place = join(notes, `${kind.kind}s-cleaning`);
  try {
    const last = fileSystem.look(stamp)?.modifiedMs ?? 0;
    if (clock.now().getTime() - last < DAY_MS) return undefined;
    const after = readFile(fileSystem, place);
    const report = await retain(kind, tools, { olderThanMs, limitMs: LIMIT_MS, after, except });
    const { retired, isComplete, reached } = report;
    ensureDirectory(fileSystem, notes);
    if (!isComplete) replaceQuick(tools, place, reached ?? '');
    else {
      removeQuietly(fileSystem, place);
      replaceQuick(tools, stamp, '');
    }
    return { retired, isComplete };
  } catch (error) {
    log.warn(`${kind.kind}.not-cleaned`, { error: messageOf(error) });
    return undefined;
  }
}
