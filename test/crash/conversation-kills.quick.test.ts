import { describe, expect, it } from 'vitest';
import { ConversationRelay, STORIES } from './conversation-kills.js';

// Between two calls that change nothing, a kill leaves the same disk behind; the long run kills around every call.
describe('SIGKILL before every other change of the disk loses no turn of a conversation', () => {
  it.each(STORIES)('$act', async (story) => {
    await using relay = new ConversationRelay();
    let at = 1;
    while ((await relay.kill(story, { at, when: 'before', calls: 'changes' })) === 'killed') at += 2;
    expect(at).toBeGreaterThan(4);
  });
});
