import { visibleLine } from '../../foundation/index.js';
import type { Launch } from './schema.js';

/** The parts of a launch that count, and their names. */
const PARTS = {
  driver: 'driver',
  command: 'command',
  args: 'args',
  workingDirectory: 'working directory',
  env: 'env',
  permissions: 'permissions',
  model: 'model',
  mcpServers: 'MCP servers',
} as const satisfies Record<keyof Launch, string>;

/** How a launch differs from the one before, one line per part; empty if it does not. */
export function launchDifferences(before: Launch, now: Launch): string[] {
  const parts = Object.entries(PARTS) as [keyof Launch, string][];
  return parts
    .filter(([part]) => JSON.stringify(before[part]) !== JSON.stringify(now[part]))
    .map(([part, name]) =>
      visibleLine(`${name}: ${JSON.stringify(before[part])}, now ${JSON.stringify(now[part])}`),
    );
}
