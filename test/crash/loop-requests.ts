import { expect } from 'vitest';
import type { LoopRequestInput } from '../../src/sessions/loop/index.js';
import { startLooper } from '../support/loop-kills.js';
import { tempDir } from '../support/temp-dir.js';

export const SENDERS = 2;

/** Processes send requests while the owner saves: all are taken once, in order. */
export async function sendWhileSaving(each: number): Promise<void> {
  await using dir = await tempDir({ isInMemory: true });
  const directory = dir.at('.prp-session');
  await using owner = await startLooper();
  await owner.call('create', { directory });
  const taking = owner.call('saveAndTake', { directory, count: SENDERS * each });
  const sent = await Promise.all(
    Array.from({ length: SENDERS }, async (_, sender) => {
      await using worker = await startLooper();
      const requests = Array.from(
        { length: each },
        (_, count): LoopRequestInput =>
          count % 10 === 8
            ? { kind: 'pause' }
            : count % 10 === 9
              ? { kind: 'resume' }
              : { kind: 'guidance', text: `${sender}-${count}` },
      );
      return await worker.call('send', { directory, requests });
    }),
  );
  const { taken, texts, guidance } = await taking;
  // After each request, a line says who sent it.
  const everything = Array.from({ length: SENDERS * each }, (_, index) => index * 2);
  expect(sent.flat().sort((a, b) => a - b)).toEqual(everything);
  expect(taken).toEqual(everything);
  expect(new Set(texts).size).toBe(SENDERS * each * 0.8);
  expect(guidance).toBe(SENDERS * each * 0.8);
}
