import { describe, expect, it } from 'vitest';
import {
  ALWAYS,
  type EntryEnd,
  NO_LIMITS,
  type Queue,
  type Taken,
  type Taker,
} from '../../src/queue/index.js';
import { newEntry, PLAN_FILES } from '../support/queue-entries.js';

/** A queue that several workers share, for one test. */
export interface QueueWorld extends AsyncDisposable {
  /** The queue as seen by a worker of its own, in another process or on another machine. */
  worker(): Queue;
  /** Kills a worker, in the way this store learns of it: by proof, or because a lease ran out. */
  die(queue: Queue): Promise<void>;
  /** Takes an entry away from the worker that has it. */
  takeAway(id: string): void | Promise<void>;
}

const TAKER: Taker = {
  limits: NO_LIMITS,
  admission: ALWAYS,
  agentOf: ({ options }) => options.agent ?? 'claude',
  own: new Set(),
};
const DONE: EntryEnd = {
  outcome: 'done',
  reason: null,
  worktree: '/worktrees/a',
  hasPrompted: true,
  report: '{"status":"completed"}',
  question: null,
};
const FAILED: EntryEnd = { ...DONE, outcome: 'failed', reason: 'it broke', report: null };

const own = (taken: Taken | undefined): Taker => ({ ...TAKER, own: new Set(taken ? [taken.entry.id] : []) });

/**
 * What every store of the queue must do. Order applies to entries that may run; how a worker is found dead is up to the store.
 */
