import { describe, expect, it } from 'vitest';
import { ChangeRelay, KILL_STORIES, killChangeAt } from '../support/change-kills.js';

describe('SIGKILL around every call of the file system: the next command works, nothing is lost or doubled', () => {
  it.each(KILL_STORIES)('$name', async (story) => {
    await using relay = await ChangeRelay.start();
    let at = 1;
    while ((await killChangeAt(relay, story, { at, when: 'before', calls: 'all' })) === 'killed') at += 1;
    expect(at).toBeGreaterThan(12);
    // Half a write, and the moment right after each change.
    for (const when of ['within', 'after'] as const) {
      let change = 1;
      while ((await killChangeAt(relay, story, { at: change, when, calls: 'changes' })) === 'killed')
        change += 1;
    }
  });
});
