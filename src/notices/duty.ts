import {
  type Clock,
  isHoldfastError,
  type Logger,
  next,
  messageOf as reasonOf,
  timestamp,
  visibleExcerpt,
} from '../foundation/index.js';
import type { Lock } from '../storage/index.js';
import type { Channel } from './channels/channel.js';
import { type Leg, NoticeNotSentError } from './errors.js';
import type { NoticeEvent } from './events.js';
import { noticeLifecycle } from './lifecycle.js';
import { decide, isMeantFor, type NoticeAction, nextTry } from './policy.js';
import type { NoticeRecord } from './schema.js';
import type { ChannelSettings, ChannelType, NoticeSettings } from './settings.js';
import { UNKNOWN } from './standings.js';
import type { NoticeStore } from './store.js';
import { messageOf } from './words.js';

/** A channel with the user's settings for it. */
export interface OpenedChannel {
  readonly name: string;
  readonly settings: ChannelSettings;
  readonly channel: Channel;
}

export interface DutyOptions {
  readonly store: NoticeStore;
  readonly channels: readonly OpenedChannel[];
  readonly settings: Pick<NoticeSettings, 'quietHours' | 'digestMs'>;
  readonly clock: Clock;
  readonly log: Logger;
  /** The status of every question on this machine, `pending` or how it was settled; of other machines, only the named ones. */
  readonly statuses: (elsewhere: readonly string[]) => Promise<ReadonlyMap<string, string>>;
}

/** When to look again if another process has the duty. */
const BUSY_MS = 1_000;
/** When to look again if this process cannot use a channel, or could not write. */
const UNFIT_MS = 60_000;

/** The leg that is missing when a process cannot use a channel. */
const LEGS: Readonly<Record<ChannelType, Leg>> = {
  terminal: 'terminal',
  desktop: 'program',
  command: 'program',
  ntfy: 'secret',
  gotify: 'secret',
  webhook: 'secret',
  push: 'reply',
};

type Planned = readonly (readonly [NoticeRecord, NoticeAction])[];

/**
 * Does what is due about notices: sends, escalates, tries again, takes back. Any number of processes may use it; for each
 * channel only the one that has taken its duty acts, after reading again what is due. Nothing here throws: a failing channel
 * must not disturb the process.
 */
export class NoticeDuty {
  readonly #options: DutyOptions;
  #isTidied = false;

  constructor(options: DutyOptions) {
    this.#options = options;
  }

  /** Queues an event on every channel that should have it; true if any did not have it yet. */
  tell(event: NoticeEvent, isWanted: (channel: OpenedChannel) => boolean = () => true): boolean {
    const { channels, store, log } = this.#options;
    let isNew = false;
    for (const opened of channels) {
      if (!isMeantFor(event, opened.settings) || !isWanted(opened)) continue;
      // A screen is there or not: a notice that no screen can show is not kept for the next one.
      if (opened.settings.type === 'terminal' && opened.channel.unfit() !== undefined) continue;
      try {
        isNew = store.queue(event, opened.name, opened.settings) || isNew;
      } catch (error) {
        log.warn('notice.not-queued', { event: event.key, channel: opened.name, error: reasonOf(error) });
      }
    }
    return isNew;
  }

  /** Does everything that is due now, on all channels at once; returns when there is more to do. */
  async pass(signal: AbortSignal, { isLast = false } = {}): Promise<Date | undefined> {
    const { channels, store, log } = this.#options;
    try {
      const { notices, damaged } = store.list();
      for (const { path, reason } of damaged) log.debug('notice.unreadable', { path, reason });
      const statuses = await this.#statusesFor(notices);
      const isPending = (question: string) => {
        const status = statuses.get(question);
        return status === 'pending' || status === UNKNOWN;
      };
      for (const { channel } of channels) channel.forget?.(isPending);
      const dates = await Promise.all(
        channels.map((opened) => this.#passChannel(opened, { notices, statuses, signal, isLast })),
      );
      if (notices.length > 0 && !isLast) this.#tidy(isPending);
      return earliest(dates);
    } catch (error) {
      log.warn('notice.pass-failed', { error: reasonOf(error) });
      return this.#in(UNFIT_MS);
    }
  }

  /**
   * Sends an event on one channel now, whatever the hour, and takes it back again; for `notify test`. Throws
   * NOTICE_NOT_SENT, ABORTED, and disk errors.
   */
  async sendNow(
    opened: OpenedChannel,
    event: NoticeEvent,
    signal: AbortSignal,
  ): Promise<{ readonly isTakenBack: boolean; readonly reason: string | null }> {
    const { store, clock } = this.#options;
    using duty = await this.#waitForDuty(opened.name, signal);
    store.queue(event, opened.name, opened.settings);
    const notice = store
      .list()
      .notices.find(({ event: key, channel }) => key === event.key && channel === opened.name);
    if (notice === undefined)
      throw new NoticeNotSentError('record', 'it was written, but cannot be read back');
    const message = messageOf([notice]);
    let sent: NoticeRecord;
    try {
      const unfit = opened.channel.unfit();
      if (unfit !== undefined) throw new NoticeNotSentError(LEGS[opened.settings.type], unfit);
      sent = sentAs(notice, message.id, await opened.channel.send(message, signal), clock);
    } catch (error) {
      store.write(duty, failed(notice, clock, reasonOf(error)));
      throw error;
    }
    store.write(duty, sent);
    // Taking it back would replace it on a sleeping phone before it was shown.
    if (opened.settings.type === 'push') return { isTakenBack: false, reason: 'it stays until you close it' };
    return this.#takeBack(opened, sent, signal);
  }

  async #waitForDuty(channel: string, signal: AbortSignal): Promise<Lock> {
    const { store, clock } = this.#options;
    for (;;) {
      const duty = store.takeDuty(channel);
      if (duty !== undefined) return duty;
      await clock.sleep(BUSY_MS, signal);
    }
  }

