// Sixteen worker processes, 5,000 entries, connections cut between commit and reply: each is taken exactly once.
// The same test as in CI, longer: node scripts/fleet/queue-5000.mjs [entries]
import { spawnSync } from 'node:child_process';

const entries = process.argv[2] ?? '5000';
const { status } = spawnSync(
  'npx',
  ['vitest', 'run', '--project', 'fleet', 'test/fleet/queue-race.test.ts'],
  {
    stdio: 'inherit',
    env: { ...process.env, HOLDFAST_QUEUE_ENTRIES: entries },
  },
);
process.exitCode = status ?? 1;
