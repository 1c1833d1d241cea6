import { expect } from 'vitest';
import { tempDir } from '../support/temp-dir.js';
import { startWorker, startWorkers } from '../support/workers.js';
import type { ConversationWorker } from './workers/conversation-worker.js';

const WORKER = new URL('./workers/conversation-worker.ts', import.meta.url);

/** Readers beside a writer, session after session, up to this many reads: each read is a beginning of the log. */
export async function readBesideWriter(options: {
  readers: number;
  turns: number;
  reads: number;
}): Promise<number> {
  await using dir = await tempDir();
  const directory = dir.at('sessions');
  await using writer = await startWorker<ConversationWorker>(WORKER);
  const readers = await startWorkers<ConversationWorker>(options.readers, WORKER);
  try {
    let reads = 0;
    for (let session = 1; reads < options.reads; session++) {
      const round = { directory, id: `session-${session}`, turns: options.turns };
      const reading = readers.map((reader) => reader.call('readUntil', round));
      await writer.call('write', round);
      for (const outcome of await Promise.all(reading)) {
        expect(outcome.wrong).toEqual([]);
        reads += outcome.reads;
      }
    }
    return reads;
  } finally {
    for (const reader of readers) await reader[Symbol.asyncDispose]();
  }
}

/** Two processes want to write: the second is refused, with the first one named, or waits until the first is gone. */
export async function writeTogether(): Promise<void> {
  await using dir = await tempDir();
  const directory = dir.at('sessions');
  await using first = await startWorker<ConversationWorker>(WORKER);
  await using second = await startWorker<ConversationWorker>(WORKER);
  await first.call('write', { directory, id: 'shared', turns: 1 });
  await first.call('own', { directory, id: 'shared', waitMs: 0 });
  await expect(second.call('own', { directory, id: 'shared', waitMs: 0 })).rejects.toMatchObject({
    code: 'LOCKED',
    message: expect.stringContaining(`by process ${first.pid} on `),
  });
  const waiting = second.call('own', { directory, id: 'shared', waitMs: 60_000 });
  first.kill();
  const turns = await waiting;
  expect(turns.slice(1)).toEqual([`from process ${first.pid}`, `from process ${second.pid}`]);
}
