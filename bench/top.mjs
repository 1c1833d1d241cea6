// PERF-32: what the overview costs while nothing happens.
import path from 'node:path';
import { openTerminal } from './inbox.mjs';
import { BUILD, loadOurs, median, now, scratchDirectory, sleep } from './lib.mjs';

const DIRECTORY = path.join(BUILD, 'top');
const HOLDFAST = path.join(DIRECTORY, 'holdfast.cjs');
const RUNS = 200;

export const rows = [
  {
    id: 'PERF-32',
    what: `top, idle with ${RUNS} runs`,
    goal: '<= 0.3 % of a core',
    run: ({ isQuick }) => measureIdle(isQuick),
  },
];

/** Both at the same time: CPU time counts per process, and so does the noise. */
async function measureIdle(isQuick) {
  const { buildCli } = await import('../scripts/build.mjs');
  await buildCli(DIRECTORY);
  const home = scratchDirectory('top');
  await (await loadOurs()).makeRuns(home, RUNS);
  const ways = [
    { name: 'ours', terminal: openTerminal([HOLDFAST, 'top'], home), seen: `${RUNS} rest` },
    {
      name: 'idle node',
      terminal: openTerminal(['-e', '"setInterval(()=>{},1e9);console.log(1+1)"']),
      seen: '2',
    },
  ];
  for (const { terminal, seen } of ways) await terminal.shows(seen);
  await sleep(3_000); // the start is paid for
  const series = Object.fromEntries(ways.map(({ name }) => [name, []]));
  // Two turns of its timer in each.
  const windowMs = 20_000;
  for (let round = 0; round < (isQuick ? 1 : 5); round++) {
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
    checks: [{ what: '% of a core', value: percent, atMost: 0.3 }],
    notes: [`${percent.toFixed(3)} % of a core, idle node ${median(series['idle node']).toFixed(3)} %`],
  };
}
