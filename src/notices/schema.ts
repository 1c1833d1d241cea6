import {
  count,
  nullIfAbsent,
  oneOf,
  optional,
  record,
  text,
  textThat,
  time,
  type ValueOf,
  whole,
  withDefault,
} from '../foundation/index.js';
import { DOCUMENT_VERSION } from '../storage/index.js';
import { noticeLifecycle } from './lifecycle.js';
import { CHANNEL_NAME, NOTICE_KINDS } from './settings.js';

/** `<state>/notices/<id>.json`: one event on one channel, and what happened to its notice. */
export const NoticeRecord = record({
  version: withDefault(whole(), () => DOCUMENT_VERSION),
  /** The same for the same event on the same channel; every try to send it uses this id. */
  id: text,
  /** The key that identifies the event. */
  event: text,
  kind: oneOf(NOTICE_KINDS),
  channel: textThat((name) => CHANNEL_NAME.test(name), 'not the name of a channel'),
  state: oneOf(noticeLifecycle.states),
  /** When it happened. */
  at: time,
  queuedAt: time,
  /** When it should be sent, or tried again. */
  dueAt: time,
  /** The question set that is waiting for a person; when it is answered, the notice is over. */
  question: nullIfAbsent(text),
  /** The machine of the fleet it is about; absent for this one. */
  machine: optional(text),
  project: nullIfAbsent(text),
  agent: nullIfAbsent(text),
  shortId: text,
  /** One word of ours, such as how a run ended. */
  detail: nullIfAbsent(text),
  /** The words of the question or the reason, redacted; only if the channel may have them. */
  text: nullIfAbsent(text),
  tries: withDefault(count, () => 0),
  sentAt: optional(time),
  /** The id of the message that contained it; one message may contain several notices. */
  toldBy: optional(text),
  /** The other side's id for the message, used to take it back. */
  message: nullIfAbsent(text),
  /** When it ended. */
  endedAt: optional(time),
  isTakenBack: optional(oneOf(['yes', 'no'])),
  /** Why it failed, is still waiting, or was not taken back. */
  reason: nullIfAbsent(text),
});
export type NoticeRecord = ValueOf<typeof NoticeRecord>;

/** `<state>/notices/<question>.seen`: when the card of a question was last on a screen that a person looked at. */
export const SeenRecord = record({
  version: withDefault(whole(), () => DOCUMENT_VERSION),
  at: time,
});
