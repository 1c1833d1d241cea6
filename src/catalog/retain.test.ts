import { describe, expect, it } from 'vitest';
import { FakeClock } from '../../test/support/fake-clock.js';
import { RecordingLog } from '../../test/support/recording-log.js';
import type { Retirable } from '../foundation/index.js';
import { SessionNotFoundError } from '../foundation/index.js';
import { StorageError } from '../storage/index.js';
import type { RetainedKind } from './kind.js';
import { retain } from './retain.js';

/** A kind with these sessions, which records what becomes of them. */
function kindOf(sessions: readonly Partial<Retirable>[], overrides: Partial<RetainedKind> = {}) {
  const done: string[] = [];
  const asked: number[] = [];
  const kind: RetainedKind = {
    kind: 'conversation',
    *retirable(before) {
      asked.push(before);
      for (const [index, session] of sessions.entries()) {
        const id = session.id ?? `s${index}`;
        const look = () => {
          done.push(`looked at ${id}`);
          return {};
        };
        const retire = async () => {
          done.push(`retired ${id}`);
          return true;
        };
        yield { id, look, retire, ...session };
      }
    },
    sweep: () => void done.push('swept'),
    purgeTrash: (olderThanMs) => {
      done.push(`purged after ${olderThanMs / DAY_MS} days`);
      return ['gone'];
    },
    ...overrides,
  };
  return { kind, done, asked };
}

const DAY_MS = 24 * 60 * 60 * 1_000;
const OLD = { olderThanMs: DAY_MS };

function broken(): StorageError {
  return new StorageError('It cannot be read', { path: '/x', step: 'read', cause: new Error('EIO') });
}

function tools() {
  return { clock: new FakeClock(), log: new RecordingLog() };
}

describe('retain', () => {
  it('retires what may go, then sweeps, then empties the trash of what has been there for seven days', async () => {
    const { kind, done, asked } = kindOf([{}, { look: () => undefined }]);
    const world = tools();
    expect(await retain(kind, world, OLD)).toEqual({
      retired: ['s0'],
      purged: ['gone'],
      uncollected: [],
      skipped: [],
      isComplete: true,
      reached: 's1',
    });
    expect(asked).toEqual([world.clock.now().getTime() - DAY_MS]);
    expect(done).toEqual(['looked at s0', 'retired s0', 'swept', 'purged after 7 days']);
  });

  it('says why something stays, and does not mention what came back to life', async () => {
    const { kind } = kindOf([{ look: () => ({ kept: 'it is dear to me' }) }, { retire: async () => false }]);
    expect(await retain(kind, tools(), OLD)).toMatchObject({
      retired: [],
      skipped: [{ id: 's0', reason: 'it is dear to me' }],
    });
  });

  it('leaves uncollected outcomes alone, and counts them if they should go', async () => {
    const { kind, done } = kindOf([{ look: () => ({ isUncollected: true }) }]);
    expect(await retain(kind, tools(), OLD)).toMatchObject({ retired: [], uncollected: ['s0'] });
    expect(done).not.toContain('retired s0');
    expect(await retain(kind, tools(), { ...OLD, takesUncollected: true })).toMatchObject({
      retired: ['s0'],
      uncollected: ['s0'],
    });
  });

  it('changes nothing in a dry run', async () => {
    const { kind, done } = kindOf([{}]);
    expect(await retain(kind, tools(), { ...OLD, isDryRun: true })).toMatchObject({
      retired: ['s0'],
      purged: [],
    });
    expect(done).toEqual(['looked at s0']);
  });

  it('continues after one that cannot be cleaned, and ignores one that is gone', async () => {
    const fail = (error: Error) => () => {
      throw error;
    };
    const { kind } = kindOf([
      { look: fail(broken()) },
      { look: fail(new SessionNotFoundError('s1', 'ls')) },
      {},
    ]);
    const world = tools();
    const { retired, skipped } = await retain(kind, world, OLD);
    expect([retired, skipped]).toEqual([['s2'], [{ id: 's0', reason: expect.any(String) }]]);
    expect(world.log.named('conversation.not-cleaned')).toMatchObject([{ fields: { sessionId: 's0' } }]);
  });

  it('does not hide what was done when the trash cannot be emptied', async () => {
    const { kind } = kindOf([{}], {
      sweep() {
        throw broken();
      },
    });
    const world = tools();
    expect(await retain(kind, world, OLD)).toMatchObject({ retired: ['s0'], purged: [] });
    expect(world.log.named('conversation.trash-not-emptied')).toHaveLength(1);
  });

  it('stops when its time is up, then empties nothing, and later continues where it stopped', async () => {
    const world = tools();
    const slow = { look: () => void world.clock.advance(60) };
    const { kind, done } = kindOf([slow, slow, slow, slow]);
    const limited = { ...OLD, limitMs: 100 };
    const first = await retain(kind, world, limited);
    expect(first).toMatchObject({ isComplete: false, reached: 's1', purged: [] });
    expect(done).toEqual([]);
    const second = await retain(kind, world, { ...limited, after: first.reached ?? undefined });
    expect(second).toMatchObject({ isComplete: true, reached: 's3', purged: ['gone'] });
  });

  it('leaves excepted sessions alone', async () => {
    const { kind } = kindOf([{}, {}]);
    expect(await retain(kind, tools(), { ...OLD, except: ['s1'] })).toMatchObject({
      retired: ['s0'],
      reached: 's0',
    });
  });
});
