import { describe, expect, it } from 'vitest';
import { done, GREEN, RED, runWorld, say } from '../support/run-world.js';

const COST = 0.005;
const CUT = { steps: [say('I begin.'), { delay: 60_000 }] };

describe('what a run costs', () => {
  it.each(['claude', 'acp'] as const)(
    'is known of every exchange, also after a resume (%s)',
    async (protocol) => {
      await using world = await runWorld([RED, CUT, GREEN, { steps: [done] }], { protocol });
      const run = world.begin(['--json']);
      await run.printed('stdout', /I begin/);
      run.child.kill('SIGKILL');
      await run.ended;
      expect(await world.go(['--resume', '--max-iterations', '2'])).toMatchObject({ code: 7 });
      // The first time the process was killed, the second time it had ended.
      expect(await world.go(['--resume', '--max-iterations', '3'])).toMatchObject({ code: 7 });
      const { data } = await world.json(['report']);
      expect(data.usage.costUsd).toBeCloseTo(3 * COST, 10);
      expect(
        data.phases.map(({ name, costUsd }: { name: string; costUsd: number }) => [name, costUsd]),
      ).toEqual([
        ['RED', expect.closeTo(COST, 10)],
        ['GREEN', expect.closeTo(COST, 10)],
        ['REFACTOR', expect.closeTo(COST, 10)],
        ['DOCUMENT', 0],
      ]);
    },
  );
});
