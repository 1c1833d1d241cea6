// PERF-18: the inbox in a terminal: its first frame, what it costs while nothing happens, and how fast it scrolls.
import { spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import {
  BUILD,
  inRotation,
  median,
  now,
  percentile,
  ratio,
  scratchDirectory,
  sleep,
  spread,
  untilSteady,
} from './lib.mjs';

const DIRECTORY = path.join(BUILD, 'inbox');
const HOLDFAST = path.join(DIRECTORY, 'holdfast.cjs');
const BARE_BOX = path.join(DIRECTORY, 'bare-box.js');
const MANY = 500;
/** As many as the screen shows. */
const FEW = 20;

export const rows = [
  {
    id: 'PERF-18',
    what: 'inbox, first frame',
    goal: '<= 1.15 of a one-box screen built the same way',
    run: ({ isQuick }) => untilSteady(() => measureFirstFrame(isQuick)),
  },
  {
    id: 'PERF-18',
    what: `inbox, idle with ${MANY} sets`,
    goal: '<= 0.5 % of a core',
    run: ({ isQuick }) => measureIdle(isQuick),
  },
  {
    id: 'PERF-18',
    what: `inbox, key to frame with ${MANY} sets`,
    goal: `<= 1.3 of ${FEW} sets`,
    run: ({ isQuick }) => untilSteady(() => measureKeys(isQuick)),
  },
];

async function measureFirstFrame(isQuick) {
  await build();
  const home = makeHome(3);
  const ways = [
    { name: 'bare box', args: [BARE_BOX], seen: 'one box' },
    { name: 'plain box', args: [HOLDFAST, 'plain-box'], seen: 'one box' },
    { name: 'one box', args: [HOLDFAST, 'box'], seen: 'one box', leave: 'q' },
    { name: 'ours', args: [HOLDFAST, 'inbox'], seen: 'waiting for you', leave: 'q' },
    { name: 'node -e', args: ['-e', '"console.log(1+1)"'], seen: '2' },
  ];
  const series = Object.fromEntries(ways.map(({ name }) => [name, []]));
  await inRotation(ways, isQuick ? 7 : 31, async ({ name, args, seen, leave }, round) => {
    const startedAt = now();
    const terminal = openTerminal(args, home);
    await terminal.shows(seen);
    if (round >= 0) series[name].push(now() - startedAt);
    // A command keeps its code when it is left, and no other round needs that.
    else if (leave !== undefined) await terminal.isLeftBy(leave);
    await terminal.close();
  });
  const value = ratio(series.ours, series['one box']);
  return {
    series,
    steady: [series['one box']],
    limit: { name: 'one box', ratio: value },
    peers: [],
    checks: [{ what: 'of one box', value, atMost: 1.15 }],
    notes: [
      medians(series),
      `${ratio(series.ours, series['plain box']).toFixed(2)} of a box that is not a screen of its own, ${ratio(series.ours, series['bare box']).toFixed(2)} of one without our command line and cached code, ${ratio(series.ours, series['node -e']).toFixed(2)} of node -e`,
    ],
  };
}

/** Both at the same time: CPU time counts per process, and so does the noise. */
async function measureIdle(isQuick) {
  await build();
  const ways = [
    { name: 'ours', terminal: openTerminal([HOLDFAST, 'inbox'], makeHome(MANY)), seen: `${MANY} wait` },
    {
      name: 'idle node',
      terminal: openTerminal(['-e', '"setInterval(()=>{},1e9);console.log(1+1)"']),
      seen: '2',
    },
  ];
  for (const { terminal, seen } of ways) await terminal.shows(seen);
  await sleep(3_000); // the start is paid for
  const series = Object.fromEntries(ways.map(({ name }) => [name, []]));
  const windowMs = 4_000;
  for (let round = 0; round < (isQuick ? 2 : 7); round++) {
    const before = ways.map(({ terminal }) => terminal.cpuMs());
    const startedAt = now();
    await sleep(windowMs);
    const spent = now() - startedAt;
    for (const [index, { name, terminal }] of ways.entries())
      series[name].push((100 * (terminal.cpuMs() - before[index])) / spent);
  }
  await Promise.all(ways.map(({ terminal }) => terminal.close()));
  const percent = median(series.ours);
  return {
    series,
    steady: [],
    spread: 1,
    attempts: 1,
    isTooNoisy: false,
    limit: undefined,
    peers: [],
    checks: [{ what: '% of a core', value: percent, atMost: 0.5 }],
    notes: [`${percent.toFixed(3)} % of a core, idle node ${median(series['idle node']).toFixed(3)} %`],
  };
}

/** Down through the list, key by key: from the key to the frame that has the next set under the highlight. */
async function measureKeys(isQuick) {
  await build();
  const ways = [FEW, MANY].map((count) => ({
    name: `${count} sets`,
    count,
    at: 1,
    terminal: openTerminal([HOLDFAST, 'inbox'], makeHome(count)),
  }));
  for (const { terminal, count } of ways) await terminal.shows(`${count} wait`);
  const series = Object.fromEntries(ways.map(({ name }) => [name, []]));
  await inRotation(ways, isQuick ? 5 : 31, async (way, round) => {
    const measured = [];
    for (let key = 0; key < 4; key++) {
      await sleep(60); // Ink draws at most 30 frames a second; wait for its next turn
      const isUp = way.count === FEW && round % 2 === 0;
      way.at += isUp ? -1 : 1;
      const { terminal } = way;
      terminal.forget();
      const startedAt = now();
      terminal.write(isUp ? 'k' : 'j');
      await terminal.shows(idOf(way.at).slice(0, 8));
      measured.push(now() - startedAt);
    }
    if (round >= 0) series[way.name].push(median(measured));
  });
  await Promise.all(ways.map(({ terminal }) => terminal.close()));
  const ours = series[`${MANY} sets`];
  const few = series[`${FEW} sets`];
  const value = ratio(ours, few);
  return {
    series,
    steady: [few],
    limit: { name: `${FEW} sets`, ratio: value },
    peers: [],
    checks: [{ what: `of ${FEW} sets`, value, atMost: 1.3 }],
    notes: [
      `p50 ${median(ours).toFixed(1)} ms, p90 ${percentile(ours, 0.9).toFixed(1)} ms; ${medians(series)}; spread ${spread(ours).toFixed(2)}`,
    ],
  };
}

const medians = (series) =>
  Object.entries(series)
    .map(([name, values]) => `${name} ${median(values).toFixed(1)} ms`)
    .join(', ');

let built;

/** Ours as it is in `src/` now, and the other program in the same way. */
function build() {
  built ??= import('../scripts/build.mjs').then(({ buildCli }) =>
    buildCli(DIRECTORY, {
      entries: { holdfast: 'bench/box-entry.ts' },
      screens: { inbox: 'bench/box-cli.ts' },
      modules: { main: 'src/cli/programs/main.ts', 'bare-box': 'bench/bare-box.ts' },
    }),
  );
  return built;
}

const idOf = (number) => `${number.toString(16).padStart(8, '0')}-0000-4000-8000-000000000000`;

/** A home with some pending sets, oldest first by number. */
function makeHome(count) {
  const home = scratchDirectory('inbox');
  for (let number = 1; number <= count; number++) {
    const sessionId = idOf(number);
    const directory = path.join(home, 'holdfast', 'data', 'questions', sessionId);
    const time = new Date(Date.now() - 3_600_000 + number).toISOString();
    const questions = [
      {
        title: 'Deploy',
        prompt: `Deploy number ${number} now?`,
        options: [{ label: 'Yes' }, { label: 'No' }],
      },
    ];
    const common = { sessionId, status: 'pending', version: 1 };
    fs.mkdirSync(directory, { recursive: true, mode: 0o700 });
    const write = (name, content) =>
      fs.writeFileSync(path.join(directory, name), JSON.stringify(content), { mode: 0o600 });
    write('request.json', { ...common, questions, timestamp: time, asker: { agent: 'codex' } });
    write('status.json', { ...common, createdAt: time, lastModified: time, totalQuestions: 1 });
  }
  return home;
}

/** Runs Node in a pseudo terminal of its own, by way of `script` from util-linux. */
export function openTerminal(args, home = scratchDirectory('inbox')) {
  if (spawnSync('script', ['--version']).status !== 0)
    throw new Error('there is no `script` (util-linux) here');
  const child = spawn(
    'script',
    ['-qfec', `stty cols 80 rows 24; exec ${process.execPath} ${args.join(' ')}`, '/dev/null'],
    {
      cwd: home,
      env: {
        PATH: process.env.PATH,
        HOME: home,
        HOLDFAST_HOME: path.join(home, 'holdfast'),
        TERM: 'xterm-256color',
        LANG: 'C.UTF-8',
        SHELL: '/bin/sh',
      },
      stdio: ['pipe', 'pipe', 'ignore'],
    },
  );
  const ended = new Promise((resolve) => child.once('close', resolve));
  let seen = '';
  let check = () => {};
  child.stdout.setEncoding('utf8').on('data', (text) => {
    seen += text;
    check();
  });
  child.stdin.on('error', () => {}); // it may be gone already
  return {
    /** Resolves once the terminal shows a text. */
    shows: (wanted) =>
      new Promise((resolve, reject) => {
        check = () => {
          if (seen.includes(wanted)) resolve();
        };
        check();
        void ended.then(() => reject(new Error(`ended without ${wanted}: ${seen.slice(-300)}`)));
      }),
    forget: () => {
      seen = '';
    },
    write: (keys) => child.stdin.write(keys),
    isLeftBy(keys) {
      child.stdin.write(keys);
      return ended;
    },
    /** CPU time of the program and its threads so far. */
    cpuMs: () => {
      const pid = programOf(child);
      return fs
        .readdirSync(`/proc/${pid}/task`)
        .map(
          (task) =>
            Number(fs.readFileSync(`/proc/${pid}/task/${task}/schedstat`, 'utf8').split(' ')[0]) / 1e6,
        )
        .reduce((sum, ms) => sum + ms, 0);
    },
    /** Until the program is gone, too, which winds down when its terminal goes: it must not run beside the next one. */
    async close() {
      const program = programOf(child);
      child.kill('SIGKILL');
      await ended;
      while (isRunning(program)) await sleep(1);
    },
  };
}

/** The process that `script` runs; undefined where that has ended. */
function programOf(script) {
  try {
    const children = fs.readFileSync(`/proc/${script.pid}/task/${script.pid}/children`, 'utf8');
    return children.trim().split(' ')[0] || undefined;
  } catch {
    return undefined;
  }
}

function isRunning(pid) {
  if (pid === undefined) return false;
  try {
    const stat = fs.readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2)[0] !== 'Z';
  } catch {
    return false;
  }
}
