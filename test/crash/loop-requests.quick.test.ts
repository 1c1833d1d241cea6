import { describe, expect, it } from 'vitest';
import { startLooper } from '../support/loop-kills.js';
import { tempDir } from '../support/temp-dir.js';
import { SENDERS, sendWhileSaving } from './loop-requests.js';

// The long run sends 1,000.
const EACH = 100;

describe('requests from other processes', () => {
  it(`${SENDERS * EACH} sent while the owner saves: all are taken, in order, once`, () =>
    sendWhileSaving(EACH));

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
