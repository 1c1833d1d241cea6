import type { Clock } from '../../foundation/index.js';
import { type FileSystem, readFile } from '../../storage/index.js';

/** Time since the machine was started, including suspend. Leases here are measured in it. */
export interface BootClock {
  bootMs(): number;
}

/**
 * `/proc/uptime` if it exists: nobody can set this clock, and it does not stop in suspend. Elsewhere, whichever of wall
 * and monotonic time has advanced further, so that a deadline is never later than it should be.
 */
export function bootClock(fileSystem: FileSystem, clock: Clock): BootClock {
  const started = { wallMs: clock.now().getTime(), monotonicMs: clock.monotonicMs() };
  return {
    bootMs() {
      const seconds = Number(readUptime(fileSystem)?.split(' ')[0]);
      if (Number.isFinite(seconds)) return seconds * 1_000;
      return Math.max(clock.now().getTime() - started.wallMs, clock.monotonicMs() - started.monotonicMs);
    },
  };
}

function readUptime(fileSystem: FileSystem): string | undefined {
  try {
    return readFile(fileSystem, '/proc/uptime');
  } catch {
    return undefined; // not Linux, or not readable: the other clocks are used
  }
}
