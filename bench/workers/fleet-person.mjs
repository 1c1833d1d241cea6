// The person who answers in PERF-35, in a process of their own: with a fleet, or at the machine that asks.
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { BUILD, now, serveWorker, sleep } from '../lib.mjs';

const { person } = await import(pathToFileURL(path.join(BUILD, 'fleet', 'ours.mjs')).href);
const [home, url] = process.argv.slice(2);
const somebody = await person(home, url);

serveWorker(async ({ known }) => {
  // Seen before the clock starts: how soon a question appears is not what is measured.
  for (;;) {
    const id = (await somebody.waiting()).find((one) => !known.includes(one));
    if (id === undefined) {
      await sleep(5);
      continue;
    }
    const startedAt = now();
    await somebody.answer(id);
    return { id, startedAt, toldAt: now() };
  }
});
