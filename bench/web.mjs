// PERF-33: the page: what its server costs, and how soon a person sees something.
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { chromium } from 'playwright-core';
import {
  BUILD,
  cpuMsOf,
  inRotation,
  loadOurs,
  median,
  now,
  percentile,
  ratio,
  START_ENVIRONMENTS,
  scratchDirectory,
  sleep,
  untilSteady,
  withoutCertificates,
} from './lib.mjs';

const DIRECTORY = path.join(BUILD, 'web');
const HOLDFAST = path.join(DIRECTORY, 'holdfast.cjs');
const CHROMIUM = '/usr/bin/chromium';
const SETS = { decided: 9_800, waiting: 200 };
/** A phone on a bad day: what Chromium calls slow 4G, and a quarter of the speed. */
const SLOW_4G = { latency: 150, downloadThroughput: (1.6e6 / 8) * 0.9, uploadThroughput: (750e3 / 8) * 0.9 };

export const rows = [
  row('server ready', 'CPU <= 1.8 of node -e 0', ({ isQuick }) => untilSteady(() => measureReady(isQuick))),
  row('first paint on a phone, slow 4G, 4x CPU', 'LCP <= 2,500 ms', ({ isQuick }) => measurePaint(isQuick)),
  row('answer in a terminal -> on the screen', 'p95 <= 100 ms', ({ isQuick }) => measureNews(isQuick)),
  row('10,000 sets, 200 cards, one stream', '<= 120 MB, idle <= 0.5 % of a core', ({ isQuick }) =>
    measureIdle(isQuick),
  ),
  row('a transcript of 500 MB', 'first turns p95 <= 300 ms, memory flat', ({ isQuick }) =>
    measureReader(isQuick),
  ),
];

function row(what, goal, run) {
  return { id: 'PERF-33', what: `page, ${what}`, goal, run };
}

let built;
const build = () => {
  built ??= import('../scripts/build.mjs').then(({ buildCli }) => buildCli(DIRECTORY));
  return built;
};

/** A server of the page, once it says where it is. */
async function startServer(home, variables = START_ENVIRONMENTS.machine) {
  const env = { ...variables, HOME: home, HOLDFAST_HOME: path.join(home, 'holdfast') };
  const child = spawn(process.execPath, [HOLDFAST, 'web', '--json'], { env, cwd: home });
  let said = '';
  const origins = await new Promise((resolve, reject) => {
    child.once('exit', () => reject(new Error(`holdfast web ended: ${said}`)));
    child.stderr.on('data', (text) => (said += text));
    child.stdout.on('data', (text) => {
      said += text;
      const line = /^\{.*\}$/m.exec(said)?.[0];
      if (line !== undefined) resolve(JSON.parse(line).origins);
    });
  });
  return {
    origin: origins[0],
    cpuMs: () => cpuMsOf(child.pid),
    memoryMb: () =>
      Number(/VmRSS:\s+(\d+)/.exec(fs.readFileSync(`/proc/${child.pid}/status`, 'utf8'))[1]) / 1024,
    async close() {
      child.removeAllListeners('exit');
      const ended = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGTERM');
      await ended;
    },
  };
}

async function measureReady(isQuick) {
  await build();
  const home = scratchDirectory('web');
  const ways = Object.values(START_ENVIRONMENTS).flatMap((variables) => [
    { variables, run: spentByNode },
    { variables, run: () => spentByServer(home, variables) },
  ]);
  const all = ways.map(() => []);
  await inRotation(ways, isQuick ? 7 : 31, async (way, round) => {
    const spent = await way.run(way.variables);
    if (round >= 0) all[ways.indexOf(way)].push(spent);
  });
  const [node, ours, plainNode, plainOurs] = all;
  const value = ratio(ours, node);
  return result(
    { ours, 'node -e 0': node },
    {
      steady: [node],
      checks: [{ what: 'CPU of node -e 0', value, atMost: 1.8 }],
      notes: [
        `${median(ours).toFixed(1)} ms of CPU until it answers, node ${median(node).toFixed(1)}`,
        withoutCertificates(plainOurs, plainNode),
      ],
    },
  );
}

async function spentByNode(env) {
  const child = spawn(process.execPath, ['-e', 'console.log(1);setInterval(()=>{},1e9)'], { env });
  await new Promise((resolve) => child.stdout.once('data', resolve));
  const spent = cpuMsOf(child.pid);
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGKILL');
  await ended;
  return spent;
}

