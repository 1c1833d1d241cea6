import { type Clock, type Ids, messageOf as reasonOf } from '../foundation/index.js';
import type { NoticeDuty, OpenedChannel } from './duty.js';
import { ChannelNotFoundError, NoticeNotSentError } from './errors.js';
import { eventOfTest } from './events.js';
import type { NoticeDesk, NoticeTestReport } from './operations.js';
import type { NoticeStore } from './store.js';
import { messageOf } from './words.js';

export interface DeskOptions {
  readonly store: NoticeStore;
  readonly duty: NoticeDuty;
  readonly channels: readonly OpenedChannel[];
  readonly clock: Clock;
  readonly ids: Ids;
}

/** What a person can do with notices. */
export function noticeDesk({ store, duty, channels, clock, ids }: DeskOptions): NoticeDesk {
  return {
    list() {
      const { notices, damaged } = store.list();
      const reports = notices.map((notice) => {
        const {
          id,
          kind,
          channel,
          state,
          at,
          sentAt,
          tries,
          question,
          project,
          agent,
          shortId,
          isTakenBack,
        } = notice;
        return {
          id,
          kind,
          channel,
          state,
          at,
          sentAt: sentAt ?? null,
          dueAt: state === 'queued' ? notice.dueAt : null,
          tries,
          question,
          project,
          agent,
          shortId,
          title: messageOf([notice]).title,
          isTakenBack: isTakenBack === undefined ? null : isTakenBack === 'yes',
          reason: notice.reason,
        };
      });
      return { notices: reports, damaged };
    },
    async test(name, signal) {
      const chosen = name === undefined ? channels : channels.filter((opened) => isCalled(opened, name));
      if (chosen.length === 0)
        throw new ChannelNotFoundError(
          name ?? '',
          channels.map((opened) => opened.name),
        );
      return Promise.all(chosen.map((opened) => testOne(opened, signal)));
    },
  };

  async function testOne(opened: OpenedChannel, signal: AbortSignal): Promise<NoticeTestReport> {
    const { name: channel, settings } = opened;
    const facts = { channel, type: settings.type };
    try {
      const event = eventOfTest(ids.token(), clock.now());
      const { isTakenBack, reason } = await duty.sendNow(opened, event, signal);
      return { ...facts, isSent: true, leg: null, isTakenBack, reason };
    } catch (error) {
      const leg = error instanceof NoticeNotSentError ? error.leg : 'record';
      return { ...facts, isSent: false, leg, isTakenBack: false, reason: reasonOf(error) };
    }
  }
}

/** Every device with push has its own channel; `push` means all of them. */
function isCalled({ name, settings }: OpenedChannel, typed: string): boolean {
  return name === typed || (settings.type === 'push' && typed === 'push');
}
