import type { PermissionMode } from '../../../agents/index.js';
import { runServices } from '../../../app/run/run-services.js';
import {
  shellWord,
  visibleBlock,
  visibleExcerpt,
  visibleJson,
  visibleLine,
} from '../../../foundation/index.js';
import { prepareWorktree } from '../../../run/index.js';
import {
  findStoppedAsker,
  needsReset,
  resumeStopped,
  type StoppedRun,
} from '../../../run/open/stopped-run.js';
import type { QuestionView } from '../../../sessions/question/index.js';
import { type CommandContext, ConfirmationMissingError } from '../../command.js';
import { ExitCode } from '../../exit-codes.js';
import { describeStart } from '../../render/run-start.js';
import { confirmRecreation } from './run-worktree.js';

// Re-exported so that commands which start often load it only when they need it.
export { refuseWithdrawn } from '../../../run/open/stopped-run.js';

/** The run that asked a question, if no process runs it and it could continue with the decision. */
export function stoppedAsker({ services }: CommandContext, view: QuestionView): StoppedRun | undefined {
  return findStoppedAsker(runServices(services), view);
}

export interface ResumeWishes {
  readonly permissions?: PermissionMode | undefined;
  readonly isReset?: boolean;
  readonly isUnattended?: boolean;
  /** Whether the person wants a removed worktree made again. */
  readonly isRecreated?: boolean;
}

/** Restarts a run without a process in the background, and says how to watch it. Throws CONFIRMATION_MISSING. */
export async function resumeRun(
  context: CommandContext,
  stopped: StoppedRun,
  { permissions, isReset = false, isUnattended = false, isRecreated = false }: ResumeWishes = {},
): Promise<ExitCode> {
  const { terminal, signal, isJson } = context;
  const { loop, start } = stopped;
  const plan = visibleLine(loop.state.prpFile);
  const again = `holdfast resume ${loop.sessionId.slice(0, 8)}${isReset ? ' --reset' : ''}`;
  if (start === undefined)
    throw new ConfirmationMissingError(`How the run of ${plan} was started is not known here`, {
      hint: `Start it as before: \`${runCommand(stopped)} --resume --detach\`, with --agent, --verify and so on.`,
    });
  if (start.permissions === 'bypass' && permissions === undefined)
    throw new ConfirmationMissingError(
      `The run of ${plan} was started with --permissions bypass, which is not reused`,
      { hint: `Type it again: \`${again} --permissions bypass\`, or choose \`edits\` or \`ask\`.` },
    );
  if (!isReset && (await needsReset(stopped))) {
    const reason = visibleLine(loop.statusReason ?? 'the breaker is open');
    const [error, hint] = [`The run of ${plan} was halted: ${reason}`, `Try again: \`${again} --reset\`.`];
    if (isJson) terminal.write(visibleJson({ success: false, code: 'LOOP_NOT_RESUMABLE', error, hint }));
    else terminal.complain(`${error}\n${hint}`);
    return ExitCode.breakerOpen;
  }
  await makeWorktreeAgain(context, stopped, isRecreated);
  const wished = { permissions, isReset, isUnattended: isUnattended || start.isUnattended === true };
  const { pid, exit } = await resumeStopped(stopped, { ...wished, signal });
  const exitCode = exit === null ? null : ((exit.code ?? ExitCode.failed) as ExitCode);
  if (isJson) {
    const facts = { isStarted: true, sessionId: loop.sessionId, plan: loop.state.prpFile, pid, exitCode };
    terminal.write(visibleJson(exit === null ? facts : { ...facts, error: exit.stderr.trim() }));
  } else if (exit === null) {
    terminal.write(`run ${loop.sessionId.slice(0, 8)} resumed in the background: ${plan} (process ${pid})`);
    terminal.note(describeStart({ ...start, permissions: permissions ?? start.permissions }, start));
    terminal.note(`Watch: holdfast status ${loop.sessionId.slice(0, 8)} --watch`);
  } else {
    terminal.complain(exit.stderr.trim() === '' ? ENDED : visibleBlock(exit.stderr.trim()));
  }
  return exitCode ?? ExitCode.done;
}

/** A run whose worktree was removed continues in a new one on the same branch, if the person agrees. */
async function makeWorktreeAgain(
  context: CommandContext,
  { services }: StoppedRun,
  isRecreated: boolean,
): Promise<void> {
  const { worktree } = services;
  if (worktree === undefined) return;
  await confirmRecreation(context, services, worktree, isRecreated);
  const tell = (words: string) => context.terminal.note(words);
  await prepareWorktree(services, worktree, { tell, signal: context.signal });
}

const ENDED = 'The run is already over; `holdfast status` shows how it ended.';

/** A command as a person would type it from here. */
export function there({ projectDirectory }: StoppedRun, from: string, command: string): string {
  const isHere = `${from}/`.startsWith(`${projectDirectory}/`);
  return isHere ? command : `cd ${visibleLine(shellWord(projectDirectory))} && ${command}`;
}

/** The `holdfast run` command for the plan of a run. */
function runCommand({ loop: { state } }: StoppedRun): string {
  const { prpFile, storiesTotal } = state;
  const plan = storiesTotal === undefined ? prpFile : `--change ${prpFile.split('/').at(-1)}`;
  return `holdfast run ${visibleExcerpt(plan, 200)}`;
}
