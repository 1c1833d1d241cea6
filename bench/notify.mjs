// PERF-8 and PERF-9: how fast a waiter learns of an answer, and what waiting costs.
import fs from 'node:fs';
import path from 'node:path';
import {
  inRotation,
  loadOurs,
  loadPeer,
  median,
  now,
  percentile,
  ratio,
  scratchDirectory,
  sleep,
  startWorker,
  stopAll,
  untilSteady,
} from './lib.mjs';

export const rows = [
  {
    id: 'PERF-8',
    what: 'answer visible -> waiter has it',
    goal: 'p50 <= 2 of bare fs.watch, p99 <= 10 ms, 0 missed',
    run: ({ isQuick }) => untilSteady(() => measureLatency(isQuick)),
  },
  {
    id: 'PERF-9',
    what: '100 idle waiters in one process',
    goal: '<= 0.15 % of a core',
    run: ({ isQuick }) => untilSteady(() => measureIdle(isQuick)),
  },
];

/** As the goal was set: the clock starts before the small file is written that is then renamed. */
const LIMIT = 'fs.watch';
const POLL = '200 ms poll';
/** The stricter clock starts right before the rename; told, and does not decide. */
const LIMIT_FROM_RENAME = 'fs.watch, from the rename';
const MISSED_AFTER_MS = 8_000;

/** Each way has `begin`, which starts a wait and says what the writer must do for it to end. */
async function measureLatency(isQuick) {
  const directory = scratchDirectory('notify');
  const writer = await startWorker('answerer.mjs', path.join(directory, 'questions'));
  const chokidar = await watchWithChokidar(directory);
  const ways = [
    { name: LIMIT, samples: 10, begin: () => beginWatch(directory, { isWriteIncluded: true }) },
    { name: LIMIT_FROM_RENAME, samples: 10, begin: () => beginWatch(directory) },
    { name: 'ours', samples: 10, begin: await beginOurs(path.join(directory, 'questions')) },
    { name: POLL, samples: 1, begin: () => beginPoll(directory) },
  ];
  if (chokidar !== undefined) ways.push({ name: 'chokidar', samples: 5, begin: chokidar.begin });
  const delays = Object.fromEntries(ways.map(({ name }) => [name, []]));
  const series = Object.fromEntries(ways.map(({ name }) => [name, []]));
  await inRotation(ways, isQuick ? 5 : 21, async ({ name, samples, begin }, round) => {
    const measured = [];
    for (let sample = 0; sample < samples; sample++) measured.push(await measureOne(writer, await begin()));
    if (round < 0) return;
    delays[name].push(...measured);
    series[name].push(median(measured));
  });
  await writer.kill();
  await chokidar?.close();
  return judgeLatency(series, delays);
}

/** From right before the answer becomes visible to the waiter having its content; infinite when it never came. */
async function measureOne(writer, { task, arrival, pauseMs = 3, close = () => {} }) {
  const arrivedAt = arrival.then(now);
  await sleep(pauseMs);
  const { visibleAt } = await writer.ask(task);
  const end = await Promise.race([arrivedAt, sleep(MISSED_AFTER_MS, Number.POSITIVE_INFINITY)]);
  close();
  return end - visibleAt;
}

async function beginOurs(directory) {
  const questions = (await loadOurs()).openQuestions(directory);
  return async () => {
    const id = await questions.create();
    const arrival = questions.wait(id).then((outcome) => {
      if (outcome.status !== 'completed') throw new Error(`the wait ended as ${outcome.status}`);
    });
    return { task: { answer: id }, arrival };
  };
}

function beginWatch(parent, { isWriteIncluded = false } = {}) {
  const directory = fs.mkdtempSync(path.join(parent, 'watch-'));
  const file = path.join(directory, 'answers.json');
  let watcher;
  const arrival = new Promise((resolve) => {
    watcher = fs.watch(directory, (_event, name) => {
      if (name === 'answers.json') resolve(fs.readFileSync(file, 'utf8'));
    });
  });
  return { task: { rename: file, isWriteIncluded }, arrival, close: () => watcher.close() };
}

