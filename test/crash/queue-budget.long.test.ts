import { describe, expect } from 'vitest';
import type { Json } from '../support/holdfast-binary.js';
import { until } from '../support/processes.js';
import { done, PLAN } from '../support/run-world.js';
import { verifies } from '../support/verifies.js';
import { type WorktreeWorld, worktreeWorld } from '../support/worktree-world.js';

// A worker and three runs side by side: too much for the quick tier.

const OPTIONS = ['--agent', 'player', '--phases', 'work', '--verify', 'true', '--permissions', 'bypass'];

async function add(world: WorktreeWorld): Promise<Json> {
  const { code, data } = await world.asideJson(['queue', 'add', PLAN, ...OPTIONS]);
  expect(code).toBe(0);
  return data[0];
}

describe('the queue', () => {
  verifies(
    'O05',
    'waits where the budget of a day is reached in an entry, until a person raises it',
    async () => {
      const paid = (cost: number) => ({ usage: { input: 100, output: 10, cost } });
      const cheap = { steps: [paid(0.5), { run: 'echo "// $$" >> adder.mjs' }, done] };
      const dear = { steps: [paid(5.02), { say: 'Not yet.' }] };
      await using world = await worktreeWorld([dear, cheap], {
        settings: { budget: { perDay: { costUsd: 5 } } },
      });
      const first = await add(world);
      const worker = world.start(['worker', '--slots', '3']);
      await until(async () => (await world.asideJson(['questions', 'list'])).data.length === 1);
      world.script([cheap]);
      const rest = [await add(world), await add(world)];
      const ids = [first, ...rest].map(({ id }) => id);
      const entriesOf = async () => {
        const { entries } = (await world.asideJson(['queue', 'list', '--all'])).data;
        return ids.map((id) => entries.find((one: Json) => one.id === id));
      };
      const reached = {
        reason: 'the daily budget is used up: $5.02 of $5.00',
        until: expect.any(String),
      };
      const [question = ''] = world.ids();
      await until(async () => (await entriesOf())[0]?.runWait?.question === question);
      expect(await entriesOf()).toMatchObject([
        { status: 'running', runWait: { question } },
        { status: 'queued', standing: { is: 'waits', ...reached } },
        { status: 'queued', standing: { is: 'waits', ...reached } },
      ]);
      expect(world.prompts()).toHaveLength(1);
      expect((await world.aside(['answer', question, '--option', 'Raise it to $10.00'])).code).toBe(0);
      await until(async () => (await entriesOf()).every((one) => one?.status === 'done'));
      expect([world.ids().length, world.prompts().length]).toEqual([1, 4]);
      worker.child.kill('SIGTERM');
      await worker.ended;
    },
  );
});
