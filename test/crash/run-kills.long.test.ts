import { it } from 'vitest';
import { killRunsAtRandom } from '../support/run-kills.js';

// Run at the same time, because most of it is waiting.
it.concurrent('a run that is killed 200 times, or its agent, its MCP server or its check, goes on each time', async () => {
  await killRunsAtRandom(200, 31);
});

it.concurrent('Ctrl+C at 100 random instants: exit code 130, nothing left, resumable each time', async () => {
  await killRunsAtRandom(100, 32, ['interrupt']);
});
