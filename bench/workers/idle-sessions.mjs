// A process with many live sessions and nothing else to do (PERF-28).
import fs from 'node:fs';
import { loadOurs, now, serveWorker, sleep } from '../lib.mjs';

const [, , directory, count] = process.argv;
fs.mkdirSync(directory, { mode: 0o700 });
const { openProcesses } = await loadOurs();
const sessions = openProcesses(directory, Number(count) + 1);
for (let started = 0; started < Number(count); started++) await sessions.start();

serveWorker(async ({ windowMs, end }) => {
  if (end) {
    await sessions.end();
    return {};
  }
  globalThis.gc?.();
  const before = process.cpuUsage();
  const start = now();
  await sleep(windowMs);
  const { user, system } = process.cpuUsage(before);
  return {
    percent: ((user + system) / 1000 / (now() - start)) * 100,
    bytes: process.memoryUsage.rss(),
  };
});
