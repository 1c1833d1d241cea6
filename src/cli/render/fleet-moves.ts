import type { LeftBehindRun } from '../../fleet/index.js';
import { shellWord, visibleLine } from '../../foundation/index.js';
import { momentOf } from '../../sessions/loop/index.js';

/** What this machine had of runs that continued elsewhere, and the commands to look at it. */
export function renderLeftBehind(found: readonly LeftBehindRun[], now: Date): string {
  if (found.length === 0) return 'Nothing was left behind here.';
  return found.flatMap((left) => linesOf(left, now)).join('\n');
}

function linesOf(left: LeftBehindRun, now: Date): string[] {
  const { run, worktree, snapshot, repository, ref, machine, since, answers } = left;
  const where = machine === null ? 'on another machine' : `on ${visibleLine(machine)}`;
  const when = since === null ? '' : ` since ${momentOf(since, now)}`;
  const known = snapshot === null ? '' : `, snapshot ${snapshot.slice(0, 12)}`;
  const path = visibleLine(shellWord(worktree));
  return [
    `run ${run.slice(0, 8)} is ${where}${when}; left behind at ${visibleLine(worktree)}${known}`,
    ...(snapshot === null || repository === undefined || ref === undefined
      ? []
      : [
          `  see what only this machine has: git -C ${path} fetch ${visibleLine(shellWord(repository))} ${visibleLine(shellWord(ref))} && git -C ${path} diff ${snapshot.slice(0, 12)}`,
        ]),
    ...answers.map((answer) => `  an answer that was never heard: ${visibleLine(answer)}`),
  ];
}
