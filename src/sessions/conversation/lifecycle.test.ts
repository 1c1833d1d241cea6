import { describe, expect, it } from 'vitest';
import { IllegalTransitionError, next } from '../../foundation/index.js';
import { type ConversationStatus, conversationLifecycle, LEADING_TO } from './lifecycle.js';

describe('the lifecycle of a conversation', () => {
  it('lets every state become every other, but not itself', () => {
    const { states } = conversationLifecycle;
    for (const from of states) {
      for (const to of states) {
        const move = () => next(conversationLifecycle, from, LEADING_TO[to]);
        if (from === to) expect(move).toThrow(IllegalTransitionError);
        else expect(move()).toBe(to satisfies ConversationStatus);
      }
    }
  });
});
