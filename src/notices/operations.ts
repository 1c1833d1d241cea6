import * as z from 'zod';
import { defineOperation } from '../foundation/index.js';
import type { Leg } from './errors.js';
import type { NoticeState } from './lifecycle.js';
import type { ChannelType, NoticeKind } from './settings.js';

/** A notice as a list shows it. */
export interface NoticeReport {
  readonly id: string;
  readonly kind: NoticeKind;
  readonly channel: string;
  readonly state: NoticeState;
  readonly at: string;
  readonly sentAt: string | null;
  /** When a queued notice is sent or tried again. */
  readonly dueAt: string | null;
  readonly tries: number;
  readonly question: string | null;
  readonly project: string | null;
  readonly agent: string | null;
  readonly shortId: string;
  readonly title: string;
  readonly isTakenBack: boolean | null;
  readonly reason: string | null;
}

/** How a test of a channel went, and where it failed if it did. */
export interface NoticeTestReport {
  readonly channel: string;
  readonly type: ChannelType;
  readonly isSent: boolean;
  readonly leg: Leg | null;
  readonly isTakenBack: boolean;
  readonly reason: string | null;
}

export interface NoticeList {
  readonly notices: readonly NoticeReport[];
  readonly damaged: readonly { readonly path: string; readonly reason: string }[];
}

/** The notices of this user, as the composition opens them. */
export interface NoticeDesk {
  list(): NoticeList;
  /** Throws CHANNEL_NOT_FOUND. */
  test(channel: string | undefined, signal: AbortSignal): Promise<readonly NoticeTestReport[]>;
}

export interface NoticeParts {
  readonly notices: NoticeDesk;
}

export const listNotices = defineOperation({
  name: 'notice.list',
  summary: 'Show the notices sent to you, on which channel, and what became of them',
  effect: 'read',
  capability: 'view',
  surfaces: ['cli'],
  get input() {
    return z.strictObject({});
  },
  get output() {
    return z.custom<NoticeList>();
  },
  async run({ notices }: NoticeParts) {
    return notices.list();
  },
});

export const testNotices = defineOperation({
  name: 'notice.test',
  summary: 'Send a test notice all the way, and say where it stopped if it did not arrive',
  effect: 'write',
  capability: 'admin',
  surfaces: ['cli'],
  get input() {
    return z.strictObject({ channel: z.string().max(64).optional() });
  },
  get output() {
    return z.custom<readonly NoticeTestReport[]>();
  },
  async run({ notices }: NoticeParts, { channel }, context) {
    return notices.test(channel, context?.signal ?? new AbortController().signal);
  },
});

/** Every action on notices, for the registry. */
export const noticeOperations = [listNotices, testNotices] as const;
