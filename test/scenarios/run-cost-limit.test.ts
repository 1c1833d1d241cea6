import { describe, expect } from 'vitest';
import { PLAN, RED, runWorld } from '../support/run-world.js';
import { verifies } from '../support/verifies.js';

const LIMIT = ['--max-cost', '1', '--max-iterations', '1'];

describe('a limit in dollars', () => {
  verifies('R08', 'is refused where nobody knows the cost, before an agent is started', async () => {
    await using world = await runWorld([RED], { protocol: 'codex' });
    const unnamed = await world.go(LIMIT);
    expect(unnamed.code).toBe(2);
    expect(unnamed.stderr).toContain('--max-tokens');
    const unlisted = await world.go([...LIMIT, '--model', 'my-own-model']);
    expect(unlisted.code).toBe(2);
    expect(unlisted.stderr).toContain('prices.my-own-model');
    // An entry would fail at its turn, in the middle of the night.
    const queued = await world.run([
      'queue',
      'add',
      PLAN,
      '--agent',
      'player',
      '--in-place',
      '--max-cost',
      '1',
    ]);
    expect(queued).toMatchObject({ code: 2, stderr: expect.stringContaining('--max-tokens') });
    expect((await world.asideJson(['queue', 'list', '--all'])).data.entries).toEqual([]);
    await world.run(['queue', 'add', PLAN, '--agent', 'player', '--in-place']);
    const [entry] = (await world.asideJson(['queue', 'list'])).data.entries;
    const edited = await world.run(['queue', 'edit', entry.id, '--max-cost', '1']);
    expect(edited).toMatchObject({ code: 2, stderr: expect.stringContaining('--max-tokens') });
    expect(world.prompts()).toEqual([]);
  });

  verifies('R08', 'is kept by the price of the list, which is shown as such', async () => {
    await using world = await runWorld([RED], { protocol: 'codex' });
    expect(await world.go([...LIMIT, '--model', 'gpt-5.5'])).toMatchObject({ code: 7 });
    const { data } = await world.asideJson(['report']);
    expect(data.usage).toMatchObject({ costSource: 'priced', pricedUsd: data.usage.costUsd });
    expect(data.usage.costUsd).toBeGreaterThan(0);
    expect((await world.run(['report'])).stdout).toMatch(/^cost +≈ \$.*\nprices +@pydantic\/genai-prices /m);
  });

  verifies('R08', 'is not needed to see that a cost is unknown', async () => {
    await using world = await runWorld([RED], { protocol: 'codex' });
    expect(await world.go(['--max-iterations', '1'])).toMatchObject({ code: 7 });
    expect((await world.run(['report'])).stdout).toMatch(/^cost +unknown$/m);
    expect((await world.run(['status'])).stdout).toContain('unknown');
  });
});
