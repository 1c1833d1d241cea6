import { describeEvent } from '../../agents/index.js';
import { isWorthKeeping, type RunViewEvent, type ToldLine } from '../../models/run-view/index.js';
import type { RunEvent } from '../../run/index.js';
import { causeOfWait, untilOf } from '../../sessions/loop/index.js';

type RunTold = Extract<RunViewEvent, { type: 'run' }>;

/** An event of the run with the words for it. `describe` is what the plain view says. */
export function withWords(
  event: RunEvent,
  describe: (event: RunEvent) => readonly ToldLine[],
  nowMs: number,
): RunTold {
  const doing = event.type === 'agent' ? describeEvent(event.event) : undefined;
  return { type: 'run', event, lines: linesOf(event, describe, nowMs), doing, nowMs };
}

function linesOf(
  event: RunEvent,
  describe: (event: RunEvent) => readonly ToldLine[],
  nowMs: number,
): readonly ToldLine[] {
  if (event.type !== 'waiting') return isWorthKeeping(event) ? describe(event) : [];
  return event.until === null
    ? []
    : [
        {
          text: `waits: ${causeOfWait(event)}, ${untilOf({ ...event, until: event.until }, new Date(nowMs))}`,
          tone: 'plain',
        },
      ];
}
