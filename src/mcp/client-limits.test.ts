import { describe, expect } from 'vitest';
import { appWorld } from '../../test/support/app-world.js';
import { verifies } from '../../test/support/verifies.js';
import { handBackAfterMs } from './client-limits.js';

describe('how long a call may block', () => {
  const DEFAULTS: readonly [string | undefined, number][] = [
    ['claude-code', 0],
    ['Claude Desktop', 0],
    ['gemini-cli-mcp-client', 580_000],
    ['codex-mcp-client', 280_000],
    ['opencode', 50_000],
    ['OpenCode', 50_000],
    ['cursor-vscode', 50_000],
    ['', 50_000],
    [undefined, 50_000],
  ];
  for (const [client, ms] of DEFAULTS) {
    verifies(
      'Q18',
      `by client name: ${client ?? 'none'} ${ms === 0 ? 'blocks as long as it takes' : `gets a handle after ${ms / 1_000} s`}`,
      async () => {
        await using world = await appWorld();
        expect(handBackAfterMs(world.services().config, client)).toBe(ms);
      },
    );
  }

  verifies('Q18', 'the limits are configurable', async () => {
    await using world = await appWorld();
    world.configure({
      mcp: { handBackSeconds: { claude: 5, other: 0.5, gemini: 1, codex: 2, opencode: 3 } },
    });
    const { config } = world.services();
    expect(
      ['claude', 'x', 'gemini', 'codex', 'opencode'].map((name) => handBackAfterMs(config, name)),
    ).toEqual([5_000, 500, 1_000, 2_000, 3_000]);
  });
});
