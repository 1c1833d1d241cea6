import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { eventually } from '../support/agents.js';
import type { Script } from '../support/fake-model/server.mjs';
import type { Json } from '../support/holdfast-binary.js';
import { CHECK, PLAN } from '../support/run-world.js';
import { REAL_AGENTS, type RealAgent } from './real-agents.js';
import { reaches, runGround } from './run-ground.js';
import { WHOLE_WAY } from './run-plays.js';
import { itDrives } from './stage.js';

const { claude, codex } = REAL_AGENTS;

/** Only an account with a subscription is told when its allowance comes back. */
const subscribed: RealAgent = {
  ...claude,
  environment(baseUrl) {
    const { ANTHROPIC_API_KEY: _, ...rest } = claude.environment(baseUrl);
    return { ...rest, CLAUDE_CODE_OAUTH_TOKEN: 'sk-fake-oauth' };
  },
};

/** The whole way, whose first request meets the wall. */
function walled(): Script {
  const [first, ...rest] = WHOLE_WAY.rules ?? [];
  if (first === undefined) throw new Error('the way has no first step');
  const fault = { type: 'usage_limit', times: 1, resetsInSeconds: 3_600 } as const;
  return { ...WHOLE_WAY, rules: [{ ...first, turn: { ...first.turn, fault } }, ...rest] };
}

for (const agent of [subscribed, codex])
  itDrives(
    agent,
    `two runs with the real ${agent.name} wait for the wall that one of them met, and go on after the reset`,
    walled(),
    async (stage) => {
      await using world = await runGround(agent, stage);
      const second = world.dir.at('second');
      mkdirSync(second);
      cpSync(join(world.project, 'docs'), join(second, 'docs'), { recursive: true });
      const begin = (cwd: string) =>
        world.start(
          [
            'run',
            PLAN,
            '--agent',
            'player',
            '--verify',
            CHECK,
            '--permissions',
            'bypass',
            '--json',
            '--dirty',
          ],
          { cwd },
        );
      const path = join(world.env.HOLDFAST_HOME ?? '', 'state', 'accounts', 'player.json');
      const window = (): Json => (existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : undefined);
      const one = begin(world.project);
      await one.printed('stdout', /"type":"waiting","cause":"quota"/);
      const asked = stage.model.requests().length;
      const two = begin(second);
      await two.printed('stdout', /"type":"waiting","cause":"quota"/);
      await reaches(two, () => window()?.waiting.length === 2);
      expect(stage.model.requests()).toHaveLength(asked);

      const until = new Date(Date.now() + 1_000).toISOString();
      writeFileSync(`${path}.moved`, JSON.stringify({ ...window(), until }));
      renameSync(`${path}.moved`, path);
      for (const run of [one, two])
        expect(await run.ended, run.stdout.slice(-2_000)).toMatchObject({ code: 0 });
      await eventually(() => window() === undefined);
    },
  );
