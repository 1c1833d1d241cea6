// One of the processes that increment one counter under one lock (PERF-6).
import fs from 'node:fs';
import path from 'node:path';
import { loadOurs, loadPeer, now, serveWorker } from '../lib.mjs';

const { takeLock } = await loadOurs();
const properLockfile = await loadPeer('proper-lockfile');
const fsExt = await loadPeer('fs-ext');

/** By strategy: from a directory to a function that takes the lock and resolves with its release. */
const strategies = {
  ours: (directory) => async () => {
    const lock = await takeLock(path.join(directory, 'counter'));
    return () => lock.release();
  },
  'proper-lockfile': (directory) => takeWithPeer(directory, { retries: 10_000 }),
  'proper-lockfile, few retries': (directory) => takeWithPeer(directory, { forever: true }),
  'flock (fs-ext)': (directory) => {
    const descriptor = fs.openSync(path.join(directory, 'flock'), 'a', 0o600);
    return async () => {
      await new Promise((resolve, reject) => {
        fsExt.flock(descriptor, 'ex', (error) => (error ? reject(error) : resolve()));
      });
      return () => fsExt.flockSync(descriptor, 'un');
    };
  },
};

serveWorker(async ({ strategy, directory, operations }) => {
  const take = strategies[strategy](directory);
  const counter = path.join(directory, 'counter');
  const waits = [];
  const cpuBefore = process.cpuUsage();
  for (let done = 0; done < operations; done++) {
    const start = now();
    const release = await take();
    waits.push(now() - start);
    fs.writeFileSync(counter, String(Number(fs.readFileSync(counter, 'utf8')) + 1));
    await release();
    await new Promise((resolve) => setImmediate(resolve));
  }
  const { user, system } = process.cpuUsage(cpuBefore);
  return { waits, cpuMs: (user + system) / 1000 };
});

function takeWithPeer(directory, retries) {
  const options = {
    lockfilePath: path.join(directory, 'peer.lock'),
    retries: { ...retries, factor: 1.2, minTimeout: 1, maxTimeout: 20, randomize: true },
  };
  return () => properLockfile.lock(directory, options);
}
