// PERF-19, PERF-20 and PERF-23: what supervising a program adds to running it, and what reading adds to parsing.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import {
  compare,
  inRotation,
  loadOurs,
  median,
  now,
  percentile,
  ratio,
  scratchDirectory,
  startWorker,
  untilSteady,
} from './lib.mjs';
import { streamJsonLines } from './stream-json.mjs';

export const rows = [
  {
    id: 'PERF-19',
    what: 'supervised start of a program',
    goal: '<= 1.4 of child_process.spawn',
    run: ({ isQuick }) => untilSteady(() => measureStart(isQuick)),
  },
  {
    id: 'PERF-20',
    what: 'stop of a program and its tree',
    goal: '<= 20 ms over its own exit',
    run: ({ isQuick }) => untilSteady(() => measureStop(isQuick)),
  },
  {
    id: 'PERF-23',
    what: '100 MB of stream-json to events',
    goal: '<= 1.5 of JSON.parse, memory flat',
    run: ({ isQuick }) => untilSteady(() => measureReading(isQuick)),
  },
];

const LIMIT_START = 'child_process.spawn';
const LIMIT_PARSE = 'JSON.parse';
const MEGABYTE = 1024 * 1024;

async function measureStart(isQuick) {
  const programs = (await loadOurs()).openPrograms(path.join(scratchDirectory('start'), 'programs'));
  const series = { [LIMIT_START]: [], ours: [] };
  const startOne = {
    [LIMIT_START]: async () => {
      const child = startBare('true', [], 'ignore');
      await once(child, 'spawn');
      return async () => void (await once(child, 'close'));
    },
    ours: async () => {
      const program = await programs.start('true', [], 'closed');
      return async () => void (await program.stop({ graceMs: 1_000, termMs: 1_000 }));
    },
  };
  await inRotation(Object.keys(series), isQuick ? 40 : 300, async (name, round) => {
    const start = now();
    const finish = await startOne[name]();
    const elapsed = now() - start;
    await finish();
    if (round >= 0) series[name].push(elapsed);
  });
  const value = ratio(series.ours, series[LIMIT_START]);
  return {
    series,
    steady: [series[LIMIT_START]],
    limit: { name: LIMIT_START, ratio: value },
    peers: [],
    checks: [{ what: `of ${LIMIT_START}`, value, atMost: 1.4 }],
    notes: [
      `${LIMIT_START}: ${median(series[LIMIT_START]).toFixed(2)} ms, ours ${median(series.ours).toFixed(2)} ms`,
    ],
  };
}

/** Two ways to leave: at the end of the input, and at SIGTERM. */
const LEAVING = {
  'end of input': {
    command: 'cat',
    args: [],
    leave: (child) => child.stdin.end(),
    grace: { graceMs: 3_000, termMs: 2_000 },
  },
  SIGTERM: {
    command: 'sleep',
    args: ['1000'],
    leave: (child) => child.kill('SIGTERM'),
    grace: { graceMs: 1, termMs: 2_000 },
  },
};

async function measureStop(isQuick) {
  const programs = (await loadOurs()).openPrograms(path.join(scratchDirectory('stop'), 'programs'));
  const series = {};
  const over = [];
  for (const [name, way] of Object.entries(LEAVING)) {
    const sides = { [name]: () => stopBare(way), [`ours, ${name}`]: () => stopOurs(programs, way) };
    for (const side of Object.keys(sides)) series[side] = [];
    await inRotation(Object.keys(sides), isQuick ? 20 : 100, async (side, round) => {
      const elapsed = await sides[side]();
      if (round >= 0) series[side].push(elapsed);
    });
    over.push(...series[`ours, ${name}`].map((ours, round) => ours - series[name][round]));
  }
  const sweeps = Array.from({ length: 20 }, () => timed(programs.sweep));
  return {
    series,
    // A process leaves in about a millisecond, of which the spread is large and does not matter here.
    steady: [[1]],
    limit: undefined,
    peers: [],
    checks: [{ what: 'ms over its own exit, p99', value: percentile(over, 0.99), atMost: 20 }],
    notes: [
      `over its own exit: p50 ${median(over).toFixed(2)} ms, p99 ${percentile(over, 0.99).toFixed(2)} ms`,
      ...Object.entries(series).map(([side, values]) => `${side}: ${median(values).toFixed(2)} ms`),
      `one look through all processes: ${median(sweeps).toFixed(2)} ms`,
    ],
  };
}

async function stopBare({ command, args, leave }) {
  const child = startBare(command, args, 'pipe');
  await once(child, 'spawn');
  const start = now();
  const exited = once(child, 'exit');
  leave(child);
  await exited;
  return now() - start;
}

async function stopOurs(programs, { command, args, grace }) {
  const program = await programs.start(command, args, 'open');
  const start = now();
  await program.stop(grace);
  return now() - start;
}

function startBare(command, args, stdin) {
  const child = spawn(command, args, { cwd: '/', detached: true, stdio: [stdin, 'pipe', 'pipe'] });
  child.stdout.resume();
  child.stderr.resume();
  return child;
}

function timed(run) {
  const start = now();
  run();
  return now() - start;
}

async function measureReading(isQuick) {
  const { openClaudeReader } = await loadOurs();
  const lines = streamJsonLines((isQuick ? 10 : 100) * MEGABYTE);
  const candidates = [
    {
      name: LIMIT_PARSE,
      count: lines.length,
      run: () => {
        for (const line of lines) JSON.parse(line);
      },
    },
    {
      name: 'ours',
      count: lines.length,
      run: () => {
        const read = openClaudeReader();
        for (const line of lines) read(line);
      },
    },
  ];
  const series = await compare(candidates, isQuick ? 5 : 9);
  const value = ratio(series.ours, series[LIMIT_PARSE]);
  const pipe = await measurePipe(isQuick);
  return {
    series,
    steady: [series[LIMIT_PARSE]],
    limit: { name: LIMIT_PARSE, ratio: value },
    peers: [],
    checks: [
      { what: `of ${LIMIT_PARSE}`, value, atMost: 1.5 },
      { what: 'MB more in use after the last tenth than after the first', value: pipe.growth, atMost: 4 },
    ],
    notes: [
      `${lines.length} lines; ${LIMIT_PARSE} ${(median(series[LIMIT_PARSE]) * 1_000).toFixed(2)} us a line`,
      `from the bytes of a pipe on: ${pipe.perSecond.toFixed(0)} MB/s, ${pipe.growth.toFixed(2)} MB growth`,
    ],
  };
}

async function measurePipe(isQuick) {
  const worker = await startWorker('pipe-reader.mjs');
  try {
    const { growthBytes, bytes, ms } = await worker.ask({ bytes: (isQuick ? 1 : 10) * MEGABYTE, rounds: 10 });
    return { growth: growthBytes / MEGABYTE, perSecond: bytes / MEGABYTE / (ms / 1_000) };
  } finally {
    await worker.kill();
  }
}
