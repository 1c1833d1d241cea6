import { uptime } from 'node:os';
import { type FileSystem, readFile } from '../storage/index.js';

/** Where Linux reports how long the machine has been up, including time spent suspended. */
export const UPTIME_FILE = '/proc/uptime';

/**
 * Milliseconds since this machine was started, including time spent asleep: the only clock that neither a person nor a
 * suspended laptop can set back. Except on Linux, it is only as good as what the system reports.
 */
export function bootTimeMs(fileSystem: FileSystem, file = UPTIME_FILE): number {
  if (file === UPTIME_FILE && process.platform !== 'linux') return Math.floor(uptime() * 1_000);
  const [seconds = ''] = (readFile(fileSystem, file) ?? '').split(' ');
  const ms = Math.floor(Number(seconds) * 1_000);
  // A clock that cannot be read is no reason to let an agent live on.
  return Number.isFinite(ms) && seconds !== '' ? ms : Number.POSITIVE_INFINITY;
}
