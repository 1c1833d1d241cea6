import { describe, expect, it } from 'vitest';
import { question, questionWorld } from '../../../test/support/question-world.js';
import { systemIds } from '../../foundation/index.js';
import { tryAcquireLock } from '../../storage/index.js';
import type { AnswerInput } from './schema.js';

const SET = [question()];

const SQLITE: AnswerInput[] = [{ questionIndex: 0, selectedOption: 'SQLite' }];

describe('collecting', () => {
  it('a pending set has nothing to deliver', async () => {
    await using world = await questionWorld();
    const { id } = await world.sessions.create(SET);
    using delivery = await world.sessions.collect(id);
    expect(delivery).toMatchObject({ isNew: false, outcome: { status: 'pending' } });
    delivery.confirm();
    expect(world.read(id, 'status.json')).not.toHaveProperty('collectedAt');
  });

  it('an answer is new until one delivery was confirmed, and the same however often', async () => {
    await using world = await questionWorld();
    const { id } = await world.sessions.create(SET);
    const { outcome } = await world.sessions.answer(id, SQLITE);
    const seen: boolean[] = [];
    for (const isConfirmed of [false, false, true, false, true]) {
      using delivery = await world.other().sessions.collect(id);
      expect(delivery.outcome).toEqual(outcome);
      seen.push(delivery.isNew);
      if (isConfirmed) delivery.confirm();
    }
    expect(seen).toEqual([true, true, true, false, false]);
    expect((await world.sessions.get(id)).collectedAt).toBe('2026-03-01T12:00:00.000Z');
  });

  for (const [what, settle] of [
    ['timed out', 'expire'],
    ['was withdrawn', 'cancel'],
  ] as const) {
    it(`an answer that came after the asker was told that the set ${what} is new`, async () => {
      await using world = await questionWorld();
      const { id } = await world.sessions.create(SET);
      await world.sessions[settle](id, 'x');
      {
        using delivery = await world.sessions.collect(id);
        expect(delivery.isNew).toBe(true);
        delivery.confirm();
      }
      {
        using delivery = await world.sessions.collect(id);
        expect(delivery.isNew).toBe(false);
      }
      await world.sessions.answer(id, SQLITE);
      expect((await world.sessions.get(id)).collectedAt).toBeNull();
      {
        using delivery = await world.sessions.collect(id);
        expect(delivery).toMatchObject({ isNew: true, outcome: { status: 'completed', late: true } });
        delivery.confirm();
      }
      using delivery = await world.sessions.collect(id);
      expect(delivery.isNew).toBe(false);
    });

    it(`a late answer is new even if its writer died before the status (${what})`, async () => {
      await using world = await questionWorld();
      const { id } = await world.sessions.create(SET);
      await world.sessions[settle](id, 'x');
      {
        using delivery = await world.sessions.collect(id);
        delivery.confirm();
      }
      const status = world.read(id, 'status.json');
      await world.sessions.answer(id, SQLITE);
      world.write(id, 'status.json', status);
      expect((await world.sessions.get(id)).collectedAt).toBeNull();
      using delivery = await world.sessions.collect(id);
      expect(delivery.isNew).toBe(true);
    });
  }

  it('a late rejection after the asker was told of the timeout is new', async () => {
    await using world = await questionWorld();
    const { id } = await world.sessions.create(SET);
    await world.sessions.expire(id);
    {
      using delivery = await world.sessions.collect(id);
      delivery.confirm();
    }
    await world.sessions.reject(id, 'no');
    using delivery = await world.sessions.collect(id);
    expect(delivery).toMatchObject({ isNew: true, outcome: { status: 'rejected' } });
  });

  it('while one delivery is under way, another one waits for it and is not new', async () => {
    await using world = await questionWorld();
    const { id } = await world.sessions.create(SET);
    await world.sessions.answer(id, SQLITE);
    const first = await world.sessions.collect(id);
    const second = world.other().sessions.collect(id);
    first.confirm();
    first[Symbol.dispose]();
    using delivery = await second;
    expect([first.isNew, delivery.isNew]).toEqual([true, false]);
  });

  it('an answer whose writer still holds the lock is delivered as new once the writer is done', async () => {
    await using world = await questionWorld();
    const { id } = await world.sessions.create(SET);
    await world.sessions.answer(id, SQLITE);
    const writer = tryAcquireLock(world.tools, world.path(id, 'session'));
    if (!('release' in writer)) throw new Error('not locked');
    const delivery = world.other().sessions.collect(id);
    writer.release();
    using arrived = await delivery;
    expect(arrived.isNew).toBe(true);
  });

  it('a set that is locked for long is delivered all the same, as not new', async () => {
    await using world = await questionWorld();
    const { id } = await world.sessions.create(SET);
    await world.sessions.answer(id, SQLITE);
    const lock = tryAcquireLock(world.tools, world.path(id, 'session'));
    using delivery = await world.other().sessions.collect(id);
    expect(delivery).toMatchObject({ isNew: false, outcome: { status: 'completed' } });
    if ('release' in lock) lock.release();
    using later = await world.sessions.collect(id);
    expect(later.isNew).toBe(true);
  });

  it('what is thrown in between leaves no lock behind', async () => {
    await using world = await questionWorld();
    const { id } = await world.sessions.create(SET);
    const status = world.read(id, 'status.json');
    await world.sessions.answer(id, SQLITE);
    {
      using delivery = await world.sessions.collect(id);
      delivery.confirm();
    }
    world.write(id, 'status.json', { ...status, collectedAt: '2026-03-01T12:00:00.000Z', status: 'pending' });
    const failing = {
      ...world.tools.fileSystem,
      rename(): never {
        throw Object.assign(new Error('ENOSPC: no space'), { code: 'ENOSPC' });
      },
    };
    await world
      .other({ fileSystem: failing })
      .sessions.collect(id)
      .then(
        (delivery) => delivery[Symbol.dispose](),
        () => {},
      );
    {
      using free = await world.sessions.collect(id);
      expect(free.outcome.status).toBe('completed');
    }
    await world.sessions.answer(id, SQLITE);
  });

  for (const state of ['completed', 'rejected', 'timed_out', 'abandoned', 'run out'] as const) {
    it(`an outcome is the same however often it is collected: ${state}`, async () => {
      await using world = await questionWorld();
      const { id } = await world.sessions.create(SET, state === 'run out' ? { timeoutMs: 1_000 } : {});
      if (state === 'completed') await world.sessions.answer(id, SQLITE);
      else if (state === 'rejected') await world.sessions.reject(id, 'no');
      else if (state === 'abandoned') await world.sessions.cancel(id, 'x');
      else if (state === 'timed_out') await world.sessions.expire(id);
      const seen: unknown[] = [];
      for (let time = 0; time < 3; time++) {
        world.clock.advance(60_000);
        using delivery = await world.sessions.collect(id);
        expect(delivery.isNew).toBe(time === 0);
        const { collectedAt: _, ...view } = delivery.view;
        seen.push({ outcome: delivery.outcome, view });
        delivery.confirm();
      }
      expect(seen[1]).toEqual(seen[0]);
      expect(seen[2]).toEqual(seen[0]);
    });
  }

  it('a clock that was set back does not make an outcome new again', async () => {
    await using world = await questionWorld();
    const { id } = await world.sessions.create(SET);
    await world.sessions.answer(id, SQLITE);
    world.clock.jumpTo('2020-01-01T00:00:00.000Z');
    const seen: boolean[] = [];
    for (let time = 0; time < 2; time++) {
      using delivery = await world.sessions.collect(id);
      seen.push(delivery.isNew);
      delivery.confirm();
    }
    expect(seen).toEqual([true, false]);
  });

  it('a set that is not there is not found', async () => {
    await using world = await questionWorld();
    await expect(world.sessions.collect(systemIds.uuid())).rejects.toMatchObject({
      code: 'SESSION_NOT_FOUND',
    });
  });
});
