import { describe, expect, it } from 'vitest';
import type { LoopRequestInput } from '../../src/sessions/loop/index.js';
import { startLooper } from '../support/loop-kills.js';
import { tempDir } from '../support/temp-dir.js';

const SENDERS = 2;
const EACH = 500;

describe('requests from other processes', () => {
  it(`${SENDERS * EACH} sent while the owner saves: all are taken, in order, once`, async () => {
    await using dir = await tempDir({ isInMemory: true });
    const directory = dir.at('.prp-session');
    await using owner = await startLooper();
    await owner.call('create', { directory });
    const taking = owner.call('saveAndTake', { directory, count: SENDERS * EACH });
    const sent = await Promise.all(
      Array.from({ length: SENDERS }, async (_, sender) => {
        await using worker = await startLooper();
        const requests = Array.from(
          { length: EACH },
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
    const everything = Array.from({ length: SENDERS * EACH }, (_, number) => number);
    expect(sent.flat().sort((a, b) => a - b)).toEqual(everything);
    expect(taken).toEqual(everything);
    expect(new Set(texts).size).toBe(SENDERS * EACH * 0.8);
    expect(guidance).toBe(SENDERS * EACH * 0.8);
  });

  it('a second owner is refused with the first named; when the first is killed, the next takes over', async () => {
    await using dir = await tempDir({ isInMemory: true });
    const directory = dir.at('.prp-session');
    await using first = await startLooper();
    await using second = await startLooper();
    await first.call('create', { directory });
    const churning = new Promise<void>((resolve) => first.onNote(() => resolve()));
    first.call('churn', { directory }).catch(() => {});
    await churning;
    for (const call of ['iterate', 'create'] as const)
      await expect(second.call(call, { directory })).rejects.toMatchObject({
        code: 'LOCKED',
        message: expect.stringContaining(`by process ${first.pid} on `),
      });
    first.kill();
    await first.ended;
    const { after } = await second.call('succeed', { directory });
    expect(after.faults).toEqual([]);
    expect(await second.call('iterate', { directory })).toBe((after.iterations[0] ?? 0) + 1);
  });
});
