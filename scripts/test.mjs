// Runs one tier of checks and tests and ends with a line `N passed, N failed, N skipped`.
//   node scripts/test.mjs          checks, unit, scenarios, quick crash selection (npm test)
//   node scripts/test.mjs crash    the long fault runs
//   node scripts/test.mjs agents   real third-party programs
import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isolation } from './agents-cache.mjs';

process.chdir(fileURLToPath(new URL('..', import.meta.url)));
const tier = process.argv[2] ?? 'default';
const prepared = spawnSync(process.execPath, ['scripts/prepare-tree.mjs'], { stdio: 'inherit' });
if (prepared.status !== 0) process.exit(prepared.status ?? 1);
// Before the network goes away. What cannot be installed is skipped by its tests, loudly.
if (tier === 'agents') spawnSync(process.execPath, ['scripts/agents-cache.mjs'], { stdio: 'inherit' });

const PROJECTS = { default: ['unit', 'scenarios', 'crash-quick'], crash: ['crash'], agents: ['agents'] };
const CHECKS = [
  ['format and lint', ['node_modules/@biomejs/biome/bin/biome', 'check', '.']],
  ['types', ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.json', '--noEmit']],
  [
    'import table',
    [
      'node_modules/dependency-cruiser/bin/dependency-cruise.mjs',
      '--config',
      '.dependency-cruiser.cjs',
      'src',
    ],
  ],
  ['packed tarball', ['scripts/check-package.mjs']],
];

const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;
const total = { passed: 0, failed: 0, skipped: 0 };
if (tier === 'default') await Promise.all(CHECKS.map(([name, args]) => runCheck(name, args)));
runTests(PROJECTS[tier]);
console.log(`\n${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped`);
process.exit(total.failed === 0 ? 0 : 1);

function runCheck(name, args) {
  return new Promise((resolve) => {
    execFile(process.execPath, args, { maxBuffer: MAX_OUTPUT_BYTES }, (error, stdout, stderr) => {
      const isGood = error === null;
      total[isGood ? 'passed' : 'failed'] += 1;
      console.log(`${isGood ? 'ok' : 'FAILED'}  ${name}`);
      if (!isGood) console.log(`${stdout}${stderr}`);
      resolve();
    });
  });
}

function runTests(projects) {
  const directory = mkdtempSync(join(tmpdir(), 'holdfast-test-'));
  const report = join(directory, 'report.json');
  const args = [
    'node_modules/vitest/vitest.mjs',
    'run',
    '--reporter=default',
    '--reporter=json',
    `--outputFile.json=${report}`,
    // Each test of the agents is a program of some weight.
    ...(tier === 'agents' ? ['--maxConcurrency=3'] : []),
  ];
  // Real agents run only where they can reach nobody; without that their tests are skipped.
  const way = tier === 'agents' ? (isolation() ?? []) : [];
  const projectArgs = projects.flatMap((name) => ['--project', name]);
  const [command, ...parameters] = [...way, process.execPath, ...args, ...projectArgs];
  // A list of certificates that nobody needs here would cost every process that is started 30 ms.
  const { NODE_EXTRA_CA_CERTS: _certificates, ...env } = process.env;
  const result = spawnSync(command, parameters, { stdio: 'inherit', env });
  try {
    const counts = JSON.parse(readFileSync(report, 'utf8'));
    total.passed += counts.numPassedTests;
    total.failed += counts.numFailedTests;
    countSkips(counts.testResults.flatMap((file) => file.assertionResults));
    if (total.failed === 0 && result.status !== 0) total.failed += 1;
  } catch (error) {
    console.log(`The test runner left no report: ${error.message}`);
    total.failed += 1;
  }
  rmSync(directory, { recursive: true, force: true });
}

/** What this machine lacks is a skip; a clause of a contract for which a protocol has no words is told apart. */
function countSkips(results) {
  const skipped = results.filter(
    ({ status }) => status === 'pending' || status === 'skipped' || status === 'todo',
  );
  const inapplicable = skipped.filter(({ fullName }) => fullName.includes('this agent has no'));
  for (const { fullName } of skipped) console.log(`skipped: ${fullName}`);
  if (inapplicable.length > 0)
    console.log(`${inapplicable.length} clauses do not apply to an agent that lacks what they are about`);
  total.skipped += skipped.length - inapplicable.length;
}
