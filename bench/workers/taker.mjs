// A process that takes locks: as the owner that will be killed, or as a contender after it (PERF-7).
import fs from 'node:fs';
import path from 'node:path';
import { loadOurs, now, serveWorker, sleep } from '../lib.mjs';

const { takeLock } = await loadOurs();
const held = [];

serveWorker(async ({ own, take }) => {
  if (own !== undefined) {
    for (const directory of own) held.push(await takeLock(path.join(directory, 'session')));
    return {};
  }
  const startedAt = now();
  const lock = await takeLock(path.join(take, 'session'));
  const takenAt = now();
  const mark = path.join(take, `inside-${process.pid}`);
  fs.writeFileSync(mark, '');
  await sleep(3);
  const inside = fs.readdirSync(take).filter((name) => name.startsWith('inside-')).length;
  fs.unlinkSync(mark);
  lock.release();
  return { startedAt, takenAt, inside, takenOver: lock.takenOver };
});
