import { execFileSync } from 'node:child_process';
import { agentPaths } from '../../scripts/agents-cache.mjs';

/** Runs the real program where it can reach nobody and knows nobody. */
export function openspec(home: string, project: string, ...args: string[]): string {
  return execFileSync(agentPaths().openspec?.command ?? '', args, {
    cwd: project,
    encoding: 'utf8',
    env: {
      PATH: process.env.PATH,
      HOME: home,
      TMPDIR: home,
      CI: '1',
      NO_COLOR: '1',
      OPENSPEC_TELEMETRY: '0',
      DO_NOT_TRACK: '1',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}