async function spentByServer(home, variables) {
  const server = await startServer(home, variables);
  const spent = server.cpuMs();
  await server.close();
  return spent;
}

async function measurePaint(isQuick) {
  await build();
  const { makeSets, makeCode } = await loadOurs();
  const home = scratchDirectory('web');
  await makeSets(home, { decided: 20, waiting: 3 });
  const server = await startServer(home);
  const browser = await openBrowser();
  const series = { ours: [] };
  for (let round = 0; round < (isQuick ? 3 : 9); round++) {
    const context = await browser.newContext({ viewport: { width: 390, height: 844 }, isMobile: true });
    const page = await context.newPage();
    // Signed in before: the link is used once, the page is opened every day. Its files are not kept between contexts.
    await page.goto(`${server.origin}/#code=${makeCode(home)}`);
    await page.getByRole('article').first().waitFor();
    const tab = await context.newPage();
    const session = await context.newCDPSession(tab);
    await session.send('Network.enable');
    await session.send('Network.setCacheDisabled', { cacheDisabled: true });
    await session.send('Network.emulateNetworkConditions', { offline: false, ...SLOW_4G });
    await session.send('Emulation.setCPUThrottlingRate', { rate: 4 });
    await tab.goto(server.origin);
    await tab.getByRole('article').first().waitFor();
    series.ours.push(await tab.evaluate(largestPaint));
    await context.close();
  }
  await browser.close();
  await server.close();
  const value = median(series.ours);
  return result(series, {
    checks: [{ what: 'ms until the largest paint', value, atMost: 2_500 }],
    notes: [`${series.ours.map((ms) => Math.round(ms)).join(', ')} ms`],
  });
}

/* Runs in the page. */
function largestPaint() {
  return new Promise((resolve) => {
    new PerformanceObserver((list) => resolve(list.getEntries().at(-1).startTime)).observe({
      type: 'largest-contentful-paint',
      buffered: true,
    });
  });
}

async function measureNews(isQuick) {
  await build();
  const { makeCode, makeSets, openDesk } = await loadOurs();
  const home = scratchDirectory('web');
  await makeSets(home, { decided: 20, waiting: 3 });
  const server = await startServer(home);
  const browser = await openBrowser();
  const page = await browser.newPage({ viewport: { width: 390, height: 844 } });
  await page.goto(`${server.origin}/#code=${makeCode(home)}`);
  await page.getByRole('article').first().waitFor();
  const desk = openDesk(home);
  const series = { ours: [] };
  for (let round = 0; round < (isQuick ? 15 : 60); round++) {
    const id = await desk.ask(`Round ${round}`);
    await page.locator(`[data-card="${id}"]`).waitFor();
    const seen = page.evaluate(settledAt, id);
    await desk.answer(id);
    const answeredAt = Date.now();
    series.ours.push(Math.max(0, (await seen) - answeredAt));
  }
  await browser.close();
  await server.close();
  const value = percentile(series.ours, 0.95);
  return result(series, {
    checks: [{ what: 'ms, p95', value, atMost: 100 }],
    notes: [`median ${median(series.ours).toFixed(0)} ms, p95 ${value.toFixed(0)} ms`],
  });
}

/* Runs in the page: when the card of a set is no longer one that can be answered. */
function settledAt(id) {
  return new Promise((resolve) => {
    const look = () => {
      const card = document.querySelector(`[data-card="${id}"]`);
      if (card === null || card.querySelector('form') === null) resolve(Date.now());
      else requestAnimationFrame(look);
    };
    look();
  });
}

async function measureIdle(isQuick) {
  await build();
  const { makeCode, makeSets } = await loadOurs();
  const home = scratchDirectory('web');
  await makeSets(home, SETS);
  const server = await startServer(home);
  const browser = await openBrowser();
  const page = await browser.newPage({ viewport: { width: 390, height: 844 } });
  await page.goto(`${server.origin}/#code=${makeCode(home)}`);
  await page.getByRole('article').first().waitFor();
  await sleep(3_000); // the start is paid for
  const series = { ours: [] };
  for (let round = 0; round < (isQuick ? 1 : 5); round++) {
    const [before, startedAt] = [server.cpuMs(), now()];
    await sleep(20_000);
    series.ours.push((100 * (server.cpuMs() - before)) / (now() - startedAt));
  }
  const memory = server.memoryMb();
  await browser.close();
  await server.close();
  const percent = median(series.ours);
  return result(series, {
    checks: [
      { what: 'MB', value: memory, atMost: 120 },
      { what: '% of a core', value: percent, atMost: 0.5 },
    ],
    notes: [`${memory.toFixed(0)} MB, ${percent.toFixed(3)} % of a core while nothing happens`],
  });
}

