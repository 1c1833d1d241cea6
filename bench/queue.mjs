// PERF-34: the queue: what it costs to take an entry and to end it, to list many, and to wait for more.
import { spawn, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import {
  BUILD,
  cpuMsOf,
  inRotation,
  loadOurs,
  median,
  now,
  ratio,
  scratchDirectory,
  sleep,
  spawnTimed,
  untilSteady,
} from './lib.mjs';

const DIRECTORY = path.join(BUILD, 'queue');
const HOLDFAST = path.join(DIRECTORY, 'holdfast.cjs');
const READING = 'reading as many files';
const MANY = 10_000;
/** Of many entries most are done: one in so many is not. */
const OPEN_EACH = 100;
const WAITING = 200;

export const rows = [
  row('claim and finish of an entry', '<= 4 durable writes', () => countWrites()),
  row('list 10,000 entries, 100 of them open', 'CPU <= 1.8 of reading as many files', ({ isQuick }) =>
    untilSteady(() => measureList(isQuick, OPEN_EACH)),
  ),
  // The worst there is: of each entry that waits it is said whether its plan was changed since, so 20,000 files are looked at.
  row(
    'list 10,000 entries that all wait, with 10,000 plans',
    'CPU <= 1.8 of reading as many files',
    ({ isQuick }) => untilSteady(() => measureList(isQuick, 1)),
  ),
  row(`a worker, idle with ${WAITING} entries that wait`, '<= 0.1 % of a core', ({ isQuick }) =>
    measureIdle(isQuick),
  ),
];

function row(what, goal, run) {
  return { id: 'PERF-34', what: `queue, ${what}`, goal, run };
}

let built;
const build = () => {
  built ??= import('../scripts/build.mjs').then(({ buildCli }) => buildCli(DIRECTORY));
  return built;
};

/** Counted at the file system port, in the process of the worker: each replaced file and each append is one. */
async function countWrites() {
  const { writesOfAnEntry } = await loadOurs();
  const { writes, syncs } = await writesOfAnEntry(path.join(scratchDirectory('queue'), 'queue'));
  return {
    ...counted,
    checks: [{ what: 'durable writes', value: writes.length, atMost: 4 }],
    notes: [`${writes.join(', ')}; ${syncs} syncs in all, of files and directories`],
  };
}

/**
 * The whole command against a program that reads the files that matter for it, and does nothing with them: the entries, and
 * where all of them wait their plans. Where few wait, their hundred plans are not worth a word.
 */
async function measureList(isQuick, openEach) {
  const home = await makeHome(MANY, openEach);
  const project = path.join(home, 'project');
  const entries = path.join(home, 'holdfast', 'state', 'queue', 'entries');
  const reader =
    'const fs=require("fs");for(const d of process.argv.slice(1))for(const n of fs.readdirSync(d))fs.readFileSync(d+"/"+n,"utf8")';
  const isAllOpen = openEach === 1;
  const ways = [
    { name: READING, args: ['-e', reader, entries, ...(isAllOpen ? [project] : [])] },
    ...(isAllOpen ? [{ name: 'reading the entries alone', args: ['-e', reader, entries] }] : []),
    { name: 'ours', args: [HOLDFAST, 'queue', 'list', '--all'] },
    { name: 'node -e 0', args: ['-e', '0'] },
  ];
  const options = { cwd: project, env: envOf(home) };
  const series = Object.fromEntries(ways.map(({ name }) => [name, []]));
  await inRotation(ways, isQuick ? 5 : 21, async ({ name, args }, round) => {
    const { status, stdout, stderr, cpuMs } = spawnTimed(process.execPath, args, {
      ...options,
      maxBuffer: 1e8,
    });
    if (status !== 0 || (name === 'ours' && stdout.trimEnd().split('\n').length !== MANY + 1))
      throw new Error(`${name}: ${status} ${stderr.slice(0, 300)} ${stdout.slice(0, 300)}`);
    if (round >= 0) series[name].push(cpuMs);
  });
  const value = ratio(series.ours, series[READING]);
  const told = Object.entries(series).map(([name, values]) => `${name} ${median(values).toFixed(0)} ms`);
  return {
    series,
    steady: [series[READING]],
    limit: { name: READING, ratio: value },
    peers: [],
    checks: [{ what: `of ${READING}`, value, atMost: 1.8 }],
    notes: [`CPU: ${told.join(', ')}`],
  };
}

/** Both at the same time: CPU time counts per process, and so does the noise. */
async function measureIdle(isQuick) {
  const home = await makeHome(WAITING);
  const options = { cwd: path.join(home, 'project'), env: envOf(home), stdio: 'ignore' };
  const ways = [
    { name: 'ours', child: spawn(process.execPath, [HOLDFAST, 'worker'], options) },
    { name: 'idle node', child: spawn(process.execPath, ['-e', 'setInterval(()=>{},1e9)'], options) },
  ];
  try {
    await sleep(35_000); // the start is paid for: V8 gives memory back for half a minute
    const series = Object.fromEntries(ways.map(({ name }) => [name, []]));
    // Two of its looks in each.
    const windowMs = 60_000;
    for (let round = 0; round < (isQuick ? 1 : 3); round++) {
      const before = ways.map(({ child }) => cpuMsOf(child.pid));
      const startedAt = now();
      await sleep(windowMs);
      const spent = now() - startedAt;
      for (const [index, { name, child }] of ways.entries())
        series[name].push((100 * (cpuMsOf(child.pid) - before[index])) / spent);
    }
    const percent = median(series.ours);
    return {
      ...counted,
      series,
      checks: [{ what: '% of a core', value: percent, atMost: 0.1 }],
      notes: [`${percent.toFixed(3)} % of a core, idle node ${median(series['idle node']).toFixed(3)} %`],
    };
  } finally {
    for (const { child } of ways) child.kill('SIGKILL');
  }
}

/** What is counted, and not compared with anything. */
const counted = {
  series: {},
  steady: [],
  spread: 1,
  attempts: 1,
  isTooNoisy: false,
  limit: undefined,
  peers: [],
};

/**
 * A home with entries, each with a plan of its own. One of each `openEach` waits until tomorrow, the others are done. The first is
 * queued as a person does it. They are older than a moment, as those of a person are.
 */
async function makeHome(count, openEach = 1) {
  await build();
  const home = scratchDirectory('queue');
  const project = path.join(home, 'project');
  fs.mkdirSync(project);
  const planOf = (number) => path.join(project, `plan-${number}.md`);
  const text = `# PRP: A plan\n\n### Success Criteria\n\n- [ ] it works\n\n${'What it is about, in a few words. '.repeat(50)}\n`;
  const longAgo = new Date(Date.now() - 3_600_000);
  for (let number = 0; number < count; number++) {
    fs.writeFileSync(planOf(number), text);
    fs.utimesSync(planOf(number), longAgo, longAgo);
  }
  const notBefore = new Date(Date.now() + 86_400_000).toISOString();
  const args = [HOLDFAST, 'queue', 'add', planOf(0), '--in-place', '--not-before', notBefore, '--json'];
  const added = spawnSync(process.execPath, args, { cwd: project, env: envOf(home), encoding: 'utf8' });
  if (added.status !== 0) throw new Error(added.stderr);
  const entries = path.join(home, 'holdfast', 'state', 'queue', 'entries');
  const [first] = fs.readdirSync(entries);
  const entry = JSON.parse(fs.readFileSync(path.join(entries, first), 'utf8'));
  const { hashOf } = await loadOurs();
  for (let number = 1; number < count; number++) {
    const id = randomUUID();
    const name = `plan-${number}.md`;
    const hash = hashOf(new Map([[name, Buffer.from(text)]]));
    const { ino: inode, size, mtimeMs: modified_ms } = fs.lstatSync(planOf(number));
    const seen = { inode, size, modified_ms };
    const plan = { ...entry.plan, name, source: planOf(number), hash, files: [name], seen };
    const more = {
      ...entry,
      id,
      plan,
      position: number + 1,
      ...(number % openEach === 0 ? {} : doneOf(entry)),
    };
    fs.writeFileSync(path.join(entries, `${id}.json`), JSON.stringify(more, null, 2), { mode: 0o600 });
  }
  await sleep(2_500);
  return home;
}

function doneOf({ added_at }) {
  return { status: 'done', run_id: randomUUID(), started_at: added_at, ended_at: added_at };
}

function envOf(home) {
  return { PATH: process.env.PATH, HOME: home, HOLDFAST_HOME: path.join(home, 'holdfast'), LANG: 'C.UTF-8' };
}
