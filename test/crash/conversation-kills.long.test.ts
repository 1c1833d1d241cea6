import { describe, expect, it } from 'vitest';
import { ConversationRelay, STORIES } from './conversation-kills.js';

describe('SIGKILL around every call of the file system loses no turn of a conversation', () => {
  it.each(STORIES)('$act', async (story) => {
    await using relay = new ConversationRelay();
    let at = 1;
    while ((await relay.kill(story, { at, when: 'before', calls: 'all' })) === 'killed') at += 1;
    expect(at).toBeGreaterThan(12);
    // Half a write, and the moment right after each change.
    for (const when of ['within', 'after'] as const) {
      let change = 1;
      while ((await relay.kill(story, { at: change, when, calls: 'changes' })) === 'killed') change += 1;
    }
  });
});
