import { readFileSync } from 'node:fs';
import { expect } from 'vitest';
import { tempDir } from '../support/temp-dir.js';
import { startWorker, startWorkers } from '../support/workers.js';
import type { StorageWorker } from './workers/storage-worker.js';

const WORKER = new URL('./workers/storage-worker.ts', import.meta.url);

/** Eight processes that each read, add one and write, this many times, under one lock: no update is lost. */
export async function countTogether(times: number): Promise<void> {
  await using dir = await tempDir();
  const workers = await startWorkers<StorageWorker>(8, WORKER);
  try {
    await Promise.all(workers.map((worker) => worker.call('increment', { path: dir.at('number'), times })));
    expect(readFileSync(dir.at('number'), 'utf8')).toBe(String(8 * times));
  } finally {
    for (const worker of workers) await worker[Symbol.asyncDispose]();
  }
}

/** Readers beside a writer: whatever they see is a whole beginning of the log, and never gets shorter. */
export async function readBesideWriter(options: { readers: number; records: number }): Promise<number> {
  await using dir = await tempDir();
  const path = dir.at('log');
  const { records } = options;
  await using writer = await startWorker<StorageWorker>(WORKER);
  const readers = await startWorkers<StorageWorker>(options.readers, WORKER);
  try {
    const reading = readers.map((reader) => reader.call('readUntil', { path, records }));
    await writer.call('writeLog', { path, records });
    const outcomes = await Promise.all(reading);
    expect(outcomes.flatMap((outcome) => outcome.wrong)).toEqual([]);
    return outcomes.reduce((sum, outcome) => sum + outcome.readings, 0);
  } finally {
    for (const reader of readers) await reader[Symbol.asyncDispose]();
  }
}
