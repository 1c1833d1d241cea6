// PERF-30: what a commit over the files of a loop adds to replacing these files one by one, which no crash may interrupt.
import fs from 'node:fs';
import path from 'node:path';
import { compare, loadOurs, median, ratio, scratchDirectory, untilSteady } from './lib.mjs';

const LIMIT = 'replace 5 files + append, one by one';

export const rows = [
  {
    id: 'PERF-30',
    what: 'commit of one iteration of a loop, all files durable',
    goal: '<= 1.3 of the bare sequence of its replaces',
    run: ({ isQuick }) => untilSteady(() => measureCommit(isQuick)),
  },
];

const FILES = [
  'loop-state.json',
  'circuit-breaker.json',
  'metrics.json',
  'rate-limit.json',
  'dual-gate.json',
];
const LOG = 'phase-status.log';

/** The bare side writes what our side wrote last: the same files, the same sizes, the same log. */
async function measureCommit(isQuick) {
  const directory = scratchDirectory('loop');
  const ours = path.join(directory, '.prp-session');
  const bare = path.join(directory, 'bare');
  fs.mkdirSync(bare);
  const loop = await (await loadOurs()).openLoop(ours);
  loop.iterate();
  const block = fs.readFileSync(path.join(ours, LOG));
  const count = isQuick ? 5 : 10;
  const candidates = [
    {
      name: LIMIT,
      count,
      run(times) {
        const contents = FILES.map((name) => fs.readFileSync(path.join(ours, name)));
        for (let done = 0; done < times; done++) commitBare(bare, contents, block);
      },
    },
    {
      name: 'ours',
      count,
      run(times) {
        for (let done = 0; done < times; done++) loop.iterate();
      },
    },
  ];
  try {
    const series = await compare(candidates, isQuick ? 7 : 31);
    const value = ratio(series.ours, series[LIMIT]);
    return {
      series,
      steady: [series[LIMIT]],
      limit: { name: LIMIT, ratio: value },
      peers: [],
      checks: [{ what: `of ${LIMIT}`, value, atMost: 1.3 }],
      notes: [`${LIMIT}: ${(median(series[LIMIT]) * 1000).toFixed(0)} us; 11 syncs, ours has 9`],
    };
  } finally {
    loop.close();
  }
}

function commitBare(directory, contents, block) {
  for (const [index, name] of FILES.entries()) {
    const target = path.join(directory, name);
    const descriptor = fs.openSync(`${target}.tmp`, 'w', 0o600);
    fs.writeSync(descriptor, contents[index]);
    fs.fsyncSync(descriptor);
    fs.closeSync(descriptor);
    fs.renameSync(`${target}.tmp`, target);
    const parent = fs.openSync(directory, 'r');
    fs.fsyncSync(parent);
    fs.closeSync(parent);
  }
  const log = fs.openSync(path.join(directory, LOG), 'a', 0o600);
  fs.writeSync(log, block);
  fs.fdatasyncSync(log);
  fs.closeSync(log);
}
