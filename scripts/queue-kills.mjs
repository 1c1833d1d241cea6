// kill -9 of workers, runs and agents at random while 8 workers empty a queue of 200 entries, or as many as are asked for:
// node scripts/queue-kills.mjs [entries]. It needs a build.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const [entries = '200'] = process.argv.slice(2);
const root = fileURLToPath(new URL('..', import.meta.url));
const vitest = fileURLToPath(new URL('../node_modules/vitest/vitest.mjs', import.meta.url));
const { status } = spawnSync(
  process.execPath,
  [vitest, 'run', '--project', 'crash', 'test/crash/queue-kills.long.test.ts', '--testTimeout=3600000'],
  { cwd: root, stdio: 'inherit', env: { ...process.env, HOLDFAST_TEST_QUEUE_ENTRIES: entries } },
);
process.exitCode = status ?? 1;
