import { describe, expect, it } from 'vitest';
import { ChangeRelay, KILL_STORIES, killChangeAt } from '../support/change-kills.js';

// Between two calls that change nothing, a kill leaves the same disk behind; the long run kills around every call.
describe('SIGKILL before every third change of the disk: the next command works, nothing is lost or doubled', () => {
  it.each(KILL_STORIES.filter((story) => story.isQuick))('$name', async (story) => {
    await using relay = await ChangeRelay.start();
    let at = 1;
    while ((await killChangeAt(relay, story, { at, when: 'before', calls: 'changes' })) === 'killed') at += 3;
    expect(at).toBeGreaterThan(12);
  });
});
