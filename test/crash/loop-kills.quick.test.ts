import { describe, expect, it } from 'vitest';
import { killLoopAt, LOOP_STORIES, LoopRelay } from '../support/loop-kills.js';

// Between two calls that change nothing, a kill leaves the same disk behind; the long run kills around every call.
describe('SIGKILL before every fifth change of the disk: the old iteration or the new one', () => {
  it.each(LOOP_STORIES)('$name', async (story) => {
    await using relay = await LoopRelay.start();
    let at = 1;
    while ((await killLoopAt(story, { at, when: 'before', calls: 'changes' }, relay)) === 'killed') at += 5;
    expect(at).toBeGreaterThan(20);
  });
});
