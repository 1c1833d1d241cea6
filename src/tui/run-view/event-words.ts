import { isWorthKeeping, type RunViewEvent, type ToldLine } from '../../models/run-view/index.js';
import type { RunEvent } from '../../run/index.js';
import { eventWords } from '../../run/journal/describe-run.js';

type RunTold = Extract<RunViewEvent, { type: 'run' }>;

/** An event of the run with the words for it. `describe` returns what the plain view says. */
export function withWords(
  event: RunEvent,
  describe: (event: RunEvent) => readonly ToldLine[],
  nowMs: number,
): RunTold {
  const words = eventWords(event, new Date(nowMs), { describe, isKept: isWorthKeeping });
  return { type: 'run', event, ...words, nowMs };
}
