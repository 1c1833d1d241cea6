// The types of everything: the product with its tests, then the page of the browser.
//   node scripts/check-types.mjs
// By the compiler that is a program of its own (docs/decisions/0273); what is shipped is made by the other one.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const PROJECTS = ['tsconfig.json', 'src/web/page/tsconfig.json'];
const COMPILER = 'node_modules/typescript-native/bin/tsc';

/** Several checkers look at the same types again, each for itself: on two cores beside the tests one is cheaper. */
const ONE_CHECKER = ['--checkers', '1'];

/** A compiler keeps nearly everything that it makes: to look through it again and again takes a third of its time. */
const env = { GOGC: '400', ...process.env };

process.chdir(fileURLToPath(new URL('..', import.meta.url)));
const results = PROJECTS.map((project) =>
  spawnSync(process.execPath, [COMPILER, '--noEmit', ...ONE_CHECKER, '-p', project], {
    stdio: 'inherit',
    env,
  }),
);
for (const { error } of results) if (error !== undefined) console.error(error.message);
process.exitCode = results.every(({ status }) => status === 0) ? 0 : 1;
