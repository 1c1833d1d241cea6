// The drill of test/fleet/guard.test.ts with 200 random faults: never two agents of one run, nor tools of two. Prints how long takeovers took.
// Usage: node scripts/fleet/faults-200.mjs [faults] [seed]
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const [faults = '200', seed = String(Date.now() % 100_000)] = process.argv.slice(2);
console.log(`${faults} faults, seed ${seed}`);
const { status } = spawnSync(
  'npx',
  ['vitest', 'run', '--project', 'fleet', 'test/fleet/guard.test.ts', '-t', 'random faults'],
  {
    cwd: fileURLToPath(new URL('../..', import.meta.url)),
    stdio: 'inherit',
    env: { ...process.env, HOLDFAST_FAULTS: faults, HOLDFAST_SEED: seed },
  },
);
process.exit(status ?? 1);
