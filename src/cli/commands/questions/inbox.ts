import { isHoldfastError, visibleJson, visibleLine } from '../../../foundation/index.js';
import { listQuestions, type QuestionReport, type QuestionView } from '../../../sessions/question/index.js';
import { type CommandContext, defineCommand, UsageError } from '../../command.js';
import { ExitCode } from '../../exit-codes.js';
import { holdLink, type OpenQuestions, openQuestions } from '../../fleet.js';
import { loadScreen } from '../../load-screen.js';
import { openNotices } from '../../open-notices.js';
import { renderDecision, renderQuestionList } from '../../render/questions.js';
import { exitCodeOfOutcome } from './ask.js';
import { offerResume } from './offer-resume.js';

const inbox = defineCommand({
  usage: 'inbox',
  summary: 'Answer everything that is waiting for you, in one terminal',
  details:
    'New questions appear by themselves; ones answered elsewhere leave. What you type is kept as a draft on disk.\n' +
    'Without a terminal it lists what is pending and exits with 3 if something is.',
  options: {
    once: { type: 'boolean', about: 'answer the next pending set, then exit with its code' },
    session: { type: 'string', value: '<id>', about: 'open this set' },
    plain: {
      type: 'boolean',
      about: 'numbered prompts and no redrawing: for screen readers and dumb terminals',
    },
    noBell: { type: 'boolean', about: 'no terminal bell when a question arrives' },
  },
  examples: ['holdfast inbox', 'holdfast inbox --once', 'holdfast inbox --session 3f2a --plain'],
  async run(context, { values }) {
    const { services, terminal, signal, isJson } = context;
    await using open = await openQuestions(context);
    const { questions } = open;
    const sessionId = values.session === undefined ? undefined : await questions.resolve(values.session);
    const view = sessionId === undefined ? undefined : await questions.get(sessionId);
    const isPlain = values.plain || (terminal.isInteractive && services.environment.TERM === 'dumb');
    if (isJson && values.plain) throw new UsageError('Use --json or --plain, not both');
    if (isJson || !(terminal.isInteractive || isPlain)) return await printPending(context, open, view);
    if (view !== undefined && exitCodeOfOutcome(view.outcome.status) !== ExitCode.needsPerson) {
      return await printPending(context, open, view);
    }
    const options = {
      questions: questions.as('inbox'),
      clock: services.clock,
      stdin: process.stdin,
      stdout: process.stdout,
      stderr: process.stderr,
      sessionId,
      isOnce: values.once,
      signal,
    };
    const { openInbox, noteTerminal } = isPlain
      ? { ...(await import('../../../tui/inbox/plain.js')), noteTerminal: undefined }
      : await loadScreen(services, () => import('../../../tui/inbox/open.js'));
    await using _link = await holdLink(context);
    await using notices = await openNotices(context);
    const result = await openInbox({
      ...options,
      noteTerminal,
      hasColor: terminal.hasColor,
      hasBell: !values.noBell && !notices.ownsBell,
      onSeen: notices.noteSeen,
    });
    const { answered, rejected } = result;
    if (!isPlain && answered.length + rejected.length > 0) {
      terminal.note(`${answered.length} answered, ${rejected.length} rejected.`);
    }
    if (!signal.aborted) await offerRuns(context, [...answered, ...rejected]);
    if (!values.once && sessionId === undefined) return signal.aborted ? ExitCode.interrupted : ExitCode.done;
    const isDone = (ids: readonly string[]) =>
      sessionId === undefined ? ids.length > 0 : ids.includes(sessionId);
    if (isDone(answered)) return ExitCode.done;
    return isDone(rejected) ? ExitCode.failed : ExitCode.needsPerson;
  },
});

export const commands = [inbox];

/** Offers to restart each run that asked an answered question and has no process any more. */
async function offerRuns(context: CommandContext, ids: readonly string[]): Promise<void> {
  const offered = new Set<string>();
  const { questions } = context.services;
  // A run on another machine is continued there.
  for (const id of ids.filter((one) => questions.has(one))) {
    const view = await questions.get(id);
    const session = view.asker?.session;
    if (session === undefined || offered.has(session)) continue;
    offered.add(session);
    const offer = await offerResume(context, { asker: view.asker, sessionId: id });
    try {
      await offer.settle({ isWanted: false });
    } catch (error) {
      // The answers are given. Report why this run does not start, and offer the others.
      if (!isHoldfastError(error)) throw error;
      const hint = error.hint === undefined ? '' : ` ${error.hint}`;
      context.terminal.complain(visibleLine(`${error.message}.${hint}`));
    }
  }
}

/** For scripts and without a terminal: lists what is pending and how to answer it. */
async function printPending(
  context: CommandContext,
  open: OpenQuestions,
  view: QuestionView | undefined,
): Promise<ExitCode> {
  const { services, terminal, isJson } = context;
  const all = await listQuestions.run(open, { isAll: view !== undefined });
  const reports = view === undefined ? all : all.filter((report) => report.sessionId === view.id);
  if (isJson) terminal.write(visibleJson(reports));
  else if (view === undefined)
    terminal.write(renderQuestionList(reports, services.clock.now(), terminal.style));
  else for (const report of reports) terminal.write(describeSet(report));
  open.tellTrouble();
  const pending = reports.filter(({ status, onItsWay }) => status === 'pending' && onItsWay === undefined);
  for (const report of pending.slice(0, 3)) terminal.note(`Answer it with: ${answerCommand(report)}`);
  if (view !== undefined) return exitCodeOfOutcome(view.outcome.status);
  return pending.length > 0 ? ExitCode.needsPerson : ExitCode.done;
}

/** The command to answer a set. With several questions each option names the one it is for. */
function answerCommand({ sessionId, questions }: QuestionReport): string {
  const options =
    questions.length === 1
      ? '--option <label>'
      : questions.map((_, index) => `--option ${index}=<label>`).join(' ');
  return `holdfast answer ${sessionId.slice(0, 8)} ${options}`;
}

function describeSet(report: QuestionReport): string {
  return `${report.sessionId}  ${report.status}\n\n${renderDecision(report) || 'It is waiting for an answer.'}`;
}
