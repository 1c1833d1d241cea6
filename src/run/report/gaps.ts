import { counted, visibleExcerpt } from '../../foundation/index.js';
import type { AskedQuestion, ReportGap, ReportSources } from './report-document.js';
import type { RunHistory } from './run-history.js';

export function gapsOf({
  loop,
  project,
  conversation,
  history,
  questions,
}: Pick<ReportSources, 'loop' | 'project' | 'conversation'> & {
  readonly history: RunHistory;
  readonly questions: readonly AskedQuestion[];
}): ReportGap[] {
  const isProjectGone = project?.isThere === false;
  const gone = questions.filter(({ status }) => status === 'gone').length;
  const damage = conversation?.damage.length ?? 0;
  const found: (ReportGap | false)[] = [
    isProjectGone && {
      kind: 'project-gone',
      words:
        'The project is gone, and with it what its files would show: which lines changed, how it was started.',
    },
    loop === undefined &&
      !isProjectGone && {
        kind: 'loop-gone',
        words: 'The files of the run in its project are gone or unreadable; this is what its journal says.',
      },
    ...(loop?.faults ?? []).slice(0, MAX_FAULTS).map((fault): ReportGap => {
      return { kind: 'loop-damaged', words: `A file of the run is damaged: ${visibleExcerpt(fault, 200)}` };
    }),
    !history.isThere && {
      kind: 'journal-missing',
      words: 'There is no journal, so single iterations, waiting times and restarts are not known.',
    },
    history.damagedLines > 0 && {
      kind: 'journal-damaged',
      words: `${counted(history.damagedLines, 'line')} of the journal cannot be read; what they said is missing here.`,
    },
    (history.isRunCapped || history.cappedTurns > 0) && { kind: 'journal-capped', words: capWords(history) },
    history.lostEvents > 0 && {
      kind: 'journal-lost',
      words: `${counted(history.lostEvents, 'event')} of the agent could not be recorded when they happened.`,
    },
    conversation === undefined && {
      kind: 'conversation-missing',
      words: 'The conversation is gone: no prompts, and the cost is what the run itself had counted.',
    },
    damage > 0 && {
      kind: 'conversation-damaged',
      words: `${counted(damage, 'place')} in the conversation cannot be read; cost and prompts may be missing.`,
    },
    gone > 0 && {
      kind: 'questions-gone',
      words: `${counted(gone, 'question')} of the run ${gone === 1 ? 'was' : 'were'} cleaned up, and the answers with ${gone === 1 ? 'it' : 'them'}.`,
    },
    history.permissionsLeftOut > 0 && {
      kind: 'permissions-left-out',
      words: `${counted(history.permissionsLeftOut, 'more permission')} of the agent ${history.permissionsLeftOut === 1 ? 'is' : 'are'} left out.`,
    },
  ];
  return found.filter((gap) => gap !== false);
}

const MAX_FAULTS = 5;

function capWords({ isRunCapped, cappedTurns }: RunHistory): string {
  if (isRunCapped)
    return 'The agent said more than a journal keeps; from some point on its words are left out.';
  return `In ${counted(cappedTurns, 'turn')} the agent said more than the journal keeps of one; the rest is left out.`;
}
