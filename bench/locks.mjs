// PERF-5, PERF-6 and PERF-7: a free lock, a contended one, and one whose owner died.
import fs from 'node:fs';
import path from 'node:path';
import {
  compare,
  loadOurs,
  loadPeer,
  median,
  now,
  percentile,
  ratio,
  scratchDirectory,
  startWorker,
  untilSteady,
} from './lib.mjs';

export const rows = [
  {
    id: 'PERF-5',
    what: 'lock + unlock, free',
    goal: '<= 0.05 of proper-lockfile (20 times faster)',
    run: ({ isQuick }) => untilSteady(() => measureFree(isQuick)),
  },
  {
    id: 'PERF-6',
    what: '8 processes, read-modify-write under one lock',
    goal: '<= 0.33 of proper-lockfile (3 times the throughput), 0 lost',
    run: ({ isQuick }) => untilSteady(() => measureContention(isQuick)),
  },
  {
    id: 'PERF-7',
    what: "takeover of a dead owner's lock by 6 contenders",
    goal: '<= 50 ms from the first attempt, 0 double holders',
    run: ({ isQuick }) => untilSteady(() => measureTakeover(isQuick)),
  },
];

const LIMIT_FREE = 'link + unlink';

async function measureFree(isQuick) {
  const directory = scratchDirectory('free');
  const { takeLock } = await loadOurs();
  const properLockfile = await loadPeer('proper-lockfile');
  const ours = async (times) => {
    for (let done = 0; done < times; done++) (await takeLock(path.join(directory, 'ours'))).release();
  };
  const peer = async (times) => {
    for (let done = 0; done < times; done++) {
      const release = await properLockfile.lock(directory, { lockfilePath: path.join(directory, 'peer') });
      await release();
    }
  };
  const candidates = [
    { name: LIMIT_FREE, count: 200, run: bareLinks(directory) },
    { name: 'ours', count: 40, run: ours },
  ];
  if (properLockfile !== undefined) candidates.push({ name: 'proper-lockfile', count: 20, run: peer });
  const series = await compare(candidates, isQuick ? 7 : 31);
  const peers = peersOf(series, ['proper-lockfile']);
  const limit = ratio(series.ours, series[LIMIT_FREE]);
  return {
    series,
    steady: series[LIMIT_FREE],
    limit: { name: LIMIT_FREE, ratio: limit },
    peers,
    checks: peers.map(({ name, ratio: value }) => ({ what: `of ${name}`, value, atMost: 0.05 })),
    notes: [`${limit.toFixed(1)} of ${LIMIT_FREE} (aim: <= 12)`],
  };
}

function bareLinks(directory) {
  const own = path.join(directory, 'own');
  fs.writeFileSync(own, `${process.pid}\n`, { mode: 0o600 });
  const lock = path.join(directory, 'bare');
  return (times) => {
    for (let done = 0; done < times; done++) {
      fs.linkSync(own, lock);
      fs.unlinkSync(lock);
    }
  };
}

const CONTENDERS = 8;
const OPERATIONS = 60;

async function measureContention(isQuick) {
  const directory = scratchDirectory('contention');
  const strategies = ['ours'];
  for (const peer of ['proper-lockfile', 'fs-ext']) {
    if ((await loadPeer(peer)) !== undefined) strategies.push(peer);
  }
  const workers = await Promise.all(Array.from({ length: CONTENDERS }, () => startWorker('contender.mjs')));
  const outcomes = Object.fromEntries(strategies.map((strategy) => [strategy, []]));
  const candidates = strategies.map((strategy) => ({
    name: strategy,
    count: CONTENDERS * OPERATIONS,
    run: async () => outcomes[strategy].push(await contend(workers, directory, strategy)),
  }));
  const series = await compare(candidates, isQuick ? 3 : 9).finally(() => {
    for (const worker of workers) worker.stop();
  });
  return judgeContention(series, outcomes);
}

async function contend(workers, parent, strategy) {
  const directory = fs.mkdtempSync(path.join(parent, 'round-'));
  const counter = path.join(directory, 'counter');
  fs.writeFileSync(counter, '0');
  const start = now();
  const finishes = [];
  const results = await Promise.all(
    workers.map(async (worker) => {
      const result = await worker.ask({ strategy, directory, operations: OPERATIONS });
      finishes.push(now() - start);
      return result;
    }),
  );
  return {
    lost: CONTENDERS * OPERATIONS - Number(fs.readFileSync(counter, 'utf8')),
    waits: results.flatMap(({ waits }) => waits),
    cpuMs: results.reduce((sum, { cpuMs }) => sum + cpuMs, 0),
    fairness: Math.max(...finishes) / Math.min(...finishes),
  };
}

