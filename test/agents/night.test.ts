import { expect } from 'vitest';
import type { Fault, Script } from '../support/fake-model/server.mjs';
import { nightWorld } from '../support/night-world.js';
import { REAL_AGENTS, type RealAgent } from './real-agents.js';
import { WHOLE_WAY } from './run-plays.js';
import { itDrives, type Stage } from './stage.js';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** So many tries, each twice as long after the last, take an hour. */
const TRIES_IN_AN_HOUR = 7;
/** Some days ahead, whenever this runs. */
const WEEKLY = `${new Date(Date.now() + 3 * DAY_MS).toISOString().slice(0, 10)}T02:35:00.000Z`;

const SOON: Fault = { type: 'usage_limit', times: 1, resetsInSeconds: 100 };
const THIS_WEEK: Fault = {
  type: 'usage_limit',
  times: 1,
  claim: 'seven_day',
  resetsAt: Date.parse(WEEKLY) / 1_000,
};
const { claude, codex, gemini } = REAL_AGENTS;

/** Only an account with a subscription is told when its allowance comes back. */
const subscribed: RealAgent = {
  ...claude,
  environment(baseUrl) {
    const { ANTHROPIC_API_KEY: _, ...rest } = claude.environment(baseUrl);
    return { ...rest, CLAUDE_CODE_OAUTH_TOKEN: 'sk-fake-oauth' };
  },
};

/** The four phases, each of which begins with one of these. */
function troubled(...faults: readonly (Fault | undefined)[]): Script {
  const left = [...faults];
  const rules = (WHOLE_WAY.rules ?? []).map((rule) => {
    const fault = rule.when?.step === 0 ? left.shift() : undefined;
    return fault === undefined ? rule : { ...rule, turn: { ...rule.turn, fault } };
  });
  return { ...WHOLE_WAY, rules };
}

/** The clock begins with the real one, because the agents tell times, and runs ahead whenever the run waits. */
function night(agent: RealAgent, stage: Stage) {
  return nightWorld({
    service: agent.name,
    now: new Date().toISOString(),
    budget: { iterations: 4 },
    turns: (project) => {
      stage.places.push(project);
      return ({ resume, signal }) => stage.start({ workingDirectory: project, resume, signal });
    },
  });
}

/** How often each asks before it gives a turn up, and what it cannot be made to tell: Codex waits for a network by itself. */
const NIGHTS = [
  { agent: subscribed, requests: 3, hasNetworkTrouble: true, words: /^You've hit your .* limit · resets / },
  // A time of day for the first, a date for the second.
  { agent: codex, requests: 9, hasNetworkTrouble: false, words: / try again at (\d+:\d+ [AP]M|\w+ \d+)/ },
  { agent: gemini, requests: 2, hasNetworkTrouble: true, words: null },
] as const;

for (const { agent, requests, hasNetworkTrouble, words } of NIGHTS) {
  const times = TRIES_IN_AN_HOUR * requests;
  const network: Fault | undefined = hasNetworkTrouble ? { type: 'reset_before_headers', times } : undefined;
  itDrives(
    agent,
    `R11: a night of limits with the real ${agent.name} goes on by itself to the end and spends nothing on them`,
    troubled(SOON, { type: 'overloaded', times }, network, THIS_WEEK),
    async (stage) => {
      await using world = await night(agent, stage);
      const startMs = world.clock.now().getTime();
      expect(await world.run()).toEqual({ outcome: 'completed', reason: null });
      expect(world.loops.get()?.state).toMatchObject({ status: 'completed', usage: { iterations: 4 } });
      expect(world.loops.get()?.documents.breaker).toMatchObject({
        state: 'CLOSED',
        failedRunCount: 0,
        sameErrorCount: 0,
      });
      const causes = world.waits().map(({ cause }) => cause);
      expect(causes).toContain('overload');
      expect(causes.includes('network')).toBe(hasNetworkTrouble);
      expect(world.clock.now().getTime() - startMs).toBeGreaterThan(HOUR_MS);
      const [soon, thisWeek, ...more] = world.waits().filter((wait) => wait.cause === 'quota');
      expect([soon, thisWeek, more]).toEqual([expect.anything(), expect.anything(), []]);
      // Gemini tells no time.
      if (words === null) return;
      expect([soon?.words, thisWeek?.words]).toEqual([
        expect.stringMatching(words),
        expect.stringMatching(words),
      ]);
      expect(thisWeek?.until).toBe(WEEKLY);
      expect(minutesAfter(startMs, soon?.until)).toBeLessThanOrEqual(3);
    },
  );
}

function minutesAfter(startMs: number, time: string | null | undefined): number {
  return (Date.parse(time ?? '') - startMs) / 60_000;
}
