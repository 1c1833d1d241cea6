import type { Config } from '../app/base.js';

/** The clients whose limits we know, by a word in the name they introduce themselves with. */
const KNOWN = ['claude', 'gemini', 'codex', 'opencode'] as const;

/** How long a call of this client may block before it gets a pending handle, in ms; 0 = without a limit. */
export function handBackAfterMs(config: Config, clientName: string | undefined): number {
  const name = clientName?.toLowerCase() ?? '';
  const known = KNOWN.find((word) => name.includes(word)) ?? 'other';
  return config.get(`mcp.handBackSeconds.${known}`) * 1_000;
}
