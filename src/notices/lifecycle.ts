import { defineLifecycle } from '../foundation/index.js';

/** The states of a notice: one event on one channel. What was sent is never sent again. */
export const noticeLifecycle = defineLifecycle({
  states: ['queued', 'sent', 'seen', 'answered', 'failed'],
  initial: 'queued',
  on: {
    send: { from: ['queued'], to: 'sent' },
    /** It cannot be sent, or is not true any more. */
    fail: { from: ['queued'], to: 'failed' },
    /** The very card was on a screen that a person looked at. */
    see: { from: ['queued', 'sent'], to: 'seen' },
    /** What it is about waits no longer. */
    settle: { from: ['queued', 'sent', 'seen'], to: 'answered' },
  },
});

export type NoticeState = (typeof noticeLifecycle.states)[number];
