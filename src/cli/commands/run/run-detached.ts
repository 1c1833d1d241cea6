import { runServices } from '../../../app/run/run-services.js';
import { visibleBlock, visibleJson, visibleLine } from '../../../foundation/index.js';
import { type FoundRun, startDetachedRun } from '../../../run/index.js';
import { type CommandContext, flagOf } from '../../command.js';
import { ExitCode } from '../../exit-codes.js';

/** What was decided about a run before it goes into the background, where it cannot ask anybody. */
export interface DetachedStart {
  readonly plan: string | undefined;
  readonly isNew: boolean;
  readonly values: Readonly<Record<string, unknown>>;
}

/** `--detach`: the run continues in its own process, and this command ends as soon as that process owns the session. */
export async function runDetached(
  { services, terminal, signal, isJson }: CommandContext,
  found: FoundRun,
  start: DetachedStart,
): Promise<ExitCode> {
  const { isNew } = start;
  const args = wordsOf(found, start);
  const { pid, session, exit } = await startDetachedRun(runServices(services), found, {
    args,
    isNew,
    signal,
  });
  const exitCode = exit === null ? null : ((exit.code ?? ExitCode.failed) as ExitCode);
  const { sessionId = null, prpFile: plan = found.plan.path } = session ?? {};
  const facts = { sessionId, plan, isResumed: !isNew, pid, exitCode };
  if (isJson) {
    terminal.write(visibleJson(exit === null ? facts : { ...facts, error: exit.stderr.trim() }));
  } else if (exit === null) {
    const verb = isNew ? 'started' : 'resumed';
    const id = sessionId?.slice(0, 8);
    terminal.write(`run ${id} ${verb} in the background: ${visibleLine(plan)} (process ${pid})`);
    // By its id, because the project may have another run: a worktree's is not the one found from here.
    terminal.note(
      `Watch: \`holdfast status ${id} --watch\`. Stop: \`holdfast stop ${id}\`. Resume later: \`holdfast resume ${id}\`.`,
    );
  } else {
    terminal.complain(exit.stderr.trim() === '' ? SILENT : visibleBlock(exit.stderr.trim()));
  }
  return exitCode ?? ExitCode.done;
}

const SILENT =
  'The run ended at once, and what it said could not be stored: the disk may be full. Without --detach it says why.';

/** The same command line with every decision made, including those that were asked for. */
function wordsOf({ wishes }: FoundRun, { plan, isNew, values }: DetachedStart): string[] {
  const { isUnattended } = wishes;
  const decided = {
    ...values,
    detach: false,
    resume: !isNew,
    dirty: isNew,
    unattended: isUnattended,
    attended: !isUnattended,
  };
  const options = Object.entries(decided).flatMap(([name, value]) => optionWords(flagOf(name), value));
  return ['run', ...options, '--quiet', ...(plan === undefined ? [] : ['--', plan])];
}

function optionWords(flag: string, value: unknown): string[] {
  if (value === undefined || value === false) return [];
  if (value === true) return [flag];
  // One word per option: a value may begin with a dash.
  return [value].flat().map((one) => `${flag}=${String(one)}`);
}
