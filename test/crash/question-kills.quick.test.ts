import { describe, expect, it } from 'vitest';
import { killAt, Relay, STORIES } from '../support/question-kills.js';
import { questionWorkers } from '../support/question-workers.js';

// Between two calls that change nothing, a kill leaves the same disk behind; the long run kills around every single
// call.
describe.concurrent('SIGKILL before every other change of the disk leaves nothing to repair', () => {
  it.each(STORIES.filter((story) => story.isQuick))('$name', async (story) => {
    await using workers = await questionWorkers();
    const relay = new Relay(workers);
    let at = 1;
    while ((await killAt(relay, story, { at, when: 'before', calls: 'changes' })) === 'killed') at += 2;
    expect(at).toBeGreaterThan(8);
  });
});
