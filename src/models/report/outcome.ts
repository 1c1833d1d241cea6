import type { RunReport } from '../../run/index.js';
import { line } from './words.js';

/** How a run stands: a sign, a word, and why. */
export interface RunOutcome {
  readonly sign: string;
  readonly word: string;
  readonly tone: 'is-good' | 'is-bad' | 'is-resting' | 'is-working';
  readonly why: string | null;
}

const OUTCOMES: Readonly<Record<string, Omit<RunOutcome, 'why'>>> = {
  completed: { sign: '✓', word: 'Completed', tone: 'is-good' },
  halted: { sign: '✗', word: 'Stopped by its breaker', tone: 'is-bad' },
  aborted: { sign: '✗', word: 'Given up', tone: 'is-bad' },
  paused: { sign: '‖', word: 'Paused', tone: 'is-resting' },
  suspended: { sign: '‖', word: 'Interrupted', tone: 'is-resting' },
  running: { sign: '●', word: 'Running', tone: 'is-working' },
};

export function outcomeOf({ status, reason, processes, isRunning, iterations }: RunReport): RunOutcome {
  const known = OUTCOMES[status] ?? { sign: '○', word: line(status, 40), tone: 'is-resting' as const };
  const end = processes.at(-1)?.end ?? null;
  const isLost = processes.length > 0 && end === null && !isRunning;
  const words = [
    reason ?? end?.reason ?? null,
    isLost && status !== 'completed' ? 'its last process ended without a word' : null,
    status === 'completed' ? (iterations.at(-1)?.verdict ?? null) : null,
  ].filter((one) => one !== null);
  return { ...known, why: words.length === 0 ? null : line(words.join('; '), 400) };
}
