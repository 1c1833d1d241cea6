import { expect, it } from 'vitest';
import { ACP_PRESETS } from './presets.js';

it('the log of opencode shows why it is silent: when, and what its service said', () => {
  const line =
    'timestamp=2026-11-15T21:40:48.944Z level=ERROR run=6ed3e611 message="stream error" providerID=fake modelID=fake-model ' +
    'session.id=ses_e1 small=false agent=build mode=primary error.error="AI_APICallError: This request would exceed your ' +
    'account\'s rate limit. Please try again later."';
  const log = `timestamp=2026-11-15T21:40:40.000Z level=ERROR run=6ed3e611 message="other"\n${line}\n`;
  const told = [...log.matchAll(ACP_PRESETS.opencode.loggedTrouble ?? /$^/g)].map(({ groups }) => ({
    ...groups,
  }));
  expect(told).toEqual([
    {
      at: '2026-11-15T21:40:48.944Z',
      words: "This request would exceed your account's rate limit. Please try again later.",
    },
  ]);
});
