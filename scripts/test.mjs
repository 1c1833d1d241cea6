// Runs one tier of checks and tests and ends with the names of what failed and a line `N passed, N failed, N skipped`.
//   node scripts/test.mjs                  checks, unit, scenarios, quick crash selection (npm test)
//   node scripts/test.mjs crash            the long fault runs
//   node scripts/test.mjs agents           real third-party programs
//   node scripts/test.mjs browser          the page in a real browser
//   node scripts/test.mjs fleet            several machines with a real PostgreSQL
//   node scripts/test.mjs binaries         all scenarios once more, each command by the built program
//   node scripts/test.mjs nodes [--all] [20.19 22 …]
//                                          unit tests and quick scenarios, or all, on every Node that we promise;
//                                          on the oldest all scenarios, each command by the built program
import { execFile, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isolation } from './agents-cache.mjs';
import { LINES, nodesOf } from './nodes-cache.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
process.chdir(root);
const [tier = 'default', ...options] = process.argv.slice(2);
const prepared = spawnSync(process.execPath, ['scripts/prepare-tree.mjs'], { stdio: 'inherit' });
if (prepared.status !== 0) process.exit(prepared.status ?? 1);

/** What takes long and says little about a Node: it is run on the one that `npm test` is run with. */
const SLOW_SCENARIOS = [
  'accounts',
  'chat',
  'chat-projects',
  'gates',
  'hostile-text',
  'inbox-attacks',
  'inbox-terminal',
  'notices',
  'permission-cards',
  'queue',
  'release-0.1',
  'run',
  'run-cost',
  'run-detached',
  'run-limits',
  'run-patience',
  'run-people',
  'run-questions',
  'run-resume-detached',
  'run-terminal',
  'service',
  'top',
  'worktree',
].map((name) => `test/scenarios/${name}.test.ts`);

/** Each command of a scenario is a process of the built program. */
const BINARIES = { HOLDFAST_TEST_BINARIES: '1' };

/** A compiler keeps nearly everything that it makes: to look through it again and again takes a fifth of its time. */
const LARGE_HEAP = ['--max-semi-space-size=128', '--single-threaded-gc'];

const CHECKS = [
  ['format and lint', ['node_modules/@biomejs/biome/bin/biome', 'check', '.']],
  ['types', ['scripts/check-types.mjs']],
  [
    'import table',
    [
      ...LARGE_HEAP,
      'node_modules/dependency-cruiser/bin/dependency-cruise.mjs',
      '--config',
      '.dependency-cruiser.cjs',
      'src',
    ],
  ],
  ['packed tarball', ['scripts/check-package.mjs']],
];

const TIERS = {
  // Side by side: tests wait much, and checks never do.
  default: () => Promise.all([runTests(['unit', 'scenarios', 'crash-quick']), runChecks()]),
  crash: () => runTests(['crash']),
  agents: () => {
    // Before the network goes away. What cannot be installed is skipped by its tests, loudly.
    spawnSync(process.execPath, ['scripts/agents-cache.mjs'], { stdio: 'inherit' });
    // Real agents run only where they can reach nobody; without that their tests are skipped.
    return runTests(['agents'], { way: isolation() ?? [], args: ['--maxConcurrency=3'] });
  },
  // A browser looks for its maker's hosts; it reaches nobody either.
  browser: () => runTests(['browser'], { way: isolation() ?? [] }),
  // Databases and machines on loopback.
  fleet: () => runTests(['fleet'], { way: isolation() ?? [] }),
  // What scenarios run in their own process elsewhere (docs/decisions/0265).
  binaries: () => runTests(['scenarios'], { env: BINARIES }),
  nodes: runOnNodes,
};

/** More than that is no noise of the machine. */
const MAX_FILES_AGAIN = 3;
const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;
const total = { passed: 0, failed: 0, skipped: 0 };
const failures = [];
const skips = [];
const unsteady = [];
await TIERS[tier]();
console.log('');
for (const name of skips) console.log(`skipped: ${name}`);
for (const name of unsteady) console.log(`unsteady: ${name}`);
for (const name of failures) console.log(`failed: ${name}`);
console.log(`${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped`);
process.exit(total.failed === 0 ? 0 : 1);

/** Each says its word when the tests are not in the middle of a line of theirs; what is wrong comes in one piece. */
async function runChecks() {
  await Promise.all(CHECKS.map(([name, args]) => runCheck(name, args)));
}

function runCheck(name, args) {
  return new Promise((resolve) => {
    execFile(process.execPath, args, { maxBuffer: MAX_OUTPUT_BYTES }, (error, stdout, stderr) => {
      if (error === null) total.passed += 1;
      else fail(name);
      console.log(`${error === null ? 'ok' : 'FAILED'}  ${name}`);
      if (error !== null) console.log(`${stdout}${stderr}`);
      for (const [, what] of stdout.matchAll(/^skipped: (.*)$/gm)) skip(what);
      resolve();
    });
  });
}