function beginPoll(parent) {
  const directory = fs.mkdtempSync(path.join(parent, 'poll-'));
  const file = path.join(directory, 'answers.json');
  let timer;
  const arrival = new Promise((resolve) => {
    timer = setInterval(() => {
      if (fs.existsSync(file)) resolve(fs.readFileSync(file, 'utf8'));
    }, 200);
  });
  return { task: { rename: file }, arrival, pauseMs: Math.random() * 200, close: () => clearInterval(timer) };
}

async function watchWithChokidar(parent) {
  const chokidar = await loadPeer('chokidar');
  if (chokidar === undefined) return undefined;
  const directory = fs.mkdtempSync(path.join(parent, 'chokidar-'));
  const watcher = chokidar.watch(directory, { ignoreInitial: true });
  await new Promise((resolve) => watcher.once('ready', resolve));
  let count = 0;
  const begin = () => {
    const file = path.join(directory, `answers-${count++}.json`);
    const arrival = new Promise((resolve) => {
      watcher.on('add', function onAdd(added) {
        if (added !== file) return;
        watcher.off('add', onAdd);
        resolve(fs.readFileSync(file, 'utf8'));
      });
    });
    return { task: { rename: file }, arrival };
  };
  return { begin, close: () => watcher.close() };
}

function judgeLatency(series, delays) {
  const p50 = ratio(series.ours, series[LIMIT]);
  const peers = ['chokidar', POLL].filter((name) => series[name] !== undefined);
  const missed = delays.ours.filter((delay) => delay === Number.POSITIVE_INFINITY).length;
  return {
    series,
    steady: [series[LIMIT]],
    limit: { name: LIMIT, ratio: p50 },
    peers: peers.map((name) => ({ name, ratio: ratio(series.ours, series[name]) })),
    checks: [
      { what: 'missed', value: missed, atMost: 0 },
      { what: `p50 of ${LIMIT}`, value: p50, atMost: 2 },
      { what: 'ms, p99', value: percentile(delays.ours, 0.99), atMost: 10 },
    ],
    notes: [
      `${ratio(series.ours, series[LIMIT_FROM_RENAME]).toFixed(2)} of ${LIMIT_FROM_RENAME}`,
      ...Object.entries(delays).map(([name, values]) => describeDelays(name, values)),
    ],
  };
}

function describeDelays(name, values) {
  const [middle, high, most] = [0.5, 0.99, 1].map((fraction) => percentile(values, fraction).toFixed(2));
  return `${name}: p50 ${middle} ms, p99 ${high} ms, slowest ${most} ms of ${values.length}`;
}

/** All ways at the same time, each in a process of its own: CPU time counts per process, and so does the noise. */
async function measureIdle(isQuick) {
  const directory = scratchDirectory('idle');
  const ways = ['idle', LIMIT, 'ours', POLL];
  const workers = await Promise.all(
    ways.map((way, index) => startWorker('waiters.mjs', way, path.join(directory, String(index)))),
  );
  const series = Object.fromEntries(ways.map((way) => [way, []]));
  // The first two windows still pay for the start.
  for (let round = -2; round < (isQuick ? 2 : 7); round++) {
    const shares = await Promise.all(workers.map((worker) => worker.ask({ windowMs: 4_000 })));
    if (round >= 0) for (const [index, { percent }] of shares.entries()) series[ways[index]].push(percent);
  }
  await stopAll(workers);
  const percent = median(series.ours);
  return {
    series,
    steady: [series[POLL]],
    limit: undefined,
    peers: [{ name: POLL, ratio: ratio(series.ours, series[POLL]) }],
    checks: [{ what: '% of a core', value: percent, atMost: 0.15 }],
    notes: [
      Object.entries(series)
        .map(([way, values]) => `${way} ${median(values).toFixed(3)} %`)
        .join(', '),
      `${ratio(series.ours, series[POLL]).toFixed(4)} of the ${POLL} (aim: <= 1/60 = 0.0167)`,
    ],
  };
}
