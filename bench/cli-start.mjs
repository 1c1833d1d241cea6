// PERF-16: what a command costs from a cold start, beside bare Node and beside a command that does nothing.
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { BUILD, inRotation, median, now, ROOT, ratio, scratchDirectory, untilSteady } from './lib.mjs';

const SHIPPED = path.join(ROOT, 'dist', 'cli', 'holdfast.cjs');
/** The same sources and the same build, with one more command; see empty-cli.ts. */
const WITH_EMPTY = path.join(BUILD, 'cli', 'holdfast.cjs');

const QUESTIONS = JSON.stringify({
  questions: [{ title: 'Deploy', prompt: 'Deploy now?', options: [{ label: 'Yes' }, { label: 'No' }] }],
});
const ASK = ['ask', '--no-wait', QUESTIONS];

const BARE = 'node -e 0';
const EMPTY = 'an empty command';

/** What is started, by name. `prepare` runs before each start, off the clock, and its output goes to `args`. */
const COMMANDS = [
  { name: BARE, args: () => ['-e', '0'] },
  { name: EMPTY, args: () => [WITH_EMPTY, 'empty'] },
  { name: '--version', args: () => [SHIPPED, '--version'], against: BARE, atMost: 1.1 },
  { name: '--help', args: () => [SHIPPED, '--help'], against: BARE, atMost: 1.1 },
  {
    name: 'questions list (100 sets)',
    sets: 100,
    args: () => [WITH_EMPTY, 'questions', 'list'],
    against: EMPTY,
    atMost: 1.15,
  },
  {
    name: 'answer',
    prepare: (home) => start([WITH_EMPTY, ...ASK], home).trim(),
    args: (id) => [WITH_EMPTY, 'answer', id, '--option', 'Yes'],
    against: EMPTY,
    atMost: 1.15,
  },
  { name: 'ask --no-wait', args: () => [WITH_EMPTY, ...ASK], against: EMPTY, atMost: 1.15 },
];

/** All commands are started in the same rounds, so the rows share one measurement. */
let measurement;

export const rows = COMMANDS.filter(({ against }) => against !== undefined).map((command) => ({
  id: 'PERF-16',
  what: `holdfast ${command.name}`,
  goal: `<= ${command.atMost} of ${command.against}`,
  run: async ({ isQuick }) => {
    measurement ??= untilSteady(() => measureStarts(isQuick));
    return rowOf(command, await measurement);
  },
}));

async function measureStarts(isQuick) {
  if (!fs.existsSync(SHIPPED)) throw new Error('dist/cli is missing: npm run build');
  const { buildCli } = await import('../scripts/build.mjs');
  await buildCli(path.dirname(WITH_EMPTY), {
    entries: { holdfast: 'bench/empty-entry.ts', ralphtool: 'src/cli/programs/ralphtool.ts' },
    quick: { quick: 'bench/empty-cli.ts' },
  });
  const homes = new Map(COMMANDS.map((command) => [command.name, makeHome(command.sets ?? 0)]));
  const series = Object.fromEntries(COMMANDS.map(({ name }) => [name, []]));
  await inRotation(COMMANDS, isQuick ? 7 : 31, ({ name, args, prepare }, round) => {
    const home = homes.get(name);
    const command = args(prepare?.(home));
    const startedAt = now();
    start(command, home);
    if (round >= 0) series[name].push(now() - startedAt);
  });
  return { series, steady: [series[BARE], series[EMPTY]] };
}

/** A home of its own for each command, with as many pending question sets as it needs. */
function makeHome(sets) {
  const home = scratchDirectory('home');
  for (let count = 0; count < sets; count++) start([WITH_EMPTY, ...ASK], home);
  return home;
}

function start(args, home) {
  const { status, stdout, stderr } = spawnSync(process.execPath, args, {
    cwd: home,
    env: { PATH: process.env.PATH, HOME: home, HOLDFAST_HOME: path.join(home, 'holdfast'), NO_COLOR: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
    encoding: 'utf8',
  });
  if (status === 0) return stdout;
  throw new Error(`${args.slice(1).join(' ')} ended with ${status}: ${stderr.split('\n')[0]}`);
}

function rowOf({ name, against, atMost }, { series, ...measured }) {
  const value = ratio(series[name], series[against]);
  const overMs = median(series[name].map((ms, round) => ms - series[against][round]));
  return {
    ...measured,
    series: { ours: series[name], [against]: series[against] },
    limit: { name: against, ratio: value },
    peers: [],
    checks: [{ what: `of ${against}`, value, atMost }],
    notes: [`${median(series[name]).toFixed(1)} ms, ${overMs.toFixed(1)} ms over ${against}`],
  };
}