  async #statusesFor(notices: readonly NoticeRecord[]): Promise<ReadonlyMap<string, string>> {
    const open = notices.filter(({ question, state }) => question !== null && state !== 'answered');
    const elsewhere = open.flatMap(({ question, machine }) =>
      question === null || machine === undefined ? [] : [question],
    );
    return open.length > 0 ? this.#options.statuses(elsewhere) : new Map();
  }

  async #passChannel(
    opened: OpenedChannel,
    facts: {
      readonly notices: readonly NoticeRecord[];
      readonly statuses: ReadonlyMap<string, string>;
      readonly signal: AbortSignal;
      readonly isLast: boolean;
    },
  ): Promise<Date | undefined> {
    const { store, log } = this.#options;
    const { name, channel } = opened;
    try {
      const first = this.#plan(opened, facts.notices, facts);
      if (first.every(([, verdict]) => !isAction(verdict))) return nextDate(first);
      const unfit = channel.unfit();
      if (!first.some(([notice, verdict]) => isDoable(opened, notice, verdict, unfit)))
        return this.#in(UNFIT_MS);
      using duty = store.takeDuty(name);
      if (duty === undefined) return this.#in(BUSY_MS);
      // Reads again: another process may have acted until it released the duty.
      const planned = this.#plan(opened, store.list().notices, facts);
      await this.#act(opened, duty, planned, { ...facts, unfit });
      return unfit === undefined ? this.#in(0) : this.#in(UNFIT_MS);
    } catch (error) {
      log.warn('notice.channel-failed', { channel: name, error: reasonOf(error) });
      return this.#in(UNFIT_MS);
    }
  }

  #plan(
    { name, settings: channel }: OpenedChannel,
    notices: readonly NoticeRecord[],
    { statuses, isLast }: { readonly statuses: ReadonlyMap<string, string>; readonly isLast: boolean },
  ): Planned {
    const { store, clock, settings } = this.#options;
    const own = notices.filter((notice) => notice.channel === name);
    const sent = own.flatMap(({ sentAt, kind }) =>
      sentAt === undefined || kind === 'test' ? [] : [Date.parse(sentAt)],
    );
    const lastSentAt = sent.length === 0 ? null : new Date(Math.max(...sent));
    return own.map((notice) => {
      const { question, state } = notice;
      const isOpen = question !== null && (state === 'queued' || state === 'sent' || state === 'seen');
      const verdict = decide(notice, {
        now: clock.now(),
        channel,
        quietHours: settings.quietHours,
        // A process that is leaving sends what it has: there may be none after it.
        digestMs: isLast ? 0 : settings.digestMs,
        question: question === null ? null : (statuses.get(question) ?? (isOpen ? 'gone' : null)),
        seenAt: isOpen ? store.seenAt(question) : null,
        lastSentAt,
      });
      return [notice, verdict] as const;
    });
  }

  async #act(
    opened: OpenedChannel,
    duty: Lock,
    planned: Planned,
    { signal, unfit }: { readonly signal: AbortSignal; readonly unfit: string | undefined },
  ): Promise<void> {
    const { store, clock } = this.#options;
    const due: NoticeRecord[] = [];
    for (const [notice, verdict] of planned) {
      if (verdict.do === 'see')
        store.write(duty, {
          ...notice,
          state: next(noticeLifecycle, notice.state, 'see'),
          endedAt: timestamp(clock),
        });
      if (verdict.do === 'fail') store.write(duty, failed(notice, clock, verdict.reason));
      if (verdict.do === 'send') due.push(notice);
    }
    for (const [notice, verdict] of planned)
      if (verdict.do === 'settle' && isDoable(opened, notice, verdict, unfit))
        await this.#settle(opened, duty, { notice, how: verdict.how, planned, signal });
    if (due.length === 0) return;
    if (unfit === undefined) await this.#send(opened, duty, due, signal);
    else
      for (const notice of due) if (notice.reason !== unfit) store.write(duty, { ...notice, reason: unfit });
  }

  async #send(
    opened: OpenedChannel,
    duty: Lock,
    due: readonly NoticeRecord[],
    signal: AbortSignal,
  ): Promise<void> {
    const { store, clock, log } = this.#options;
    const message = messageOf(due);
    try {
      const remote = await opened.channel.send(message, signal);
      // The first one last: if we are killed in between, the message sent again for the rest has the same id.
      for (const notice of [...due].reverse()) store.write(duty, sentAs(notice, message.id, remote, clock));
    } catch (error) {
      if (!isHoldfastError(error, 'NOTICE_NOT_SENT')) throw error;
      const reason = visibleExcerpt(error.message, 200);
      log.debug('notice.not-sent', { channel: opened.name, reason });
      const isPassing = 'isPassing' in error && error.isPassing === true;
      for (const notice of due) store.write(duty, tried(notice, clock, { reason, isPassing }));
    }
  }

  async #settle(
    opened: OpenedChannel,
    duty: Lock,
    {
      notice,
      how,
      planned,
      signal,
    }: { notice: NoticeRecord; how: string; planned: Planned; signal: AbortSignal },
  ): Promise<void> {
    const { store, clock } = this.#options;
    const { state, toldBy } = notice;
    const settled: NoticeRecord = {
      ...notice,
      state: next(noticeLifecycle, state, 'settle'),
      endedAt: timestamp(clock),
      reason: how === 'completed' ? null : how.replaceAll('_', ' '),
    };
    if (toldBy === undefined) return store.write(duty, settled);
    const othersWait = planned.some(
      ([other, verdict]) =>
        other.id !== notice.id && other.toldBy === toldBy && isOpen(other) && verdict.do !== 'settle',
    );
    if (othersWait)
      return store.write(duty, {
        ...settled,
        isTakenBack: 'no',
        reason: 'sent in one message with others that are still waiting',
      });
    const { isTakenBack, reason } = await this.#takeBack(opened, notice, signal);
    store.write(duty, {
      ...settled,
      isTakenBack: isTakenBack ? 'yes' : 'no',
      reason: reason ?? settled.reason,
    });
  }

  async #takeBack(
    { channel }: OpenedChannel,
    { id, toldBy, message }: NoticeRecord,
    signal: AbortSignal,
  ): Promise<{ isTakenBack: boolean; reason: string | null }> {
    if (channel.takeBack === undefined)
      return { isTakenBack: false, reason: 'this channel cannot take a message back' };
    try {
      await channel.takeBack({ id: toldBy ?? id, message }, signal);
      return { isTakenBack: true, reason: null };
    } catch (error) {
      return { isTakenBack: false, reason: visibleExcerpt(reasonOf(error), 200) };
    }
  }

  #tidy(isPending: (question: string) => boolean): void {
    if (this.#isTidied) return;
    this.#isTidied = true;
    const removed = this.#options.store.tidy(isPending);
    if (removed > 0) this.#options.log.info('notice.cleaned', { removed });
  }

  #in(ms: number): Date {
    return new Date(this.#options.clock.now().getTime() + ms);
  }
}

