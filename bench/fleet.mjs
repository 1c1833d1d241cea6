// PERF-35: an answer on one machine, to the agent on another having it: two homes, the real `holdfast mcp`, a real PostgreSQL.
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import readline from 'node:readline';
import { pathToFileURL } from 'node:url';
import {
  BENCH,
  BUILD,
  inRotation,
  median,
  now,
  percentile,
  ratio,
  scratchDirectory,
  startWorker,
  stopAll,
  untilSteady,
} from './lib.mjs';

const DIRECTORY = path.join(BUILD, 'fleet');
const HOLDFAST = path.join(DIRECTORY, 'holdfast.cjs');
const FILES = 'files alone';
const QUESTION = [
  { title: 'Go on', prompt: 'Go on?', options: [{ label: 'Yes' }, { label: 'No' }], multiSelect: false },
];

export const rows = [
  {
    id: 'PERF-35',
    what: 'answer on one machine -> agent on another has it',
    goal: 'p50 <= 3 of the files alone, p99 <= 100 ms',
    run: ({ isQuick }) => untilSteady(() => measure(isQuick)),
  },
];

async function measure(isQuick) {
  const ours = await build();
  const directory = scratchDirectory('fleet');
  const db = await ours.cluster({ fsync: 'on' });
  const workers = [];
  const agents = [];
  try {
    const homes = Object.fromEntries(
      ['alone', 'asks', 'answers'].map((name) => {
        mkdirSync(path.join(directory, name), { recursive: true });
        return [name, path.join(directory, name)];
      }),
    );
    await ours.join(homes.asks, db.url, 'asks', true);
    await ours.join(homes.answers, db.url, 'answers', false);
    const ways = [
      { name: FILES, agent: agentOn(homes.alone), home: homes.alone },
      { name: 'ours', agent: agentOn(homes.asks, db.url), home: homes.answers, url: db.url },
    ];
    for (const way of ways) {
      agents.push(way.agent);
      way.person = await startWorker(
        'fleet-person.mjs',
        way.home,
        ...(way.url === undefined ? [] : [way.url]),
      );
      workers.push(way.person);
      await way.agent.ready;
    }
    return await rounds(ways, isQuick);
  } finally {
    await stopAll(workers);
    for (const { child } of agents) child.kill('SIGKILL');
    await db[Symbol.asyncDispose]();
  }
}

async function rounds(ways, isQuick) {
  const delays = Object.fromEntries(ways.map(({ name }) => [name, []]));
  const told = Object.fromEntries(ways.map(({ name }) => [name, []]));
  const series = Object.fromEntries(ways.map(({ name }) => [name, []]));
  const known = [];
  await inRotation(ways, isQuick ? 5 : 21, async ({ name, agent, person }, round) => {
    const measured = [];
    for (let sample = 0; sample < 10; sample++) {
      const arrival = agent.ask().then(now);
      const { id, startedAt, toldAt } = await person.ask({ known });
      known.push(id);
      measured.push((await arrival) - startedAt);
      if (round >= 0) told[name].push(toldAt - startedAt);
    }
    if (round < 0) return;
    delays[name].push(...measured);
    series[name].push(median(measured));
  });
  const p50 = ratio(series.ours, series[FILES]);
  const words = (values) => [0.5, 0.95, 0.99, 1].map((at) => percentile(values, at).toFixed(1)).join(' / ');
  return {
    series,
    steady: [series[FILES]],
    limit: { name: FILES, ratio: p50 },
    peers: [],
    checks: [
      { what: `p50 of the ${FILES}`, value: p50, atMost: 3 },
      { what: 'ms, p99', value: percentile(delays.ours, 0.99), atMost: 100 },
    ],
    notes: [
      `p50 / p95 / p99 / most in ms, until the agent has it: ${words(delays.ours)} of ${delays.ours.length}; ${FILES} ${words(delays[FILES])}`,
      `until the person is told that it arrived: ${words(told.ours)}; ${FILES} ${words(told[FILES])}`,
    ],
  };
}

let built;
function build() {
  built ??= (async () => {
    const [{ build: bundle }, { buildCli }] = await Promise.all([
      import('esbuild'),
      import('../scripts/build.mjs'),
    ]);
    await buildCli(DIRECTORY);
    const outfile = path.join(DIRECTORY, 'ours.mjs');
    await bundle({
      entryPoints: [path.join(BENCH, 'fleet-ours.ts')],
      outfile,
      bundle: true,
      platform: 'node',
      format: 'esm',
      target: 'node20',
      packages: 'external',
      define: { __HOLDFAST_VERSION__: '"bench"' },
      logLevel: 'warning',
    });
    if (!existsSync(HOLDFAST)) throw new Error('the command line was not built');
    return await import(pathToFileURL(outfile).href);
  })();
  return built;
}

/** An agent with a real `holdfast mcp` on a machine: it asks, and has the answer when the tool's reply is read. */
function agentOn(home, url) {
  const fleet = url === undefined ? {} : { HOLDFAST_FLEET_URL: url };
  const env = { PATH: process.env.PATH, HOLDFAST_HOME: home, HOME: home, ...fleet };
  const child = spawn(process.execPath, [HOLDFAST, 'mcp'], {
    cwd: home,
    env,
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const replies = new Map();
  readline.createInterface({ input: child.stdout }).on('line', (line) => {
    const { id, result, error } = JSON.parse(line);
    const reply = replies.get(id);
    if (reply === undefined) return;
    replies.delete(id);
    if (error !== undefined || result.isError) reply.reject(new Error(JSON.stringify(error ?? result)));
    else reply.resolve(result);
  });
  let last = 0;
  const call = (method, params) =>
    new Promise((resolve, reject) => {
      last += 1;
      replies.set(last, { resolve, reject });
      child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: last, method, params })}\n`);
    });
  const hello = {
    protocolVersion: '2025-06-18',
    capabilities: {},
    clientInfo: { name: 'bench', version: '1' },
  };
  const ready = call('initialize', hello).then(() =>
    child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' })}\n`),
  );
  return {
    child,
    ready,
    ask: () => call('tools/call', { name: 'ask_user_questions', arguments: { questions: QUESTION } }),
  };
}
