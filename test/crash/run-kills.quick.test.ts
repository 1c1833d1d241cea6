import { it } from 'vitest';
import { killRunsAtRandom } from '../support/run-kills.js';

it('a run that is killed 7 times, or its agent, its MCP server or its check, goes on each time', async () => {
  await killRunsAtRandom(7, 5);
});
