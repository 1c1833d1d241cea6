// Makes the pictures of the page in docs/web/, with a real server, real runs and a real browser.
//   node scripts/build.mjs && node scripts/page-pictures.mjs
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const test = [
  'node_modules/vitest/vitest.mjs',
  'run',
  '--project',
  'browser',
  'test/browser/pictures.test.ts',
  'test/browser/report.test.ts',
];
const env = { ...process.env, HOLDFAST_PAGE_PICTURES: `${root}docs/web` };
process.exit(spawnSync(process.execPath, test, { cwd: root, stdio: 'inherit', env }).status ?? 1);
