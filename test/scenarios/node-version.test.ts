import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { done, RED, runWorld } from '../support/run-world.js';

/** What writes down the Node that it runs on. */
const NOTE =
  "import { appendFileSync } from 'node:fs';\nappendFileSync('versions.txt', process.version + '\\n');\n";

describe('the Node that tests are run on', () => {
  it('is the one that was asked for, and what the program starts runs on it as well', async () => {
    expect(process.version).toBe(process.env.HOLDFAST_TEST_NODE ?? process.version);
    const turn = { steps: [{ run: 'node note.mjs' }, ...RED.steps, done] };
    await using world = await runWorld([turn]);
    world.put('note.mjs', NOTE);
    const args = ['--verify', 'node note.mjs', '--max-iterations', '1', '--permissions', 'bypass'];
    await world.go(args);
    const versions = readFileSync(join(world.project, 'versions.txt'), 'utf8').trim().split('\n');
    // The check before the run, the agent's tool, the check behind it.
    expect(versions).toEqual([process.version, process.version, process.version]);
  });
});
