import { describe, expect, it } from 'vitest';
import { killLoopAt, LOOP_STORIES, LoopRelay, startLooper } from '../support/loop-kills.js';
import { SeededRandom } from '../support/seeded-random.js';
import { tempDir } from '../support/temp-dir.js';

describe('SIGKILL around every call of the file system: the old iteration or the new one', () => {
  it.each(LOOP_STORIES)('$name', async (story) => {
    await using relay = await LoopRelay.start();
    let at = 1;
    while ((await killLoopAt(story, { at, when: 'before', calls: 'all' }, relay)) === 'killed') at += 1;
    expect(at).toBeGreaterThan(40);
    for (const when of ['within', 'after'] as const) {
      let change = 1;
      while ((await killLoopAt(story, { at: change, when, calls: 'changes' }, relay)) === 'killed')
        change += 1;
    }
  });
});

const KILLS = 500;

describe('SIGKILL at random instants', () => {
  it(`${KILLS} times: one consistent iteration each time, and none that was acknowledged is lost`, async () => {
    await using dir = await tempDir();
    const directory = dir.at('.prp-session');
    const random = new SeededRandom(500);
    let next = startLooper();
    let acknowledged = 0;
    {
      await using maker = await startLooper();
      await maker.call('create', { directory });
    }
    for (let kill = 0; kill < KILLS; kill++) {
      const victim = await next;
      next = startLooper();
      const wanted = acknowledged + 1 + random.below(3);
      const spins = random.below(40_000);
      await new Promise<void>((resolve) => {
        victim.onNote((iteration) => {
          acknowledged = Math.max(acknowledged, iteration);
          if (iteration !== wanted) return;
          // Somewhere in the middle of what it does next.
          for (let spin = 0; spin < spins; spin++) Math.sqrt(spin);
          victim.kill();
        });
        victim.call('churn', { directory }).catch(() => resolve());
      });
      await victim.ended;
      const successor = await next;
      const { before, after, blocks } = await successor.call('succeed', { directory });
      const what = `kill ${kill}: ${JSON.stringify({ before, after, blocks, acknowledged })}`;
      for (const seen of [before, after]) {
        expect(seen.faults, what).toEqual([]);
        expect(new Set(seen.iterations).size, what).toBe(1);
      }
      expect(blocks, what).toBe(after.iterations[0]);
      expect(after.iterations[0], what).toBeGreaterThanOrEqual(acknowledged);
      expect(after.iterations[0], what).toBeLessThanOrEqual(acknowledged + 2);
      acknowledged = after.iterations[0] ?? 0;
    }
    await (await next)[Symbol.asyncDispose]();
  });
});
