// A process with a hundred waiters and nothing else to do (PERF-9).
import fs from 'node:fs';
import path from 'node:path';
import { loadOurs, now, serveWorker, sleep } from '../lib.mjs';

const WAITERS = 100;
const [, , way, directory] = process.argv;
const keep = [];

const starts = {
  idle: () => {},
  'fs.watch': () => {
    for (const own of makeDirectories()) keep.push(fs.watch(own, () => {}));
  },
  ours: async () => {
    fs.mkdirSync(directory, { mode: 0o700 });
    const questions = (await loadOurs()).openQuestions(directory);
    for (let count = 0; count < WAITERS; count++) keep.push(questions.wait(await questions.create()));
  },
  // What the published description of question sessions does: look for the answer, read and parse the status.
  '200 ms poll': () => {
    for (const own of makeDirectories()) keep.push(poll(own));
  },
};

await starts[way]();

serveWorker(async ({ windowMs }) => {
  const before = process.cpuUsage();
  const start = now();
  await sleep(windowMs);
  const { user, system } = process.cpuUsage(before);
  return { percent: ((user + system) / 1000 / (now() - start)) * 100 };
});

function makeDirectories() {
  return Array.from({ length: WAITERS }, (_, index) => {
    const own = path.join(directory, String(index));
    fs.mkdirSync(own, { recursive: true, mode: 0o700 });
    const status = JSON.stringify({ status: 'pending', padding: 'x'.repeat(300) });
    fs.writeFileSync(path.join(own, 'status.json'), status);
    return own;
  });
}

async function poll(own) {
  for (;;) {
    await sleep(200);
    await fs.promises.access(path.join(own, 'answers.json')).catch(() => {});
    JSON.parse(await fs.promises.readFile(path.join(own, 'status.json'), 'utf8'));
  }
}
