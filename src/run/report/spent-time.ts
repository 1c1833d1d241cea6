import type { AskedQuestion } from './report-document.js';
import type { RunHistory } from './run-history.js';

type Stretch = readonly [fromMs: number, toMs: number];

/** How long a run waited for a person or a limit, and how long no process ran it. */
export function spentTime(
  { waits, processes, asked }: Pick<RunHistory, 'waits' | 'processes' | 'asked'>,
  questions: readonly AskedQuestion[],
): { readonly waitedMs: number; readonly notRunningMs: number } {
  const lives = processes.map(({ startedAt, lastSeenAt }) => stretchOf(startedAt, lastSeenAt));
  // Questions that the agent asked without the run noticing held nothing up, as far as we know.
  const told = new Set(asked.map(({ id }) => id));
  const answers = questions.filter(({ id, isPermission }) => told.has(id) || isPermission);
  const stretches = [
    ...waits.map(({ from, to }) => stretchOf(from, to)),
    ...answers.map(({ askedAt, answeredAt }) => stretchOf(askedAt, answeredAt ?? askedAt)),
  ];
  const gaps = processes.slice(1).map(({ startedAt }, index): Stretch => {
    return stretchOf(processes[index]?.lastSeenAt ?? startedAt, startedAt);
  });
  return {
    waitedMs: covered(stretches.flatMap((one) => lives.map((life) => within(one, life)))),
    notRunningMs: covered(gaps),
  };
}

function stretchOf(from: string, to: string): Stretch {
  return [Date.parse(from), Date.parse(to)];
}

function within([from, to]: Stretch, [first, last]: Stretch): Stretch {
  return [Math.max(from, first), Math.min(to, last)];
}

/** How long at least one of the stretches lasts. */
function covered(stretches: readonly Stretch[]): number {
  const sorted = stretches.filter(([from, to]) => to > from).sort(([a], [b]) => a - b);
  let [sum, reached] = [0, Number.NEGATIVE_INFINITY];
  for (const [from, to] of sorted) {
    sum += Math.max(0, to - Math.max(from, reached));
    reached = Math.max(reached, to);
  }
  return sum;
}
