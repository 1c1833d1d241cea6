import { defineLifecycle } from '../../foundation/index.js';

/** The states of a conversation. None is final: a new turn makes it active again. */
export const conversationLifecycle = defineLifecycle({
  states: ['active', 'completed', 'interrupted'],
  initial: 'active',
  on: {
    resume: { from: ['completed', 'interrupted'], to: 'active' },
    complete: { from: ['active', 'interrupted'], to: 'completed' },
    interrupt: { from: ['active', 'completed'], to: 'interrupted' },
  },
});

export type ConversationStatus = (typeof conversationLifecycle.states)[number];
export type ConversationEvent = keyof typeof conversationLifecycle.on;

/** The event that leads to a state. */
export const LEADING_TO: Readonly<Record<ConversationStatus, ConversationEvent>> = {
  active: 'resume',
  completed: 'complete',
  interrupted: 'interrupt',
};
