import { defineLifecycle } from '../foundation/index.js';

/** The states of a notice: one event on one channel. A notice that was sent is never sent again. */
export const noticeLifecycle = defineLifecycle({
  states: ['queued', 'sent', 'seen', 'answered', 'failed'],
  initial: 'queued',
  on: {
    send: { from: ['queued'], to: 'sent' },
    /** It cannot be sent, or is no longer true. */
    fail: { from: ['queued'], to: 'failed' },
    /** Its card was on a screen that a person looked at. */
    see: { from: ['queued', 'sent'], to: 'seen' },
    /** What it is about is no longer waiting. */
    settle: { from: ['queued', 'sent', 'seen'], to: 'answered' },
  },
});

export type NoticeState = (typeof noticeLifecycle.states)[number];
