// PERF-16: what a command costs from a cold start: its CPU beside bare Node's, which decides, and its time beside that of a
// command that does nothing.
import fs from 'node:fs';
import path from 'node:path';
import {
  BUILD,
  inRotation,
  loadOurs,
  median,
  now,
  ROOT,
  ratio,
  START_ENVIRONMENTS,
  scratchDirectory,
  spawnTimed,
  untilSteady,
  withoutCertificates,
} from './lib.mjs';

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
  { name: '--version', args: () => [SHIPPED, '--version'], atMost: 1.1 },
  { name: '--help', args: () => [SHIPPED, '--help'], atMost: 1.1 },
  {
    name: 'questions list (100 sets)',
    sets: 100,
    args: () => [WITH_EMPTY, 'questions', 'list'],
    atMost: 1.35,
  },
  {
    name: 'answer',
    prepare: (home) => start([WITH_EMPTY, ...ASK], home).stdout.trim(),
    args: (id) => [WITH_EMPTY, 'answer', id, '--option', 'Yes'],
    atMost: 1.35,
  },
  { name: 'ask --no-wait', args: () => [WITH_EMPTY, ...ASK], atMost: 1.35 },
  {
    name: 'hook with nothing to do',
    args: () => [WITH_EMPTY, 'hook', 'PreToolUse'],
    input: (home) => JSON.stringify({ hook_event_name: 'PreToolUse', session_id: 'bench', cwd: home }),
    atMost: 1.35,
  },
  { name: 'waiting (3 sets)', sets: 3, args: () => [WITH_EMPTY, 'waiting'], atMost: 1.35 },
  { name: 'top --once (3 runs)', runs: 3, args: () => [WITH_EMPTY, 'top', '--once'], atMost: 1.8 },
  { name: 'status', args: () => [WITH_EMPTY, 'status'], status: 4, atMost: 1.8 },
  { name: 'sessions list (100 sets)', sets: 100, args: () => [WITH_EMPTY, 'sessions', 'list'], atMost: 1.8 },
];

/** All commands are started in the same rounds, so the rows share one measurement. */
let measurement;

export const rows = COMMANDS.filter(({ atMost }) => atMost !== undefined).map((command) => ({
  id: 'PERF-16',
  what: `holdfast ${command.name}`,
  goal: `CPU <= ${command.atMost} of ${BARE}`,
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
  const homes = new Map();
  for (const command of COMMANDS) homes.set(command.name, await makeHome(command));
  const none = () => Object.fromEntries(COMMANDS.map(({ name }) => [name, []]));
  const series = none();
  const cpu = { machine: none(), plain: none() };
  await inRotation(COMMANDS, isQuick ? 7 : 31, ({ name, args, prepare, input, status }, round) => {
    const home = homes.get(name);
    for (const [environment, variables] of Object.entries(START_ENVIRONMENTS)) {
      const command = args(prepare?.(home));
      const startedAt = now();
      const { cpuMs } = start(command, home, { status, input: input?.(home), variables });
      if (round < 0) continue;
      if (environment === 'machine') series[name].push(now() - startedAt);
      cpu[environment][name].push(cpuMs);
    }
  });
  return { series, cpu, steady: [cpu.machine[BARE], cpu.machine[EMPTY]] };
}

/** A home of its own for each command, with as many pending question sets and runs as it needs. */
async function makeHome({ sets = 0, runs = 0 }) {
  const home = scratchDirectory('home');
  for (let count = 0; count < sets; count++) start([WITH_EMPTY, ...ASK], home);
  if (runs > 0) await (await loadOurs()).makeRuns(home, runs);
  return home;
}

function start(args, home, { status = 0, input, variables = START_ENVIRONMENTS.machine } = {}) {
  const result = spawnTimed(process.execPath, args, {
    cwd: home,
    input,
    env: { ...variables, HOME: home, HOLDFAST_HOME: path.join(home, 'holdfast'), NO_COLOR: '1' },
  });
  if (result.status === status) return result;
  throw new Error(`${args.slice(1).join(' ')} ended with ${result.status}: ${result.stderr.split('\n')[0]}`);
}

function rowOf({ name, atMost }, { series, cpu, ...measured }) {
  const { machine, plain } = cpu;
  const value = ratio(machine[name], machine[BARE]);
  const overEmpty = median(series[name].map((ms, round) => ms - series[EMPTY][round]));
  return {
    ...measured,
    series: { ours: machine[name], [BARE]: machine[BARE] },
    limit: { name: BARE, ratio: value },
    peers: [],
    checks: [{ what: `CPU of ${BARE}`, value, atMost }],
    notes: [
      `${median(machine[name]).toFixed(1)} ms of CPU, ${BARE} ${median(machine[BARE]).toFixed(1)}`,
      withoutCertificates(plain[name], plain[BARE]),
      `time ${ratio(series[name], series[EMPTY]).toFixed(2)} of ${EMPTY}, ${overEmpty.toFixed(1)} ms over it (aim: 1.15)`,
    ],
  };
}
