import { expect } from 'vitest';
import { converse } from '../support/agents.js';
import { failing } from './faults.js';
import { REAL_AGENTS } from './real-agents.js';
import { itDrives } from './stage.js';
import { describeRealAgent } from './suite.js';

const { claude } = REAL_AGENTS;

describeRealAgent(claude, {
  tellsRetry: true,
  overload: 'rate-limited',
  brokenFrame: 'completed',
  resumesFromNextMinute: false,
  hasSandbox: false,
  repeatsText: false,
  tellsCommandOutcome: true,
  survivesReset: true,
  hidesDeniedCalls: false,
  forgetsCancelledAnswer: false,
});

const RESETS_AT = Math.floor(Date.now() / 1_000) + 3_600;

itDrives(
  { ...claude, environment: (url) => subscription(claude.environment(url)) },
  'the real claude says when the usage limit of a subscription ends',
  failing('usage_limit', 'always', { resetsAt: RESETS_AT }),
  async ({ start, model }) => {
    const turn = await converse(await start(), 'go');
    expect(turn.reason).toBe('rate-limited');
    expect(turn.of('rate-limit')).toMatchObject([
      { status: 'rejected', resetsAt: new Date(RESETS_AT * 1_000).toISOString() },
    ]);
    expect(model.requests()).toHaveLength(1);
  },
);

/** Limits with an end are only for those who are logged in. */
function subscription({ ANTHROPIC_API_KEY: _, ...environment }: Readonly<Record<string, string>>) {
  return { ...environment, CLAUDE_CODE_OAUTH_TOKEN: 'sk-fake-oauth' };
}
