// Reads stream-json in chunks as a pipe gives them and tells what stays in memory (PERF-23).
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { loadOurs, now, serveWorker } from '../lib.mjs';
import { streamJsonLines } from '../stream-json.mjs';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc');
const CHUNK_BYTES = 64 * 1024;
const { openClaudePipe } = await loadOurs();

serveWorker(({ bytes, rounds }) => {
  const whole = Buffer.from(`${streamJsonLines(bytes).join('\n')}\n`);
  const push = openClaudePipe();
  const used = [];
  let ms = 0;
  for (let round = 0; round < rounds; round++) {
    const start = now();
    for (let at = 0; at < whole.length; at += CHUNK_BYTES) push(whole.subarray(at, at + CHUNK_BYTES));
    ms += now() - start;
    collectGarbage();
    used.push(process.memoryUsage().heapUsed);
  }
  return { growthBytes: Math.max(0, used.at(-1) - used[0]), bytes: rounds * whole.length, ms };
});
