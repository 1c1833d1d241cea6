import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { FakeClock } from '../../test/support/fake-clock.js';
import { RecordingLog } from '../../test/support/recording-log.js';
import { storageTools } from '../../test/support/storage-tools.js';
import { tempDir } from '../../test/support/temp-dir.js';
import type { RetainedKind } from './kind.js';
import { retainDaily } from './retain-daily.js';

const DAY_MS = 24 * 60 * 60 * 1_000;

/** Three old conversations; looking at one takes `lookMs`. */
async function world(lookMs: number) {
  const dir = await tempDir();
  // The stamp is a file's time, so this clock must agree with the system's.
  const clock = new FakeClock({ now: new Date().toISOString() });
  const log = new RecordingLog();
  const left = new Set(['a', 'b', 'c']);
  const kind: RetainedKind = {
    kind: 'conversation',
    *retirable() {
      for (const id of [...left])
        yield {
          id,
          look() {
            clock.advance(lookMs);
            return {};
          },
          retire: async () => left.delete(id),
        };
    },
    purgeTrash: () => [],
  };
  const notes = dir.at('state');
  const run = () => retainDaily(kind, storageTools({ clock, log }), { olderThanMs: DAY_MS, notes });
  const [stamp, place] = [
    dir.at('state', 'conversations-cleaned'),
    dir.at('state', 'conversations-cleaning'),
  ];
  return {
    dir,
    clock,
    log,
    kind,
    left,
    run,
    stamp,
    place,
    [Symbol.asyncDispose]: () => dir[Symbol.asyncDispose](),
  };
}

describe('cleaning once a day', () => {
  it('takes at most 100 ms, and is done for the day only once nothing is left', async () => {
    await using found = await world(60);
    expect(await found.run()).toEqual({ retired: ['a', 'b'], isComplete: false });
    expect([existsSync(found.stamp), readFileSync(found.place, 'utf8')]).toEqual([false, 'b']);
    expect(await found.run()).toEqual({ retired: ['c'], isComplete: true });
    expect([existsSync(found.stamp), existsSync(found.place)]).toEqual([true, false]);
  });

  it('rests for the day after that, and runs again the next', async () => {
    await using found = await world(0);
    expect(await found.run()).toMatchObject({ isComplete: true });
    found.left.add('d');
    expect(await found.run()).toBeUndefined();
    found.clock.advance(DAY_MS + 60_000);
    expect(await found.run()).toMatchObject({ retired: ['d'] });
  });

  it('only logs a failure', async () => {
    await using found = await world(0);
    found.kind.retirable = () => {
      throw new Error('the disk is on fire');
    };
    expect(await found.run()).toBeUndefined();
    expect(found.log.named('conversation.not-cleaned')).toHaveLength(1);
    expect(existsSync(found.stamp)).toBe(false);
  });
});
