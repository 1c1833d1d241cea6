// The harness: candidates run in interleaved rounds with rotating order, so that the machine's noise hits all of them
// alike, and two candidates are compared by the median of their per-round ratios.
import { fork, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

export const BENCH = path.dirname(fileURLToPath(import.meta.url));
export const ROOT = path.dirname(BENCH);
export const BUILD = path.join(BENCH, '.build');

/** Above this spread (p75 / p25) of the limit itself, a run says nothing. */
export const MAX_SPREAD = 2.5;
const MAX_ATTEMPTS = 3;

/** Milliseconds of CLOCK_MONOTONIC: the same clock in every process of the machine. */
export const now = () => Number(process.hrtime.bigint()) / 1e6;
export const sleep = (ms, value) => new Promise((resolve) => setTimeout(resolve, ms, value));

export function percentile(values, fraction) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(fraction * sorted.length))];
}

export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/** Median of the per-round ratios of two series that were measured in the same rounds. */
export const ratio = (ours, other) => median(ours.map((value, round) => value / other[round]));

export const spread = (values) => percentile(values, 0.75) / percentile(values, 0.25);

/** Visits every candidate once a round, starting with another one each time. Round -1 warms up. */
export async function inRotation(candidates, rounds, visit) {
  for (let round = -1; round < rounds; round++) {
    for (let turn = 0; turn < candidates.length; turn++) {
      await visit(candidates[(turn + round + 1) % candidates.length], round);
    }
  }
}

/** Runs candidates `{ name, count, run(count) }` and returns milliseconds per operation by name and round. */
export async function compare(candidates, rounds) {
  const series = Object.fromEntries(candidates.map(({ name }) => [name, []]));
  await inRotation(candidates, rounds, async ({ name, count, run }, round) => {
    const start = now();
    await run(count);
    if (round >= 0) series[name].push((now() - start) / count);
  });
  return series;
}

/** Measures again, up to three times, while the limits themselves are too unsteady to judge anything by. */
export async function untilSteady(measureOnce) {
  for (let attempt = 1; ; attempt++) {
    const measured = await measureOnce();
    const noise = Math.max(...measured.steady.map(spread));
    const isSteady = noise <= MAX_SPREAD;
    if (isSteady || attempt === MAX_ATTEMPTS) {
      return { ...measured, spread: noise, attempts: attempt, isTooNoisy: !isSteady };
    }
  }
}

/**
 * The two environments in which the start of a program is measured beside bare Node's. `machine` decides: it names the list of
 * certificates that this machine names, as did the one on which the goals were set, and Node 20 reads it at each start.
 * `plain` names none, so that bare Node costs a third of that, and is told. See docs/decisions/0219.
 */
export const START_ENVIRONMENTS = (() => {
  const { PATH, NODE_EXTRA_CA_CERTS } = process.env;
  return {
    machine: { PATH, ...(NODE_EXTRA_CA_CERTS === undefined ? {} : { NODE_EXTRA_CA_CERTS }) },
    plain: { PATH },
  };
})();

/**
 * Runs a program to its end and returns what it printed and how much CPU it took, user and system, in milliseconds. By the
 * shell, as Node tells nothing about a child that has ended.
 */