const TRANSCRIPT = { turns: 100_000, turnBytes: 5_000 };

async function measureReader(isQuick) {
  await build();
  const { conversationsOf, makeCode, makeSets, writeConversation } = await loadOurs();
  const home = scratchDirectory('web');
  await makeSets(home, { decided: 20, waiting: 1 });
  writeConversation(conversationsOf(home), 'huge', TRANSCRIPT);
  const server = await startServer(home);
  const browser = await openBrowser();
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  await context.addInitScript(tellFirstTurn);
  const page = await context.newPage();
  await page.goto(`${server.origin}/#code=${makeCode(home)}`);
  await page.getByRole('article').first().waitFor();
  // A new tab of a browser that has read a transcript before: the files of the page are in its cache, the turns never are.
  const firstTurnMs = async () => {
    const tab = await context.newPage();
    await tab.goto(`${server.origin}/s/huge`);
    const ms = await tab.evaluate('window.firstTurnMs');
    await tab.close();
    return ms;
  };
  const firstEver = await firstTurnMs();
  const series = { ours: [] };
  for (let round = 0; round < (isQuick ? 20 : 60); round++) series.ours.push(await firstTurnMs());
  const session = await context.newCDPSession(page);
  const heapMb = async () => {
    await session.send('HeapProfiler.collectGarbage');
    const { usedSize } = await session.send('Runtime.getHeapUsage');
    return usedSize / 2 ** 20;
  };
  await page.goto(`${server.origin}/s/huge`);
  await page.locator('#t1').waitFor();
  const before = { server: server.memoryMb(), page: await heapMb() };
  const went = {};
  for (const [name, turn] of [
    ['middle', 50_000],
    ['end', 99_990],
    ['middle again', 50_500],
  ]) {
    const startedAt = now();
    await page.evaluate((hash) => (location.hash = hash), `#t${turn}`);
    await page.locator(`#t${turn}`).waitFor();
    went[name] = now() - startedAt;
    for (let step = 0; step < 20; step++) {
      await page.mouse.wheel(0, 3_000);
      await sleep(50);
    }
  }
  const after = { server: server.memoryMb(), page: await heapMb() };
  await browser.close();
  await server.close();
  const value = percentile(series.ours, 0.95);
  const grown = Math.max(after.server - before.server, after.page - before.page);
  return result(series, {
    checks: [
      { what: 'ms until the first turn, p95', value, atMost: 300 },
      { what: 'MB more after the middle and the end', value: grown, atMost: 60 },
    ],
    notes: [
      `first turn median ${median(series.ours).toFixed(0)} ms, p95 ${value.toFixed(0)} ms; the first time ${firstEver.toFixed(0)} ms`,
      ...Object.entries(went).map(([name, ms]) => `${name} ${ms.toFixed(0)} ms`),
      `server ${before.server.toFixed(0)} -> ${after.server.toFixed(0)} MB, page ${before.page.toFixed(1)} -> ${after.page.toFixed(1)} MB`,
    ],
  });
}

/* Runs in the page: when the first turn was painted, since the navigation began. */
function tellFirstTurn() {
  window.firstTurnMs = new Promise((resolve) => {
    new MutationObserver((_, observer) => {
      if (document.querySelector('.turn') === null) return;
      observer.disconnect();
      requestAnimationFrame(() => setTimeout(() => resolve(performance.now())));
    }).observe(document, { childList: true, subtree: true });
  });
}

function openBrowser() {
  const quiet = [
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
    '--no-first-run',
  ];
  const sandbox = process.geteuid?.() === 0 ? ['--no-sandbox'] : [];
  return chromium.launch({ executablePath: CHROMIUM, args: ['--disable-gpu', ...quiet, ...sandbox] });
}

function result(series, { steady = [], checks, notes }) {
  return {
    series,
    steady,
    spread: 1,
    attempts: 1,
    isTooNoisy: false,
    limit: undefined,
    peers: [],
    checks,
    notes,
  };
}
