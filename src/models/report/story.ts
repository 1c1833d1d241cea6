import type { RunReport } from '../../run/index.js';
import { line, placeOf, spanOf } from './words.js';

/** An event, in words. */
export interface Happening {
  readonly at: string;
  readonly sign: string;
  readonly words: string;
}

/** What happened around the iterations, oldest first. */
export function storyOf(report: RunReport): Happening[] {
  const all = [
    ...processesOf(report),
    ...report.phases.flatMap(({ name, completedAt, iterations }): Happening[] =>
      completedAt === null
        ? []
        : [
            {
              at: completedAt,
              sign: '✓',
              words: `${line(name, 60)} was done after ${iterations === 1 ? '1 iteration' : `${iterations} iterations`}`,
            },
          ],
    ),
    ...report.skipped.map(({ phase, at, actor, reason }): Happening => {
      return {
        at,
        sign: '–',
        words: `${line(phase, 60)} was skipped ${placeOf(actor)}: ${line(reason, 200)}`,
      };
    }),
    ...report.openings.flatMap(openingOf),
    ...report.waits
      .filter(({ cause }) => cause !== 'question')
      .map(({ from, to, reason }): Happening => {
        const ms = Date.parse(to) - Date.parse(from);
        return { at: from, sign: '…', words: `Waited ${spanOf(ms)}: ${line(reason, 200)}` };
      }),
    ...report.requests.map(({ at, kind, actor }): Happening => {
      return { at, sign: '›', words: `Asked to ${REQUESTS[kind] ?? line(kind, 40)}${byOf(actor)}` };
    }),
    ...report.questions.flatMap(questionsOf),
  ];
  const isTimed = ({ at }: Happening) => !Number.isNaN(Date.parse(at));
  return all.filter(isTimed).sort((a, b) => Date.parse(a.at) - Date.parse(b.at));
}

const REQUESTS: Readonly<Record<string, string>> = {
  pause: 'pause',
  resume: 'continue',
  stop: 'stop',
  guidance: 'guide the agent',
  reset: 'try again',
};

const ENDS: Readonly<Record<string, string>> = {
  completed: 'Completed',
  halted: 'Stopped by its breaker',
  limit: 'Stopped at a limit',
  'needs-person': 'Stopped, because a question needs an answer',
  stopped: 'Stopped on request',
  interrupted: 'Interrupted',
  failed: 'Failed',
};

function processesOf({ processes, isRunning }: RunReport): Happening[] {
  return processes.flatMap(({ startedAt, lastSeenAt, isResumed, agent, actor, end }, index) => {
    const begun: Happening = {
      at: startedAt,
      sign: '▸',
      words: `${isResumed ? 'Resumed' : 'Started'} with ${line(agent, 60)}${byOf(actor)}`,
    };
    const isLast = index === processes.length - 1;
    if (end === null && isLast && isRunning) return [begun];
    const over: Happening =
      end === null
        ? {
            at: lastSeenAt,
            sign: '×',
            words: 'Last sign of its process. It ended without a word: killed, or the machine stopped',
          }
        : {
            at: lastSeenAt,
            sign: end.outcome === 'completed' ? '✓' : '■',
            words: `${ENDS[end.outcome] ?? end.outcome}${end.reason === null ? '' : `: ${line(end.reason, 200)}`}`,
          };
    return [begun, over];
  });
}

function openingOf({ at, phase, reason, closedAt }: RunReport['openings'][number]): Happening[] {
  const opened = {
    at,
    sign: '◆',
    words: `The breaker opened in ${line(phase, 60)}: ${line(reason ?? 'no reason known', 200)}`,
  };
  const closed = { at: closedAt ?? '', sign: '◇', words: 'The run may try again: the breaker closed' };
  return closedAt === null ? [opened] : [opened, closed];
}

function questionsOf(question: RunReport['questions'][number]): Happening[] {
  const { askedAt, answeredAt, title, from, answeredBy, status, isPermission } = question;
  const what = isPermission ? 'for a permission' : `“${line(title, 80)}”`;
  const asked = {
    at: askedAt,
    sign: '?',
    words: `${from === 'run' ? 'The run' : 'The agent'} asked ${what}`,
  };
  if (answeredAt === null) return [asked];
  const outcome =
    status === 'completed'
      ? 'Answered'
      : status === 'rejected'
        ? 'Rejected'
        : `Settled (${line(status, 40)})`;
  const name = isPermission ? 'the permission' : `“${line(title, 80)}”`;
  return [asked, { at: answeredAt, sign: '→', words: `${outcome} ${name}${byOf(answeredBy)}` }];
}

function byOf(actor: string | null): string {
  return actor === null ? '' : `, ${placeOf(actor)}`;
}