function judgeContention(series, outcomes) {
  const isLimitThere = series['fs-ext'] !== undefined;
  const peers = peersOf(series, ['proper-lockfile']);
  const lost = outcomes.ours.reduce((sum, outcome) => sum + outcome.lost, 0);
  return {
    series,
    steady: series['fs-ext'] ?? series['proper-lockfile'] ?? series.ours,
    limit: isLimitThere ? { name: 'flock (fs-ext)', ratio: ratio(series.ours, series['fs-ext']) } : undefined,
    peers,
    checks: [
      { what: 'lost updates', value: lost, atMost: 0 },
      ...peers.map(({ name, ratio: value }) => ({ what: `of ${name}`, value, atMost: 1 / 3 })),
    ],
    notes: Object.entries(outcomes).map(([strategy, rounds]) => describeContention(strategy, rounds, series)),
  };
}

function describeContention(strategy, rounds, series) {
  const waits = rounds.flatMap((outcome) => outcome.waits);
  return [
    `${strategy}: ${Math.round(1000 / median(series[strategy]))} operations/s`,
    `wait p50 ${percentile(waits, 0.5).toFixed(1)} ms, p99 ${percentile(waits, 0.99).toFixed(0)} ms`,
    `last/first finisher ${median(rounds.map((outcome) => outcome.fairness)).toFixed(2)}`,
    `CPU ${median(rounds.map((outcome) => outcome.cpuMs)).toFixed(0)} ms`,
    `${rounds.reduce((sum, outcome) => sum + outcome.lost, 0)} lost`,
  ].join(', ');
}

const TAKERS = 6;

/** One process takes many locks and is killed; each round then sends all contenders after one of them. */
async function measureTakeover(isQuick) {
  const rounds = isQuick ? 30 : 200;
  const parent = scratchDirectory('takeover');
  const directories = Array.from({ length: rounds }, () => fs.mkdtempSync(path.join(parent, 'round-')));
  const owner = await startWorker('taker.mjs');
  await owner.ask({ own: directories });
  await owner.kill();
  const takers = await Promise.all(Array.from({ length: TAKERS }, () => startWorker('taker.mjs')));
  const limitRun = bareLinks(parent);
  const series = { ours: [], [LIMIT_FREE]: [] };
  let doubleHolders = 0;
  try {
    for (const directory of directories) {
      const start = now();
      limitRun(100);
      series[LIMIT_FREE].push((now() - start) / 100);
      const results = await Promise.all(takers.map((taker) => taker.ask({ take: directory })));
      const firstAttempt = Math.min(...results.map(({ startedAt }) => startedAt));
      series.ours.push(Math.min(...results.map(({ takenAt }) => takenAt)) - firstAttempt);
      if (results.some(({ inside }) => inside > 1)) doubleHolders += 1;
      if (!results.some(({ takenOver }) => takenOver)) throw new Error('nobody took the lock over');
    }
  } finally {
    for (const taker of takers) taker.stop();
  }
  return judgeTakeover(series, doubleHolders, await measureNoticing(isQuick ? 5 : 15));
}

/** How long one that was waiting already needs to notice that the living owner died. */
async function measureNoticing(rounds) {
  const parent = scratchDirectory('noticing');
  const taker = await startWorker('taker.mjs');
  const delays = [];
  for (let round = 0; round < rounds; round++) {
    const directory = fs.mkdtempSync(path.join(parent, 'round-'));
    const owner = await startWorker('taker.mjs');
    await owner.ask({ own: [directory] });
    const taken = taker.ask({ take: directory });
    await new Promise((resolve) => setTimeout(resolve, 20 + Math.random() * 250));
    const killedAt = now();
    await owner.kill();
    delays.push((await taken).takenAt - killedAt);
  }
  taker.stop();
  return delays;
}

function judgeTakeover(series, doubleHolders, noticing) {
  const slowestMs = Math.max(...series.ours);
  return {
    series,
    steady: series[LIMIT_FREE],
    limit: { name: LIMIT_FREE, ratio: ratio(series.ours, series[LIMIT_FREE]) },
    peers: [],
    checks: [
      { what: 'double holders', value: doubleHolders, atMost: 0 },
      { what: 'ms, slowest', value: slowestMs, atMost: 50 },
    ],
    notes: [
      `median ${median(series.ours).toFixed(2)} ms, slowest of ${series.ours.length}: ${slowestMs.toFixed(1)} ms`,
      `one that waited already notices after ${median(noticing).toFixed(0)} ms (median), ${Math.max(...noticing).toFixed(0)} ms (slowest)`,
      'proper-lockfile waits for its stale time (10 s by default) instead',
    ],
  };
}

function peersOf(series, names) {
  const present = names.filter((name) => series[name] !== undefined);
  return present.map((name) => ({ name, ratio: ratio(series.ours, series[name]) }));
}