export function describeQueue(name: string, open: () => Promise<QueueWorld>): void {
  describe(`the queue in ${name}`, () => {
    it('gives each entry to exactly one of many workers', async () => {
      await using world = await open();
      const queue = world.worker();
      for (let left = 6; left > 0; left -= 1) await queue.add(newEntry(), PLAN_FILES);
      const taken = await Promise.all(Array.from({ length: 10 }, () => world.worker().take(TAKER)));
      const ids = taken.flatMap((one) => (one === undefined ? [] : [one.entry.id]));
      expect(ids).toHaveLength(6);
      expect(new Set(ids).size).toBe(6);
    });

    it('gives the more urgent one first, then the one that waits longest', async () => {
      await using world = await open();
      const queue = world.worker();
      const [early, , urgent] = [
        await queue.add(newEntry(), PLAN_FILES),
        await queue.add(newEntry(), PLAN_FILES),
        await queue.add(newEntry({ priority: 3 }), PLAN_FILES),
      ];
      expect((await queue.take(TAKER))?.entry.id).toBe(urgent.id);
      expect((await world.worker().take(TAKER))?.entry.id).toBe(early.id);
    });

    it('keeps an entry until what it comes after is done', async () => {
      await using world = await open();
      const queue = world.worker();
      const first = await queue.add(newEntry(), PLAN_FILES);
      const second = await queue.add(newEntry({ after: [first.id] }), PLAN_FILES);
      const taken = await queue.take(TAKER);
      expect(await world.worker().take(TAKER)).toBeUndefined();
      await taken?.finish(DONE);
      expect((await world.worker().take(TAKER))?.entry.id).toBe(second.id);
    });

    it('keeps the report, and says how it ended', async () => {
      await using world = await open();
      const queue = world.worker();
      const { id } = await queue.add(newEntry(), PLAN_FILES);
      await (await queue.take(TAKER))?.finish(DONE);
      expect(await queue.get(id)).toMatchObject({ status: 'done', worktree: '/worktrees/a', worker: null });
      expect(await queue.reportOf(id)).toBe('{"status":"completed"}');
      expect(await queue.take(TAKER)).toBeUndefined();
    });

    it('gives what a dead worker had to the next one, with the same run and a higher fence', async () => {
      await using world = await open();
      const [dying, living] = [world.worker(), world.worker()];
      await dying.add(newEntry(), PLAN_FILES);
      const before = await dying.take(TAKER);
      expect(await living.take(TAKER)).toBeUndefined();
      await world.die(dying);
      const after = await living.take(TAKER);
      expect(after).toMatchObject({ isTakenOver: true, entry: { runId: before?.entry.runId } });
      expect(after?.fence).toBeGreaterThan(before?.fence ?? 0);
    });

    it('lets nobody write who has lost it', async () => {
      await using world = await open();
      const [loser, winner] = [world.worker(), world.worker()];
      const { id } = await loser.add(newEntry(), PLAN_FILES);
      const lost = await loser.take(TAKER);
      await world.takeAway(id);
      const taken = await winner.take(TAKER);
      await expect(lost?.finish(FAILED)).rejects.toMatchObject({ code: 'LOCK_LOST' });
      await taken?.finish(DONE);
      expect(await winner.get(id)).toMatchObject({ status: 'done' });
    });

    it('gives what was released to the next one, to go on with its run', async () => {
      await using world = await open();
      const queue = world.worker();
      await queue.add(newEntry(), PLAN_FILES);
      const first = await queue.take(TAKER);
      await first?.release();
      expect(await world.worker().take(TAKER)).toMatchObject({
        isTakenOver: true,
        entry: { runId: first?.entry.runId },
      });
    });

    it('gives nothing that the worker has itself', async () => {
      await using world = await open();
      const queue = world.worker();
      await queue.add(newEntry(), PLAN_FILES);
      const taken = await queue.take(TAKER);
      expect(await queue.take(own(taken))).toBeUndefined();
    });

    it('puts back what prompted nobody, as often as it may, and nothing else', async () => {
      await using world = await open();
      const queue = world.worker();
      const { id } = await queue.add(newEntry({ retriesLeft: 1 }), PLAN_FILES);
      await (await queue.take(TAKER))?.finish({ ...FAILED, hasPrompted: false });
      expect(await queue.get(id)).toMatchObject({ status: 'queued', reason: 'it broke', retriesLeft: 0 });
      await (await queue.take(TAKER))?.finish({ ...FAILED, hasPrompted: false });
      expect(await queue.get(id)).toMatchObject({ status: 'failed' });
      const other = await queue.add(newEntry({ retriesLeft: 5 }), PLAN_FILES);
      await (await queue.take(TAKER))?.finish(FAILED);
      expect(await queue.get(other.id)).toMatchObject({ status: 'failed', retriesLeft: 5 });
    });

    it('gives nothing while it is paused, or an entry is', async () => {
      await using world = await open();
      const queue = world.worker();
      const { id } = await queue.add(newEntry(), PLAN_FILES);
      await queue.pause();
      expect(await queue.take(TAKER)).toBeUndefined();
      await queue.resume();
      await queue.pause(id);
      expect(await queue.take(TAKER)).toBeUndefined();
      await queue.resume(id);
      expect((await queue.take(TAKER))?.entry.id).toBe(id);
    });

    it('keeps the slots of an agent over all workers', async () => {
      await using world = await open();
      const queue = world.worker();
      await queue.add(newEntry(), PLAN_FILES);
      await queue.add(newEntry(), PLAN_FILES);
      const taker = { ...TAKER, limits: { perAgent: { claude: 1 }, perAccount: {} } };
      const first = await queue.take(taker);
      expect(await world.worker().take(taker)).toBeUndefined();
      await first?.finish(DONE);
      expect(await world.worker().take(taker)).toBeDefined();
    });

    it('changes, moves and removes what waits, and nothing that runs or is needed', async () => {
      await using world = await open();
      const queue = world.worker();
      const [a, b] = [await queue.add(newEntry(), PLAN_FILES), await queue.add(newEntry(), PLAN_FILES)];
      await queue.move(b.id, { to: 'before', other: a.id });
      const c = await queue.add(newEntry({ after: [a.id] }), PLAN_FILES);
      await expect(queue.edit(a.id, () => ({ after: [c.id] }))).rejects.toMatchObject({
        code: 'QUEUE_CYCLE',
      });
      await expect(queue.remove(a.id)).rejects.toMatchObject({ code: 'ENTRY_NEEDED' });
      expect((await queue.take(TAKER))?.entry.id).toBe(b.id);
      await expect(queue.edit(b.id, () => ({ priority: 1 }))).rejects.toMatchObject({
        code: 'ENTRY_RUNNING',
      });
      await queue.remove(c.id);
      expect(await queue.get(c.id)).toBeUndefined();
      await expect(queue.edit(c.id, () => ({}))).rejects.toMatchObject({ code: 'ENTRY_NOT_FOUND' });
    });
  });
}
