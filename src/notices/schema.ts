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

/** `<state>/notices/<id>.json`: one event on one channel, and what became of telling it. */
export const NoticeRecord = record({
  version: withDefault(whole(), () => DOCUMENT_VERSION),
  /** The same for the same event on the same channel; every try to send it carries it. */
  id: text,
  /** What makes the event this one and no other. */
  event: text,
  kind: oneOf(NOTICE_KINDS),
  channel: textThat((name) => CHANNEL_NAME.test(name), 'not the name of a channel'),
  state: oneOf(noticeLifecycle.states),
  /** When it happened. */
  at: time,
  queuedAt: time,
  /** When it is to be sent, or tried again. */
  dueAt: time,
  /** The question set that waits for a person; with its answer the notice is over. */
  question: nullIfAbsent(text),
  /** The machine of the fleet that it is about; absent for this one. */
  machine: optional(text),
  project: nullIfAbsent(text),
  agent: nullIfAbsent(text),
  shortId: text,
  /** One word of ours, such as how a run ended. */
  detail: nullIfAbsent(text),
  /** The words of the question or the reason, redacted; only where the channel is to have them. */
  text: nullIfAbsent(text),
  tries: withDefault(count, () => 0),
  sentAt: optional(time),
  /** The id of the message that told it; several notices may have been told together. */
  toldBy: optional(text),
  /** What the other side calls the message, to take it back by. */
  message: nullIfAbsent(text),
  /** When it came to its end. */
  endedAt: optional(time),
  isTakenBack: optional(oneOf(['yes', 'no'])),
  /** Why it failed, waits longer, or was not taken back. */
  reason: nullIfAbsent(text),
});
export type NoticeRecord = ValueOf<typeof NoticeRecord>;

/** `<state>/notices/<question>.seen`: when the card of a question was last on a screen that a person looked at. */
export const SeenRecord = record({
  version: withDefault(whole(), () => DOCUMENT_VERSION),
  at: time,
});