export function spawnTimed(command, args, options) {
  const script = 'TIMEFORMAT="%U %S"; { time "$@" 2>&4; } 4>&2 2>&3';
  const { error, status, stdout, stderr, output } = spawnSync(
    'bash',
    ['-c', script, 'bash', command, ...args],
    {
      ...options,
      stdio: [options.input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe', 'pipe'],
      encoding: 'utf8',
    },
  );
  if (error !== undefined) throw error;
  const [user, system] = output[3].trim().split(' ').map(Number);
  return { status, stdout, stderr, cpuMs: (user + system) * 1000 };
}

/** The same ratio where no list of certificates is read, in words. */
export function withoutCertificates(ours, bare) {
  return `without a list of certificates ${ratio(ours, bare).toFixed(2)}: ${median(ours).toFixed(1)} ms, node -e 0 ${median(bare).toFixed(1)}`;
}

/** A peer package, or undefined where it did not install or does not load. */
export async function loadPeer(name) {
  try {
    const file = createRequire(path.join(BENCH, 'package.json')).resolve(name);
    const module = await import(pathToFileURL(file).href);
    return module.default ?? module;
  } catch {
    return undefined; // said by run.mjs before the first row
  }
}

/** Installs the peers once. Without them the rows still run against the limit. */
export function installPeers() {
  if (fs.existsSync(path.join(BENCH, 'node_modules'))) return;
  console.error('Installing the peers into bench/node_modules (once; native ones compile) …');
  const npm = spawnSync('npm', ['ci', '--prefix', BENCH, '--no-audit', '--no-fund'], {
    cwd: ROOT,
    stdio: ['ignore', 'ignore', 'pipe'],
    encoding: 'utf8',
  });
  if (npm.status !== 0) {
    const reason = npm.error?.message ?? npm.stderr.split('\n').find((line) => /error/i.test(line));
    console.error(`The peers could not be installed: ${reason ?? `npm ended with ${npm.status}`}`);
    fs.rmSync(path.join(BENCH, 'node_modules'), { recursive: true, force: true }); // so that the next run tries again
  }
}

/** Bundles our own code as it is in `src/` now. */
export async function buildOurs() {
  const { build } = await import('esbuild');
  await build({
    entryPoints: [path.join(BENCH, 'ours.ts')],
    outfile: path.join(BUILD, 'ours.mjs'),
    bundle: true,
    platform: 'node',
    format: 'esm',
    // The driver of PostgreSQL is CommonJS, and calls require.
    banner: { js: "import{createRequire as __cr}from'node:module';const require=__cr(import.meta.url);" },
    target: 'node20',
    sourcemap: 'inline',
    logLevel: 'warning',
  });
}

/** Our code, bundled before by `buildOurs`; workers load it too. */
export const loadOurs = () => import(pathToFileURL(path.join(BUILD, 'ours.mjs')).href);

/** A private directory on the disk that holds the repository, removed at the end. */
export function scratchDirectory(name) {
  fs.mkdirSync(BUILD, { recursive: true });
  const directory = fs.mkdtempSync(path.join(BUILD, `run-${name}-`));
  process.on('exit', () => fs.rmSync(directory, { recursive: true, force: true }));
  return directory;
}

const TMPFS = 0x01021994;
/** In memory a sync is free, and ratios to it say nothing about disks. */
export const isInMemory = () => fs.statfsSync(BENCH).type === TMPFS;

/** Which part of the machine others use right now: what is neither idle time nor ours, over one second of waiting. */
export async function busyShare() {
  const total = () => {
    const times = os.cpus().map((core) => core.times);
    const sum = (pick) => times.reduce((all, core) => all + pick(core), 0);
    return {
      idle: sum(({ idle }) => idle),
      all: sum(({ user, nice, sys, idle, irq }) => user + nice + sys + idle + irq),
    };
  };
  const before = total();
  await sleep(1_000);
  const after = total();
  return 1 - (after.idle - before.idle) / (after.all - before.all);
}

/** A helper process from `workers/`, ready; `ask` sends a message and resolves with the reply. */
export async function startWorker(file, ...args) {
  const child = fork(path.join(BENCH, 'workers', file), args, {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const reply = () =>
    new Promise((resolve, reject) => {
      const onExit = (code, signal) => reject(new Error(`${file} ended early (${signal ?? code})`));
      child.once('exit', onExit);
      child.once('message', (message) => {
        child.off('exit', onExit);
        if (message?.failure === undefined) resolve(message);
        else reject(new Error(`${file}: ${message.failure}`));
      });
    });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  await reply();
  return {
    ask(message) {
      const answer = reply();
      child.send(message);
      return answer;
    },
    /** SIGKILL; resolves once the process is gone. */
    kill() {
      child.kill('SIGKILL');
      return ended;
    },
  };
}

export const stopAll = (workers) => Promise.all(workers.map((worker) => worker.kill()));

/** The other side of `startWorker`: answers each message with what `onMessage` returns. */
export function serveWorker(onMessage) {
  process.on('disconnect', () => process.exit(0));
  process.on('message', async (message) => {
    try {
      process.send((await onMessage(message)) ?? {});
    } catch (error) {
      process.send({ failure: error?.stack ?? String(error) });
    }
  });
  process.send('ready');
}

/** The time that all threads of a process were on a core; finer than the ticks of /proc/<pid>/stat. */
export function cpuMsOf(pid) {
  const times = fs.readdirSync(`/proc/${pid}/task`).map((id) => {
    try {
      return Number(fs.readFileSync(`/proc/${pid}/task/${id}/schedstat`, 'utf8').split(' ')[0]) / 1e6;
    } catch {
      return 0; // it ended meanwhile
    }
  });
  return times.reduce((sum, time) => sum + time, 0);
}
