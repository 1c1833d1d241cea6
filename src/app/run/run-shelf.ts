import type { RunShelf } from '../../run/index.js';
import type { Services } from '../services.js';

/** What is needed to read the status of a run. Running one needs more than commands that start often should load. */
export function runShelf({ tools, clock, log, questions, config }: Services): RunShelf {
  return { tools, clock, log, questions, runs: config.layout.runs, worktrees: config.layout.worktrees };
}
