import { visibleLine } from '../../foundation/index.js';
import type { Launch } from './schema.js';

/** How a launch differs from the one before, one line each; empty when it does not. */
export function launchDifferences(before: Launch, now: Launch): string[] {
  const keys: (keyof Launch & string)[] = [
    'driver',
    'command',
    'args',
    'working_dir',
    'env',
    'permissions',
    'model',
    'mcp_servers',
  ];
  return keys
    .filter((key) => JSON.stringify(before[key]) !== JSON.stringify(now[key]))
    .map((key) => visibleLine(`${key}: ${JSON.stringify(before[key])}, now ${JSON.stringify(now[key])}`));
}
