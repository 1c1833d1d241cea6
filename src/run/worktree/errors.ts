import { HoldfastError, shellWord, visibleExcerpt, visibleLine } from '../../foundation/index.js';
import type { WorktreeRecord } from './record.js';

/** A run cannot have its own worktree here. */
export class WorktreeRefusedError extends HoldfastError<'WORKTREE_REFUSED'> {
  readonly code = 'WORKTREE_REFUSED';
}

/** A worktree belongs to the one run that it was made for. */
export class WorktreeTakenError extends HoldfastError<'WORKTREE_REFUSED'> {
  readonly code = 'WORKTREE_REFUSED';

  constructor({ path, plan, sessionId }: WorktreeRecord) {
    super(
      `${visibleLine(path)} is the worktree of run ${sessionId.slice(0, 8)} (${visibleExcerpt(plan, 100)}), and no other run can use it`,
      {
        hint: 'Start another with `holdfast run <plan> --worktree`, from here too: it begins at the commit that is checked out.',
      },
    );
  }
}

/** A worktree whose preparation was cut short. Nothing is lost, because no agent has worked in it. */
export class WorktreeUnfinishedError extends HoldfastError<'WORKTREE_UNFINISHED'> {
  readonly code = 'WORKTREE_UNFINISHED';

  constructor({ path, branch, sessionId, planSource }: WorktreeRecord, isThere: boolean) {
    const place = isThere
      ? `${visibleLine(path)} is only partly there`
      : `${visibleLine(path)} is not there yet`;
    super(
      `Run ${sessionId.slice(0, 8)} was cut short before its worktree was ready; no agent has worked in it. ` +
        `${place}, branch ${visibleLine(branch)}`,
      {
        hint: `Run the same command again and it continues: \`holdfast run ${visibleLine(shellWord(planSource))} --worktree\`, with the options it had.`,
      },
    );
  }
}

/** The person's own setup command failed; no agent works in what it left. */
export class WorktreeSetupError extends HoldfastError<'WORKTREE_SETUP_FAILED'> {
  readonly code = 'WORKTREE_SETUP_FAILED';

  constructor(reason: string, words: string, log: string) {
    const said = words === '' ? '' : `: ${visibleExcerpt(words, 200)}`;
    super(`The setup command of the worktree failed (${reason})${said}`, {
      hint:
        `No agent was started; the output is in ${visibleLine(log)}. Correct worktree.setup ` +
        '(`holdfast config set worktree.setup …`) and run the same command again: it continues with this worktree.',
    });
  }
}

/** The branch is gone, so a removed worktree cannot be made again. */
export class WorktreeBranchGoneError extends HoldfastError<'WORKTREE_BRANCH_GONE'> {
  readonly code = 'WORKTREE_BRANCH_GONE';

  constructor({ path, branch, repository, baseCommit }: WorktreeRecord) {
    super(
      `The worktree ${visibleLine(path)} was removed, and its branch ${visibleLine(branch)} was deleted`,
      {
        hint:
          'Make the branch again and resume: ' +
          `\`git -C ${visibleLine(shellWord(repository))} branch ${visibleLine(shellWord(branch))} ${baseCommit.slice(0, 12)}\` begins at ` +
          'its base; a later commit of it may still be found with `git fsck --lost-found`.',
      },
    );
  }
}

/** A session whose worktree holds work that would be lost with it. */
export class WorktreeHasWorkError extends HoldfastError<'WORKTREE_HAS_WORK'> {
  readonly code = 'WORKTREE_HAS_WORK';

  constructor(
    path: string,
    work: string,
    commands: { readonly merge: readonly string[]; readonly discard: readonly string[] },
  ) {
    super(`The worktree ${visibleLine(path)} has ${work}`, {
      hint: `Merge it first: ${typed(commands.merge)}\nOr discard it, for good: ${typed(commands.discard)}`,
    });
  }
}

function typed(commands: readonly string[]): string {
  return commands.map((command) => `\`${visibleLine(command)}\``).join(' · ');
}
