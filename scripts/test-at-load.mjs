// Runs all tiers, several side by side, so that each is the load of the others, and tells the load under which they ran.
//   node scripts/test-at-load.mjs [--load 10] [--beside 3] [tier …]
// Where the tiers are less than the load that is asked for, processes that only compute make up for it. They end with the
// tiers. It ends as `.ci/run` does: with what failed, the load, and `N passed, N failed`.
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

/** Those that take long first. */
const TIERS = ['test:crash', 'test:nodes', 'test:agents', 'test:fleet', 'test', 'test:browser'];
const LOOK_MS = 5_000;
const BUSY = 'for (;;);';

process.chdir(fileURLToPath(new URL('..', import.meta.url)));
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { load: { type: 'string', default: '10' }, beside: { type: 'string', default: '3' } },
});
const wanted = Number(values.load);
const chosen = positionals.length > 0 ? positionals : TIERS;
const unknown = chosen.filter((tier) => !TIERS.includes(tier));
if (unknown.length > 0 || !(wanted > 0) || !(Number(values.beside) >= 1)) {
  console.error(
    `Unknown: ${unknown.join(' ') || '--load and --beside take numbers'}. Tiers: ${TIERS.join(' ')}`,
  );
  process.exit(2);
}

// Once: each tier would do it by itself, at the same time.
const prepared = spawnSync(process.execPath, ['scripts/prepare-tree.mjs'], { stdio: 'inherit' });
if (prepared.status !== 0) process.exit(prepared.status ?? 1);

const logs = mkdtempSync(join(tmpdir(), 'holdfast-load-'));
const loads = [];
const busy = [];
const stopBusy = () => {
  for (const child of busy.splice(0)) child.kill('SIGKILL');
};
process.on('exit', stopBusy);
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(130));

const looking = setInterval(look, LOOK_MS);
const waiting = [...chosen];
const results = [];
const lanes = Array.from({ length: Number(values.beside) }, async () => {
  for (let tier = waiting.shift(); tier !== undefined; tier = waiting.shift())
    results.push(await runTier(tier));
});
await Promise.all(lanes);
clearInterval(looking);
stopBusy();
tell();

/** The load of the last minute follows slowly: one process more or less at each look is enough. */
function look() {
  const [load] = loadavg();
  loads.push(load);
  if (load < wanted) busy.push(spawn('nice', ['-n', '5', process.execPath, '-e', BUSY], { stdio: 'ignore' }));
  else if (load > wanted + 2) busy.pop()?.kill('SIGKILL');
}

function runTier(tier) {
  const log = join(logs, `${tier.replace(':', '-')}.log`);
  const begunMs = performance.now();
  const output = openSync(log, 'w');
  const child = spawn('npm', ['run', '--silent', tier], {
    stdio: ['ignore', output, output],
    env: { ...process.env, CI: 'true', HOLDFAST_NO_SKIPS: '1' },
  });
  return new Promise((resolve) => {
    child.on('close', (code) => {
      const minutes = (performance.now() - begunMs) / 60_000;
      console.log(
        `${tier}: exit ${code} after ${minutes.toFixed(1)} min, load now ${loadavg()[0].toFixed(1)}`,
      );
      resolve({ tier, code, text: readFileSync(log, 'utf8') });
    });
  });
}

function tell() {
  const total = { passed: 0, failed: 0 };
  for (const { tier, code, text } of results) {
    for (const [line] of text.matchAll(/^(failed|skipped|unsteady): .*$/gm)) console.log(`${tier}: ${line}`);
    const count = /^(\d+) passed, (\d+) failed, (\d+) skipped$/m.exec(text);
    if (count === null) console.log(`${tier}: failed: the tier ended before its count (exit ${code})`);
    total.passed += Number(count?.[1] ?? 0);
    total.failed += count === null ? 1 : Number(count[2]) + Number(count[3]);
  }
  const sorted = loads.toSorted((a, b) => a - b);
  const at = (share) => sorted[Math.floor((sorted.length - 1) * share)]?.toFixed(1);
  console.log(`load: median ${at(0.5)}, one look in ten below ${at(0.1)}, highest ${at(1)}`);
  console.log(`${total.passed} passed, ${total.failed} failed`);
  if (total.failed === 0) rmSync(logs, { recursive: true, force: true });
  else console.log(`What they printed: ${logs}`);
  process.exit(total.failed === 0 ? 0 : 1);
}