function isAction({ do: what }: NoticeAction): boolean {
  return what !== 'nothing' && what !== 'wait';
}

/** Whether this process can act on it; taking a message back needs the same as sending it. */
function isDoable(
  { channel, settings }: OpenedChannel,
  { reason, toldBy }: NoticeRecord,
  verdict: NoticeAction,
  unfit: string | undefined,
): boolean {
  if (unfit === undefined) return isAction(verdict);
  // The record should say why it was not sent.
  if (verdict.do === 'send') return reason !== unfit;
  // A screen that shows it cleans up after itself.
  const isForOthers = toldBy !== undefined && channel.takeBack !== undefined && settings.type !== 'terminal';
  return isAction(verdict) && !(verdict.do === 'settle' && isForOthers);
}

function isOpen({ state }: NoticeRecord): boolean {
  return state === 'queued' || state === 'sent' || state === 'seen';
}

function sentAs(notice: NoticeRecord, toldBy: string, message: string | null, clock: Clock): NoticeRecord {
  const state = next(noticeLifecycle, notice.state, 'send');
  return {
    ...notice,
    state,
    tries: notice.tries + 1,
    sentAt: timestamp(clock),
    toldBy,
    message,
    reason: null,
  };
}

function failed(notice: NoticeRecord, clock: Clock, reason: string): NoticeRecord {
  const state = next(noticeLifecycle, notice.state, 'fail');
  return { ...notice, state, endedAt: timestamp(clock), reason: visibleExcerpt(reason, 200) };
}

function tried(
  notice: NoticeRecord,
  clock: Clock,
  { reason, isPassing }: { readonly reason: string; readonly isPassing: boolean },
): NoticeRecord {
  const tries = notice.tries + 1;
  const again = isPassing ? nextTry(tries, clock.now()) : undefined;
  if (again === undefined) return failed({ ...notice, tries }, clock, reason);
  return { ...notice, tries, dueAt: again.toISOString(), reason };
}

function nextDate(planned: Planned): Date | undefined {
  return earliest(planned.map(([, verdict]) => (verdict.do === 'wait' ? verdict.until : undefined)));
}

function earliest(dates: readonly (Date | undefined)[]): Date | undefined {
  const times = dates.flatMap((date) => (date === undefined ? [] : [date.getTime()]));
  return times.length === 0 ? undefined : new Date(Math.min(...times));
}
