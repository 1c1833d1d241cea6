import { openDirectory } from '../../../app/open-directory.js';
import { findRunOf, openOverview } from '../../../app/overview/open-overview.js';
import { runServices } from '../../../app/run/run-services.js';
import { shellWord, visibleLine } from '../../../foundation/index.js';
import { directoryOfRow, type OverviewRow, RunNotFoundError } from '../../../overview/index.js';
import { steerRun } from '../../../run/open/steer-run.js';
import type { TopResult } from '../../../tui/top/open.js';
import type { CommandContext } from '../../command.js';
import { ExitCode } from '../../exit-codes.js';
import { holdLink, type OpenQuestions, openQuestions } from '../../fleet.js';
import { loadScreen } from '../../load-screen.js';
import { type CommandNotices, openNotices } from '../../open-notices.js';
import { steeredWords } from '../../remote-run.js';
import { attachTo } from './attach.js';
import { hasJournal, NO_JOURNAL } from './follow-run.js';

/** The overview in a terminal until the person leaves it. Attaching to a run returns here afterwards. */
export async function showTop(context: CommandContext, options: { hasBell: boolean }): Promise<ExitCode> {
  const { services, signal } = context;
  await using open = await openQuestions(context, { isLater: true });
  await using _link = await holdLink(context);
  await using notices = await openNotices(context);
  const told = { hasBell: options.hasBell && !notices.ownsBell, onSeen: notices.noteSeen };
  for (let from: TopResult['state'] | undefined; ; ) {
    const { attach, state } = await openOnce(context, { ...told, open }, from);
    from = state;
    if (attach === undefined || signal.aborted) return signal.aborted ? ExitCode.interrupted : ExitCode.done;
    const place = findRunOf(services, attach.id);
    if (hasJournal(context, place)) await attachTo(context, place, 'top');
    else from = { ...state, notice: NO_JOURNAL };
  }
}

async function openOnce(
  context: CommandContext,
  {
    hasBell,
    onSeen,
    open,
  }: {
    readonly hasBell: boolean;
    readonly onSeen: CommandNotices['noteSeen'];
    readonly open: OpenQuestions;
  },
  from: TopResult['state'] | undefined,
): Promise<TopResult> {
  const { services, terminal, signal } = context;
  const screen = await loadScreen(services, () => import('../../../tui/top/open.js'));
  const { openTop, ringBell, copyByTerminal, noteTerminal } = screen;
  const { stdin, stdout, stderr } = process;
  using overview = openOverview(services, open.elsewhere);
  return await openTop({
    overview,
    questions: open.questions.as('top'),
    trouble: () => open.elsewhere?.trouble?.reason,
    clock: services.clock,
    stdin,
    stdout,
    stderr,
    signal,
    onSeen,
    noteTerminal,
    hasColor: terminal.hasColor,
    from,
    ring: () => {
      if (hasBell) ringBell(stdout);
    },
    steer: (kind, row) => steer(context, open, kind, row),
    async goThere(row) {
      const directory = directoryOfRow(row) ?? '/';
      const opened = await openDirectory(services, directory);
      if (opened !== undefined) return `Started ${visibleLine(opened)} for ${visibleLine(directory)}`;
      const line = `cd ${shellWord(directory)}`;
      const isCopied = copyByTerminal(stdout, services.environment.TERM, line);
      return `${isCopied ? 'Copied: ' : ''}${visibleLine(line)}`;
    },
  });
}

async function steer(
  { services, signal }: CommandContext,
  { runs }: OpenQuestions,
  kind: 'pause' | 'resume' | 'stop',
  row: OverviewRow,
): Promise<string> {
  if (row.machine === undefined) {
    const there = runServices(services).at(directoryOfRow(row) ?? services.workingDirectory);
    return (await steerRun(there, { kind }, { sessionId: row.id, actor: 'top', signal })).words;
  }
  const run = await runs?.find(row.id);
  if (runs === undefined || run === undefined) throw new RunNotFoundError(row.id);
  return steeredWords(await runs.steer(run, { kind }));
}
