// PERF-26: what each command of ralphtool costs on a change with 500 tasks: its CPU beside bare Node's, which decides, and its
// time beside that of a command that does nothing.
import fs from 'node:fs';
import path from 'node:path';
import {
  BUILD,
  inRotation,
  median,
  now,
  ratio,
  START_ENVIRONMENTS,
  scratchDirectory,
  spawnTimed,
  untilSteady,
  withoutCertificates,
} from './lib.mjs';

/** The same sources and the same build as we ship, with one more command; see empty-cli.ts. */
const OUT = path.join(BUILD, 'ralphtool');
const HOLDFAST = path.join(OUT, 'holdfast.cjs');
const RALPHTOOL = path.join(OUT, 'ralphtool.cjs');

const EMPTY = 'an empty command';
const BARE = 'node -e 0';
const AT_MOST = 1.35;
const GROUPS = 10;
const TASKS_PER_GROUP = 50;

const agent = (...args) => [RALPHTOOL, 'agent', ...args];
const INIT = agent('session', 'init', '--change', 'big');
const FLUSH = agent('session', 'flush');
const LEARN = agent('learn', 'Tests need a database', '--task', '1.2');

/** What is started, by name. `before` and `after` run off the clock. */
const COMMANDS = [
  { name: BARE, args: () => ['-e', '0'] },
  { name: EMPTY, args: () => [HOLDFAST, 'empty'] },
  { name: 'session init', before: [FLUSH], args: () => INIT },
  { name: 'session next-story', args: () => agent('session', 'next-story') },
  { name: 'context', args: () => agent('context') },
  {
    name: 'task done',
    args: (round) => agent('task', 'done', `1.${(Math.max(0, round) % TASKS_PER_GROUP) + 1}`),
  },
  { name: 'status', args: () => agent('status') },
  { name: 'learn', args: () => LEARN },
  { name: 'session flush', before: [LEARN], args: () => FLUSH, after: [INIT] },
];

/** All commands are started in the same rounds, so the rows share one measurement. */
let measurement;

export const rows = COMMANDS.slice(2).map((command) => ({
  id: 'PERF-26',
  what: `ralphtool agent ${command.name} (500 tasks)`,
  goal: `CPU <= ${AT_MOST} of ${BARE}`,
  run: async ({ isQuick }) => {
    measurement ??= untilSteady(() => measureCommands(isQuick));
    return rowOf(command, await measurement);
  },
}));

async function measureCommands(isQuick) {
  const { buildCli } = await import('../scripts/build.mjs');
  await buildCli(OUT, {
    entries: { holdfast: 'bench/empty-entry.ts', ralphtool: 'src/cli/programs/ralphtool.ts' },
    quick: { quick: 'bench/empty-cli.ts' },
  });
  const homes = new Map(COMMANDS.map(({ name }) => [name, makeProject()]));
  const none = () => Object.fromEntries(COMMANDS.map(({ name }) => [name, []]));
  const series = none();
  const cpu = { machine: none(), plain: none() };
  await inRotation(COMMANDS, isQuick ? 7 : 31, ({ name, args, before = [], after = [] }, round) => {
    const home = homes.get(name);
    for (const [environment, variables] of Object.entries(START_ENVIRONMENTS)) {
      for (const command of before) start(command, home);
      const startedAt = now();
      const { cpuMs } = start(args(round), home, variables);
      if (round >= 0) {
        if (environment === 'machine') series[name].push(now() - startedAt);
        cpu[environment][name].push(cpuMs);
      }
      for (const command of after) start(command, home);
    }
  });
  return { series, cpu, steady: [cpu.machine[BARE]] };
}

/** A project of its own for each command, with a session on a change of 500 tasks. */
function makeProject() {
  const home = scratchDirectory('ralph');
  const change = path.join(home, 'openspec', 'changes', 'big');
  fs.mkdirSync(change, { recursive: true });
  const groups = Array.from({ length: GROUPS }, (_, group) => {
    const tasks = Array.from(
      { length: TASKS_PER_GROUP },
      (_, task) => `- [ ] ${group + 1}.${task + 1} Do it well`,
    );
    return `## ${group + 1}. Group\n\n${tasks.join('\n')}\n`;
  });
  fs.writeFileSync(path.join(change, 'tasks.md'), groups.join('\n'));
  fs.writeFileSync(path.join(change, 'design.md'), '# Design\n\n## Learnings\n');
  start(INIT, home);
  start(agent('session', 'next-story'), home);
  return home;
}

function start(args, home, variables = START_ENVIRONMENTS.machine) {
  const result = spawnTimed(process.execPath, args, {
    cwd: home,
    env: {
      ...variables,
      HOME: home,
      TMPDIR: home,
      HOLDFAST_HOME: path.join(home, 'holdfast'),
      NO_COLOR: '1',
      RALPH_SESSION: path.basename(home).replaceAll(/[^A-Za-z0-9]/g, 'x'),
    },
  });
  if (result.status === 0) return result;
  throw new Error(`${args.slice(1).join(' ')} ended with ${result.status}: ${result.stderr.split('\n')[0]}`);
}

function rowOf({ name }, { series, cpu, ...measured }) {
  const { machine, plain } = cpu;
  const value = ratio(machine[name], machine[BARE]);
  const overEmpty = median(series[name].map((ms, round) => ms - series[EMPTY][round]));
  return {
    ...measured,
    series: { ours: machine[name], [BARE]: machine[BARE] },
    limit: { name: BARE, ratio: value },
    peers: [],
    checks: [{ what: `CPU of ${BARE}`, value, atMost: AT_MOST }],
    notes: [
      `${median(machine[name]).toFixed(1)} ms of CPU, ${BARE} ${median(machine[BARE]).toFixed(1)}`,
      withoutCertificates(plain[name], plain[BARE]),
      `time ${ratio(series[name], series[EMPTY]).toFixed(2)} of ${EMPTY}, ${overEmpty.toFixed(1)} ms over it (aim: 1.25)`,
    ],
  };
}