async function runOnNodes() {
  const lines = options.filter((option) => !option.startsWith('--'));
  const projects = ['unit', 'scenarios'];
  const args = options.includes('--all') ? [] : SLOW_SCENARIOS.map((path) => `--exclude=${path}`);
  const times = [];
  await runCheck('the library with the oldest zod', ['scripts/check-package.mjs', '--floor']);
  for (const { line, version, directory, reason } of nodesOf(lines.length > 0 ? lines : LINES)) {
    if (version === undefined) {
      times.push(`Node ${line}: SKIPPED, ${reason}`);
      skip(`Node ${line}: ${reason}`);
      continue;
    }
    console.log(`== Node ${version}`);
    const before = { ...total };
    const begunMs = performance.now();
    // First in PATH as well: programs that tests start are to run on it, whoever starts them.
    const env = { PATH: [directory, process.env.PATH].join(delimiter), HOLDFAST_TEST_NODE: `v${version}` };
    // On the oldest every scenario is run, and every command by the built program (docs/decisions/0265).
    const how = line === LINES[0] ? { args: [], env: { ...env, ...BINARIES } } : { args, env };
    await runTests(projects, { node: join(directory, 'node'), name: `Node ${version}`, ...how });
    const seconds = Math.round((performance.now() - begunMs) / 1_000);
    const counts = ['passed', 'failed', 'skipped'].map((what) => `${total[what] - before[what]} ${what}`);
    times.push(`Node ${version}: ${counts.join(', ')} in ${Math.floor(seconds / 60)} min ${seconds % 60} s`);
  }
  console.log(`\n${times.join('\n')}`);
}

/**
 * Runs the tests of some projects. The files of a few failures are run once more, alone: what passes then is told as
 * unsteady, by name, and what fails again has failed (docs/decisions/0136).
 */
async function runTests(projects, { way = [], node = process.execPath, name, env = {}, args = [] } = {}) {
  const prefix = name === undefined ? '' : `${name}: `;
  const parts = [node, 'node_modules/vitest/vitest.mjs', 'run', ...args];
  const command = [...way, ...parts, ...projects.flatMap((project) => ['--project', project])];
  const first = await runVitest(command, env);
  if (first.report === undefined)
    return fail(`${name ?? tier}: the test runner left no report: ${first.reason}`);
  const failed = failedIn(first.report);
  const files = [...new Set(failed.map(({ path }) => path))];
  const isWorthwhile = files.length > 0 && files.length <= MAX_FILES_AGAIN;
  if (isWorthwhile) console.log(`\n== once more, alone: ${files.join(', ')}`);
  const second = isWorthwhile ? await runVitest([...command, '--maxWorkers=1', ...files], env) : {};
  const steady = new Set(passedIn(second.report));
  total.passed += first.report.numPassedTests;
  for (const { path, test } of failed) {
    if (!steady.has(`${path}: ${test}`)) fail(`${prefix}${path}: ${test}`);
    else {
      total.passed += 1;
      unsteady.push(`${prefix}${path}: ${test}`);
    }
  }
  countSkips(first.report.testResults.flatMap((file) => file.assertionResults));
  if (failed.length === 0 && first.status !== 0)
    fail(`${prefix}an error outside of any test; the test runner ended with ${first.status}`);
}

async function runVitest([command, ...parameters], env) {
  const directory = mkdtempSync(join(tmpdir(), 'holdfast-test-'));
  const file = join(directory, 'report.json');
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${file}`];
  // A list of certificates that nobody needs here would cost every process that is started 30 ms.
  const { NODE_EXTRA_CA_CERTS: _certificates, ...own } = process.env;
  const child = spawn(command, [...parameters, ...reporters], { stdio: 'inherit', env: { ...own, ...env } });
  const status = await ended(child);
  try {
    return { status, report: JSON.parse(readFileSync(file, 'utf8')) };
  } catch (error) {
    return { status, reason: error.message };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

function ended(child) {
  return new Promise((resolve) => {
    child.on('error', () => resolve(null));
    child.on('close', (code) => resolve(code));
  });
}

/** Each test that failed, and each file that could not be run. */
function failedIn({ testResults }) {
  return testResults.flatMap(({ name, status, assertionResults, message }) => {
    const path = relative(root, name);
    const tests = assertionResults.filter((result) => result.status === 'failed');
    if (status === 'failed' && tests.length === 0)
      return [{ path, test: (message ?? '').split('\n')[0] || 'could not be run' }];
    return tests.map(({ fullName }) => ({ path, test: fullName }));
  });
}

function passedIn(report) {
  return (report?.testResults ?? []).flatMap(({ name, assertionResults }) =>
    assertionResults
      .filter(({ status }) => status === 'passed')
      .map(({ fullName }) => `${relative(root, name)}: ${fullName}`),
  );
}

function fail(name) {
  total.failed += 1;
  failures.push(name);
}

function skip(name) {
  total.skipped += 1;
  skips.push(name);
}

/** What this machine lacks is a skip; a clause of a contract for which a protocol has no words is told apart. */
function countSkips(results) {
  const skipped = results.filter(
    ({ status }) => status === 'pending' || status === 'skipped' || status === 'todo',
  );
  const isInapplicable = ({ fullName }) => fullName.includes('this agent has no');
  const inapplicable = skipped.filter(isInapplicable);
  for (const result of skipped) if (!isInapplicable(result)) skip(result.fullName);
  if (inapplicable.length > 0)
    console.log(`${inapplicable.length} clauses do not apply to an agent that lacks what they are about`);
}
