import { expect } from 'vitest';
import type { Fault, Script } from '../support/fake-model/server.mjs';
import type { Json } from '../support/holdfast-binary.js';
import { REAL_AGENTS, type RealAgent } from './real-agents.js';
import { runGround } from './run-ground.js';
import { WHOLE_WAY } from './run-plays.js';
import { itDrives } from './stage.js';

/** As many as the work takes, so that nothing may be spent on a limit. */
const LIMIT = ['--permissions', 'bypass', '--max-iterations', '4'];
const { claude, codex } = REAL_AGENTS;

/** Only an account with a subscription is told when its allowance comes back. */
const subscribed: RealAgent = {
  ...claude,
  environment(baseUrl) {
    const { ANTHROPIC_API_KEY: _, ...rest } = claude.environment(baseUrl);
    return { ...rest, CLAUDE_CODE_OAUTH_TOKEN: 'sk-fake-oauth' };
  },
};

/** The whole way, whose first request fails so often. */
function after(fault: Fault): Script {
  const [first, ...rest] = WHOLE_WAY.rules ?? [];
  if (first === undefined) throw new Error('the way has no first step');
  return { ...WHOLE_WAY, rules: [{ ...first, turn: { ...first.turn, fault } }, ...rest] };
}

function waitsIn(events: readonly Json[]): Json[] {
  return events.filter(({ type }) => type === 'waiting');
}

async function expectUnspent(world: Awaited<ReturnType<typeof runGround>>): Promise<void> {
  expect(world.state()).toMatchObject({ status: 'completed', usage: { iterations: 4 } });
  expect(world.loopFile('circuit-breaker.json')).toMatchObject({
    state: 'CLOSED',
    failed_run_count: 0,
    same_error_count: 0,
  });
}

itDrives(
  subscribed,
  'a run with the real claude waits for a usage limit that ends soon and goes on by itself',
  after({ type: 'usage_limit', times: 1, resetsInSeconds: 8 }),
  async (stage) => {
    await using world = await runGround(subscribed, stage);
    const { code, events } = await world.events(LIMIT);
    expect(code, JSON.stringify(events.slice(-5))).toBe(0);
    expect(waitsIn(events)).toMatchObject([
      { cause: 'quota', scope: '5h', words: expect.stringMatching(/^You've hit your 5-hour limit/) },
    ]);
    await expectUnspent(world);
  },
);

/** As often as it tries by itself, and once more. */
const RETRIES = { claude: 3, codex: 9 } as const;

for (const agent of [claude, codex]) {
  const times = RETRIES[agent.name as keyof typeof RETRIES];
  itDrives(
    agent,
    `a run with the real ${agent.name} backs off from an overloaded service until a person says now`,
    after({ type: 'overloaded', times }),
    async (stage) => {
      await using world = await runGround(agent, stage);
      await goesOnAtResume(world, 'overload');
    },
  );

  itDrives(
    agent,
    `a run with the real ${agent.name} that is not logged in halts at the first, with the way out`,
    after({ type: 'auth', times: 'always' }),
    async (stage) => {
      await using world = await runGround(agent, stage);
      const { code, events } = await world.events(LIMIT);
      expect(code).toBe(6);
      expect(events.at(-1)).toMatchObject({
        outcome: 'halted',
        reason: expect.stringMatching(
          /^the agent is not logged in \(".*Invalid API key.*"\)\. Log in with `/,
        ),
      });
      expect(events.filter(({ type }) => type === 'iteration-start')).toHaveLength(1);
      expect(world.loopFile('circuit-breaker.json')).toMatchObject({ state: 'CLOSED' });
    },
  );
}

itDrives(
  claude,
  'a run with the real claude whose network is gone backs off until a person says now',
  after({ type: 'reset_before_headers', times: RETRIES.claude }),
  async (stage) => {
    await using world = await runGround(claude, stage);
    await goesOnAtResume(world, 'network');
  },
);

async function goesOnAtResume(world: Awaited<ReturnType<typeof runGround>>, cause: string): Promise<void> {
  const run = world.begin([...LIMIT, '--json']);
  const [line = ''] = await run.printed('stdout', /^.*"type":"waiting".*$/m);
  expect(JSON.parse(line)).toMatchObject({ cause });
  expect(await world.run(['resume'])).toMatchObject({ code: 0 });
  expect(await run.ended).toMatchObject({ code: 0 });
  await expectUnspent(world);
}
