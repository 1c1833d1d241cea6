import type { FileSystem } from '../../storage/index.js';
import type { KnownProcess } from '../family.js';
import { isStill } from '../process-table.js';

/** How often a guarded run checks its guard: worker and guard may be killed at the same instant. */
const LOOK_MS = 200;

export interface GuardWatch extends Disposable {
  /** Fires if the guard is gone, or if the deadline has passed and the guard did nothing about it. */
  readonly signal: AbortSignal;
}

/** Inside a guarded run: watches whether it still has a guard, and time. */
export function watchGuard(options: {
  readonly fileSystem: FileSystem;
  readonly guard: KnownProcess;
  readonly bootTimeMs: () => number;
  /** The most recent deadline; it moves. */
  readonly deadlineMs: () => number;
}): GuardWatch {
  const { fileSystem, guard, bootTimeMs, deadlineMs } = options;
  const lost = new AbortController();
  const look = () => {
    if (!isStill(fileSystem, guard)) lost.abort('its guard is gone');
    else if (bootTimeMs() >= deadlineMs()) lost.abort('its lease has run out');
    if (lost.signal.aborted) clearInterval(timer);
  };
  const timer = setInterval(look, LOOK_MS);
  timer.unref();
  look();
  return { signal: lost.signal, [Symbol.dispose]: () => clearInterval(timer) };
}
