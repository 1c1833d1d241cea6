// npm run bench [-- PERF-1 PERF-5 …] [--quick] [--json] [--strict]
import os from 'node:os';
import { parseArgs } from 'node:util';
import { rows as agents } from './agents.mjs';
import { rows as checkpoint } from './checkpoint.mjs';
import { rows as cliStart } from './cli-start.mjs';
import { rows as conversations } from './conversations.mjs';
import { rows as durableWrite } from './durable-write.mjs';
import { rows as fleet } from './fleet.mjs';
import { rows as inbox } from './inbox.mjs';
import { buildOurs, busyShare, installPeers, isInMemory, loadPeer } from './lib.mjs';
import { rows as locks } from './locks.mjs';
import { rows as loopCommit } from './loop-commit.mjs';
import { rows as notify } from './notify.mjs';
import { rows as processes } from './processes.mjs';
import { rows as queue } from './queue.mjs';
import { rows as ralphtool } from './ralphtool.mjs';
import { judge, renderSummary, renderTable } from './report.mjs';
import { rows as runLoop } from './run-loop.mjs';
import { rows as top } from './top.mjs';
import { rows as web } from './web.mjs';
import { rows as workspace } from './workspace.mjs';

const PEERS = ['proper-lockfile', 'write-file-atomic', 'better-sqlite3', 'chokidar', 'fs-ext'];
const ROWS = [
  ...durableWrite,
  ...loopCommit,
  ...locks,
  ...notify,
  ...conversations,
  ...cliStart,
  ...inbox,
  ...top,
  ...web,
  ...queue,
  ...fleet,
  ...agents,
  ...processes,
  ...workspace,
  ...ralphtool,
  ...runLoop,
  ...checkpoint,
];

for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(130)); // so that scratch goes away

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    quick: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    strict: { type: 'boolean', default: false },
  },
});

const chosen = chooseRows(positionals.map((id) => id.toUpperCase()));
const remarks = await prepare();
const results = [];
for (const row of chosen) {
  console.error(`${row.id} ${row.what} …`);
  results.push(judge(row, await measure(row)));
}
print();
const isAllMet = results.every(({ verdict }) => verdict === 'met');
process.exit(values.strict && !isAllMet ? 1 : 0);

function chooseRows(ids) {
  const unknown = ids.filter((id) => !ROWS.some((row) => row.id === id));
  if (unknown.length > 0) {
    const known = [...new Set(ROWS.map((row) => row.id))].join(' ');
    console.error(`Unknown: ${unknown.join(' ')}. There are: ${known}`);
    process.exit(2);
  }
  return ids.length === 0 ? ROWS : ROWS.filter((row) => ids.includes(row.id));
}

/** Peers, our bundle, and what a reader must know about this run. */
async function prepare() {
  installPeers();
  const found = [];
  for (const peer of PEERS) {
    if ((await loadPeer(peer)) === undefined)
      found.push(`peer ${peer} is not installed or does not load: skipped`);
  }
  const busy = await busyShare();
  if (busy > 0.25) {
    const percent = Math.round(busy * 100);
    found.push(
      `other programs use ${percent} % of this machine: a busy disk flatters every ratio to a sync; run again`,
    );
  }
  if (isInMemory()) found.push('this repository is in memory (tmpfs): a sync costs nothing here');
  if (values.quick) found.push('--quick: few rounds, for a look only');
  await buildOurs();
  return found;
}

/** One row that cannot run must not take the others with it. */
async function measure(row) {
  try {
    return await row.run({ isQuick: values.quick });
  } catch (error) {
    return { skipped: error instanceof Error ? error.message : String(error) };
  }
}

function print() {
  const machine = {
    node: process.version,
    system: `${os.platform()} ${os.release()}`,
    cores: os.cpus().length,
  };
  if (values.json) {
    console.log(
      JSON.stringify({ machine, remarks, rows: results, summary: renderSummary(results) }, null, 2),
    );
    return;
  }
  console.log(
    `Node ${machine.node}, ${machine.system}, ${machine.cores} cores. Ratios of times: below 1 ours is faster.`,
  );
  for (const remark of remarks) console.log(`! ${remark}`);
  console.log(`\n${renderTable(results)}`);
}
