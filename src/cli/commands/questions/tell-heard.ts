import { visibleJson, visibleLine } from '../../../foundation/index.js';
import type { QuestionReport } from '../../../sessions/question/index.js';
import { showQuestions } from '../../../sessions/question/index.js';
import type { CommandContext } from '../../command.js';
import { perform } from '../../command-of.js';
import { ExitCode } from '../../exit-codes.js';

/** How long a hook may take to give a decision to its agent. */
const PATIENCE_MS = 10_000;
const LOOK_MS = 50;

/**
 * Says whether a decision about a permission reached the agent whose hook asked: the agent may have been answered at its own
 * terminal. Exit code 1 if the decision did not count.
 */
export async function tellHeard(
  context: CommandContext,
  decided: QuestionReport,
  words: string,
): Promise<ExitCode> {
  const { terminal, isJson } = context;
  const report = await heard(context, decided);
  const agent = visibleLine(report.asker?.agent ?? 'the agent');
  const isHeard = report.collectedAt !== null;
  const { unheardReason } = report;
  if (isJson) terminal.write(visibleJson({ success: true, ...report }));
  else if (unheardReason !== undefined)
    terminal.write(`${words}\n\nIt did not count: ${visibleLine(unheardReason)}.`);
  else if (isHeard) terminal.write(`${words}\n\nGiven to ${agent}.`);
  else
    terminal.write(`${words}\n\nNot given to ${agent} so far; \`holdfast questions show\` says when it is.`);
  return unheardReason === undefined ? ExitCode.done : ExitCode.failed;
}

/** The set once the hook has acted on it, or after a while. */
async function heard(context: CommandContext, decided: QuestionReport): Promise<QuestionReport> {
  const { services, signal } = context;
  const { clock } = services;
  const end = clock.monotonicMs() + PATIENCE_MS;
  for (let report = decided; ; ) {
    const isOver =
      report.collectedAt !== null || report.unheardReason !== undefined || report.isAskerGone === true;
    if (isOver || signal.aborted || clock.monotonicMs() > end) return report;
    await clock.sleep(LOOK_MS, signal).catch(() => {});
    report = await perform(context, showQuestions, services, { session: decided.sessionId });
  }
}
