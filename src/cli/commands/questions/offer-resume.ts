import { visibleLine } from '../../../foundation/index.js';
import type { QuestionReport } from '../../../sessions/question/index.js';
import type { CommandContext } from '../../command.js';
import { ExitCode } from '../../exit-codes.js';
import { saysYes } from '../../says-yes.js';

/** What to do about the run that asked, if no process runs it. */
export interface AskerOffer {
  /** For the JSON of the command; null if a process is waiting for the answer, or no run asked. */
  readonly run: { readonly sessionId: string; readonly isRunning: false; readonly resume: string } | null;
  /** Starts it if the person wants that, otherwise says how. */
  settle(options: { readonly isWanted: boolean }): Promise<ExitCode>;
}

/** Checks whether the run that asked these questions is gone and could continue with their answers. */
export async function offerResume(
  context: CommandContext,
  { asker, sessionId }: Pick<QuestionReport, 'asker' | 'sessionId'>,
): Promise<AskerOffer> {
  const nothing = { run: null, settle: async () => ExitCode.done };
  // Most questions do not come from runs, and this command starts often.
  if (asker?.session === undefined) return nothing;
  const { resumeRun, stoppedAsker, there } = await import('../run/resume-run.js');
  const stopped = stoppedAsker(context, await context.services.questions.get(sessionId));
  if (stopped === undefined) return nothing;
  const { terminal, services, isJson } = context;
  const bypass = stopped.start?.permissions === 'bypass' ? ' --permissions bypass' : '';
  const resume = there(stopped, services.workingDirectory, `holdfast resume${bypass}`);
  return {
    run: { sessionId: stopped.loop.sessionId, isRunning: false, resume },
    async settle({ isWanted }) {
      const plan = visibleLine(stopped.loop.state.prpFile);
      const project = resume.startsWith('cd ') ? ` in ${visibleLine(stopped.projectDirectory)}` : '';
      const words = `The run that asked (${plan}${project}) is not running`;
      const isAsked = !isWanted && !isJson && terminal.isInteractive && bypass === '';
      if (isWanted || (isAsked && (await saysYes(terminal, `${words}. Resume it?`))))
        return resumeRun(context, stopped);
      if (!isJson) terminal.note(`${words}. Resume it with: ${resume}`);
      return ExitCode.done;
    },
  };
}
