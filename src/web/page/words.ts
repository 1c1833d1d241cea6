import { isPermission } from '../../foundation/permission-card.js';
import { formatAge } from '../../foundation/text/age.js';
import { visibleExcerpt, visibleLabel } from '../../foundation/text/visible-text.js';
import type { Fault } from '../../models/inbox/index.js';
import type { Card, Me } from '../contract/index.js';
import type { Connection } from './live/stream.js';

type QuestionSet = Card['set'];

const FAULTS = {
  'no-words': 'Write your own words, or choose an option instead.',
  'nothing-chosen': 'Choose one, or answer in your own words.',
  'none-not-confirmed': 'Nothing is chosen. Press Answer again to choose none of these.',
  unread: 'Read it to the end first.',
} as const;

/** What prevents an answer from being given. */
export function faultWords(fault: Fault): string {
  return typeof fault === 'string' ? FAULTS[fault] : fault.refused;
}

/** `live`, `reconnecting in 4 s`, `offline since 14:02`. */
export function connectionWords(connection: Connection, nowMs: number): string {
  switch (connection.name) {
    case 'live':
      return 'live';
    case 'connecting':
      return 'connecting';
    case 'reconnecting':
      return `reconnecting in ${Math.max(0, Math.ceil((connection.nextMs - nowMs) / 1_000))} s`;
    case 'offline':
      return `offline since ${timeOfDay(connection.sinceMs)}`;
  }
}

/** The same without the part that changes every second, for a screen reader. */
export function connectionNews(connection: Connection): string {
  if (connection.name === 'reconnecting') return 'reconnecting';
  return connectionWords(connection, 0);
}

export function timeOfDay(ms: number): string {
  const date = new Date(ms);
  const two = (number: number) => `${number}`.padStart(2, '0');
  return `${two(date.getHours())}:${two(date.getMinutes())}`;
}

/** How long ago something was, such as `4 min`. */
export function ageWords(at: string, nowMs: number): string {
  const ms = nowMs - Date.parse(at);
  return Number.isFinite(ms) ? formatAge(ms) : '';
}

/** What waiting costs: whether the asker is blocked until the answer arrives. */
export function waitWords({ isAskerGone }: Pick<QuestionSet, 'isAskerGone'>, isOfRun: boolean): string {
  if (isAskerGone === true) return 'asker is gone';
  if (isAskerGone === false) return isOfRun ? 'run waiting' : 'agent waiting';
  return 'agent moved on';
}

/** When an asker that is gone or stopped waiting would get an answer given now; null if it is still waiting. */
export function lateWords(set: Pick<QuestionSet, 'status' | 'isAskerGone'>): string | null {
  if (set.status === 'timed_out')
    return 'It expired. You can still answer: the agent gets it when it asks again.';
  if (set.status === 'abandoned')
    return 'It was withdrawn. You can still answer: the agent gets it when it asks again.';
  if (set.isAskerGone === true)
    return 'The asker is gone. Your answer is kept: the agent gets it when it asks again, or with its next prompt.';
  return null;
}

/** Who decided, as a person would say it. */
export function actorWords(actor: string | null, me: Me | null): string {
  if (actor === null || actor === 'outside') return 'somebody else';
  const [kind = '', name = ''] = split(actor);
  if (kind === 'page')
    return name === me?.device || name === me?.name ? 'you, here' : `you, on ${visibleExcerpt(name, 60)}`;
  if (kind === 'mcp' || kind === 'fleet') return visibleExcerpt(name, 60);
  return ACTORS[actor] ?? visibleExcerpt(actor, 60);
}

const ACTORS: Readonly<Record<string, string>> = {
  cli: 'you, in a terminal',
  inbox: 'you, in the terminal inbox',
  top: 'you, in the terminal overview',
  hook: 'you, at the agent’s own prompt',
  service: 'the service',
  library: 'a program',
  auq: 'AUQ',
};

function split(actor: string): [string, string] {
  const colon = actor.indexOf(':');
  return colon === -1 ? [actor, ''] : [actor.slice(0, colon), actor.slice(colon + 1)];
}

/** A card in a few words, for screen readers. */
export function cardName({ asker, machine, questions: [first] }: QuestionSet): string {
  const does = isPermission({ asker }) ? 'asks for permission' : 'asks';
  const where = machine === undefined ? '' : ` on ${visibleLabel(machine)}`;
  return `${visibleLabel(asker?.agent ?? 'An agent')} ${does}${where}: ${visibleLabel(first?.title ?? '')}`;
}

/** How a set ended, in two words. */
export function endWords({ status }: Pick<QuestionSet, 'status'>): string {
  return ENDS[status];
}

const ENDS: Readonly<Record<QuestionSet['status'], string>> = {
  pending: 'Changed',
  completed: 'Answered',
  rejected: 'Rejected',
  timed_out: 'Expired',
  abandoned: 'Withdrawn',
};

/** The answer to each question: the choices, then the own words. */
export function answersInWords({ questions, answers }: Pick<QuestionSet, 'questions' | 'answers'>): {
  readonly title: string;
  readonly said: string;
}[] {
  return questions.map(({ title }, index) => {
    const given = answers?.find(({ questionIndex }) => questionIndex === index);
    const { selectedOption, selectedOptions = [], customText } = given ?? {};
    const labels = selectedOption === undefined ? selectedOptions : [selectedOption];
    const parts = [...labels.map(visibleLabel), ...(customText === undefined ? [] : [`“${customText}”`])];
    return { title, said: parts.length === 0 ? 'none' : parts.join(', ') };
  });
}
