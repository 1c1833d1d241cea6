// Races of two browsers, `holdfast answer` and an agent over MCP on one set, 1,000 of them or as many as are asked for:
// node scripts/web-races.mjs [races]. It needs a build.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const [races = '1000'] = process.argv.slice(2);
const root = fileURLToPath(new URL('..', import.meta.url));
const vitest = fileURLToPath(new URL('../node_modules/vitest/vitest.mjs', import.meta.url));
const { status } = spawnSync(
  process.execPath,
  [vitest, 'run', '--project', 'crash', 'test/crash/web-races.long.test.ts'],
  { cwd: root, stdio: 'inherit', env: { ...process.env, HOLDFAST_TEST_WEB_RACES: races } },
);
process.exitCode = status ?? 1;
