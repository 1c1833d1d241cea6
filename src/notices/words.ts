import { visibleExcerpt } from '../foundation/index.js';
import type { NoticeRecord } from './schema.js';
import type { NoticeKind } from './settings.js';

/** What a channel sends. All of it is visible text that nothing acts on. */
export interface Message {
  /** The same for every try. */
  readonly id: string;
  readonly kind: NoticeKind;
  readonly title: string;
  readonly body: string;
  /** Whether somebody is waiting. */
  readonly isUrgent: boolean;
  /** What it is about; several notices if they are sent as one. */
  readonly notices: readonly NoticeRecord[];
}

const MAX_TITLE = 100;
const MAX_TEXT = 300;
/** How many are named in a message about several. */
const MAX_NAMED = 5;

/** One message about one or several notices: `3 waiting`. */
export function messageOf(notices: readonly NoticeRecord[]): Message {
  const [first] = notices;
  if (first === undefined) throw new RangeError('a message is about something');
  const isUrgent = notices.some(isWaiting);
  if (notices.length === 1)
    return { id: first.id, kind: first.kind, title: titleOf(first), body: bodyOf(first), isUrgent, notices };
  const lines = notices.slice(0, MAX_NAMED).map(titleOf);
  if (notices.length > MAX_NAMED) lines.push(`and ${notices.length - MAX_NAMED} more`);
  return {
    id: first.id,
    kind: first.kind,
    title: digestTitle(notices),
    body: lines.join('\n'),
    isUrgent,
    notices,
  };
}

/** The detail of a notice about an agent that can be answered only where it was started. */
export const AT_TERMINAL = 'terminal';

/** Whether a notice is about something that waits for a person. */
export function isWaiting({ question, kind, detail }: NoticeRecord): boolean {
  return (
    question !== null ||
    detail === AT_TERMINAL ||
    kind === 'breaker' ||
    (kind === 'limit' && detail !== 'quota')
  );
}

function digestTitle(notices: readonly NoticeRecord[]): string {
  const waiting = notices.filter(isWaiting).length;
  const told = notices.length - waiting;
  const parts = [waiting === 0 ? '' : `${waiting} waiting`, told === 0 ? '' : `${told} for information`];
  return `Holdfast: ${parts.filter((part) => part !== '').join(', ')}`;
}

function titleOf(notice: NoticeRecord): string {
  const place = notice.project === null ? 'Holdfast' : visibleExcerpt(notice.project, 40);
  const where = notice.machine === undefined ? place : `${place} on ${visibleExcerpt(notice.machine, 40)}`;
  return visibleExcerpt(`${where}: ${whatOf(notice)}`, MAX_TITLE);
}

function whatOf({ kind, agent, detail }: NoticeRecord): string {
  const who = agent === null ? 'an agent' : visibleExcerpt(agent, 40);
  switch (kind) {
    case 'question':
      return `${who} asks`;
    case 'permission':
      return `${who} asks for permission`;
    case 'limit':
      return detail === 'quota' ? `the quota of ${who} is used up` : 'the run reached a limit';
    case 'breaker':
      return 'the run was halted';
    case 'run-ended':
      return detail === 'failed' ? 'the run failed' : 'the run is done';
    case 'agent-died':
      return `${who} died`;
    case 'quota-back':
      return 'the quota is back, and the run continues';
    case 'test':
      return 'this is a test';
  }
}

function bodyOf(notice: NoticeRecord): string {
  const { question, shortId, kind, text, detail } = notice;
  const words = text === null ? [] : [visibleExcerpt(text, MAX_TEXT)];
  if (kind === 'test') return 'Notices from Holdfast arrive here.';
  if (detail === AT_TERMINAL) return [...words, 'It is waiting at its own terminal.'].join('\n');
  const way = question === null ? `Run ${shortId}: holdfast status` : `holdfast answer ${shortId}`;
  return [...words, way].join('\n');
}
