import { describe, expect, it } from 'vitest';
import { killAt, Relay, STORIES } from '../support/question-kills.js';
import { questionWorkers } from '../support/question-workers.js';

describe.concurrent('SIGKILL around every call of the file system leaves nothing to repair', () => {
  it.each(STORIES)('$name', async (story) => {
    await using workers = await questionWorkers();
    const relay = new Relay(workers);
    let at = 1;
    while ((await killAt(relay, story, { at, when: 'before', calls: 'all' })) === 'killed') at += 1;
    expect(at).toBeGreaterThan(12);
    // Half a write, and the moment right after each change.
    for (const when of ['within', 'after'] as const) {
      let change = 1;
      while ((await killAt(relay, story, { at: change, when, calls: 'changes' })) === 'killed') change += 1;
    }
  });
});
