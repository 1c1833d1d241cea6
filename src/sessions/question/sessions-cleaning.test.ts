import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  DAY_MS,
  firstOptions,
  question,
  questionWorld,
  treeOf,
} from '../../../test/support/question-world.js';
import { verifies } from '../../../test/support/verifies.js';
import { systemIds } from '../../foundation/index.js';
import { tryAcquireLock } from '../../storage/index.js';
import type { AnswerInput } from './schema.js';

const SET = [question()];

const SQLITE: AnswerInput[] = [{ questionIndex: 0, selectedOption: 'SQLite' }];

describe('cleaning', () => {
  const ALL = { takesUncollected: true };

  verifies(
    'Q13',
    'an answer or a rejection that nobody collected stays, and is counted; one that was collected goes',
    async () => {
      await using world = await questionWorld();
      const made = await Promise.all([1, 2, 3].map(() => world.sessions.create(SET)));
      const [answered, rejected, told] = made.map(({ id }) => id) as [string, string, string];
      await world.sessions.answer(answered, SQLITE);
      await world.sessions.reject(rejected);
      await world.sessions.answer(told, SQLITE);
      {
        using delivery = await world.sessions.collect(told);
        delivery.confirm();
      }
      world.clock.advance(8 * DAY_MS);
      const kept = await world.sessions.clean();
      expect(kept.retired).toEqual([told]);
      expect([...kept.uncollected].sort()).toEqual([answered, rejected].sort());
      const all = await world.sessions.clean(ALL);
      expect([...all.retired].sort()).toEqual([answered, rejected].sort());
      expect(all.uncollected).toHaveLength(2);
      expect(world.store.ids()).toEqual([]);
    },
  );

  verifies(
    'Q13',
    'sets without activity for the retention time go to the trash, younger ones stay',
    async () => {
      await using world = await questionWorld();
      const old = await world.sessions.create(SET);
      await world.sessions.answer(old.id, SQLITE);
      world.clock.advance(1);
      const young = await world.sessions.create(SET);
      await world.sessions.answer(young.id, SQLITE);
      world.clock.advance(7 * DAY_MS);
      expect(await world.sessions.clean(ALL)).toEqual({
        retired: [old.id],
        purged: [],
        uncollected: [old.id],
        skipped: [],
      });
      expect(world.store.ids()).toEqual([young.id]);
      expect(world.store.trash.entries().map((entry) => entry.id)).toEqual([old.id]);
      expect(readdirSync(world.store.trash.entries()[0]?.path ?? '').sort()).toEqual(
        expect.arrayContaining(['answers.json', 'request.json', 'status.json']),
      );
    },
  );

  verifies('Q13', 'a pending set is never touched, however old', async () => {
    await using world = await questionWorld();
    const { id } = await world.sessions.create(SET);
    world.clock.advance(1_000 * DAY_MS);
    expect((await world.sessions.clean({ olderThanMs: 0 })).retired).toEqual([]);
    expect(world.store.ids()).toEqual([id]);
  });

  verifies('Q13', 'every other state is cleaned', async () => {
    await using world = await questionWorld();
    const made: string[] = [];
    const settle: ((id: string) => Promise<unknown>)[] = [
      (id) => world.sessions.answer(id, SQLITE),
      (id) => world.sessions.reject(id),
      (id) => world.sessions.cancel(id, 'x'),
      (id) => world.sessions.expire(id),
    ];
    for (const act of settle) {
      const { id } = await world.sessions.create(SET);
      await act(id);
      made.push(id);
    }
    const unwritten = await world.sessions.create(SET, { timeoutMs: 1_000 });
    made.push(unwritten.id);
    world.clock.advance(7 * DAY_MS + 1_001);
    expect([...(await world.sessions.clean(ALL)).retired].sort()).toEqual(made.sort());
  });

  it('a set that timed out by itself is kept for the retention time from then on', async () => {
    await using world = await questionWorld();
    const { id } = await world.sessions.create(SET, { timeoutMs: 8 * DAY_MS });
    world.clock.advance(9 * DAY_MS);
    expect((await world.sessions.clean(ALL)).retired).toEqual([]);
    world.clock.advance(6 * DAY_MS + 1);
    expect((await world.sessions.clean(ALL)).retired).toEqual([id]);
  });

  it('a directory that tells no time (half made by AUQ a moment ago) is not old', async () => {
    await using world = await questionWorld();
    const id = systemIds.uuid();
    mkdirSync(world.path(id), { recursive: true, mode: 0o700 });
    world.clock.jumpTo(new Date().toISOString());
    expect((await world.sessions.clean(ALL)).retired).toEqual([]);
    world.clock.advance(8 * DAY_MS);
    expect((await world.sessions.clean(ALL)).retired).toEqual([id]);
  });

  verifies('Q13', 'the trash is emptied after seven more days', async () => {
    await using world = await questionWorld();
    const { id } = await world.sessions.create(SET);
    await world.sessions.reject(id);
    world.clock.advance(8 * DAY_MS);
    await world.sessions.clean(ALL);
    world.clock.advance(7 * DAY_MS);
    expect((await world.sessions.clean(ALL)).purged).toEqual([]);
    world.clock.advance(1);
    expect((await world.sessions.clean(ALL)).purged).toEqual([id]);
    expect(world.store.trash.entries()).toEqual([]);
  });

  verifies('Q13', 'a dry run tells the same and does nothing', async () => {
    await using world = await questionWorld();
    const { id } = await world.sessions.create(SET);
    await world.sessions.reject(id);
    world.clock.advance(8 * DAY_MS);
    const before = treeOf(world.dir.path);
    expect(await world.sessions.clean({ ...ALL, isDryRun: true })).toEqual({
      retired: [id],
      purged: [],
      uncollected: [id],
      skipped: [],
    });
    expect(treeOf(world.dir.path)).toEqual(before);
  });

  verifies('Q13', 'one bad session is warned about and the rest still cleaned', async () => {
    await using world = await questionWorld();
    const made: string[] = [];
    for (let count = 0; count < 6; count++) {
      const { id } = await world.sessions.create(SET);
      await world.sessions.reject(id);
      made.push(id);
    }
    const locked = made[1] ?? '';
    const torn = made[3] ?? '';
    const lock = tryAcquireLock(world.tools, world.path(locked, 'session'));
    world.write(torn, 'request.json', '{');
    writeFileSync(join(world.base, systemIds.uuid()), 'no directory');
    world.clock.advance(8 * DAY_MS);
    const report = await world.other().sessions.clean(ALL);
    if ('release' in lock) lock.release();
    expect([...report.retired].sort()).toEqual(made.filter((id) => id !== locked).sort());
    expect(report.skipped.map(({ id }) => id)).toContain(locked);
    expect(world.log.named('question.not-cleaned')).toHaveLength(2);
  });

  verifies(
    'Q13',
    'a session that cannot be moved away is warned about and the rest still cleaned',
    async () => {
      await using world = await questionWorld();
      const made: string[] = [];
      for (let count = 0; count < 3; count++) {
        const { id } = await world.sessions.create(SET);
        await world.sessions.reject(id);
        made.push(id);
      }
      world.clock.advance(8 * DAY_MS);
      const [stuck = ''] = made;
      const { fileSystem } = world.tools;
      const failing = {
        ...fileSystem,
        rename(from: string, to: string) {
          if (from === world.path(stuck)) throw Object.assign(new Error('EIO: broken'), { code: 'EIO' });
          fileSystem.rename(from, to);
        },
      };
      const report = await world.other({ fileSystem: failing }).sessions.clean(ALL);
      expect(report.skipped).toEqual([{ id: stuck, reason: expect.stringContaining('EIO') }]);
      expect([...report.retired].sort()).toEqual(made.slice(1).sort());
    },
  );

  verifies('Q13', 'a trash that cannot be emptied is warned about, and what was done is told', async () => {
    await using world = await questionWorld();
    const { id: first } = await world.sessions.create(SET);
    await world.sessions.reject(first);
    world.clock.advance(8 * DAY_MS);
    await world.sessions.clean(ALL);
    const { id: second } = await world.sessions.create(SET);
    await world.sessions.reject(second);
    world.clock.advance(8 * DAY_MS);
    const failing = {
      ...world.tools.fileSystem,
      removeDirectory(): never {
        throw Object.assign(new Error('EIO: broken'), { code: 'EIO' });
      },
    };
    const report = await world.other({ fileSystem: failing }).sessions.clean(ALL);
    expect(report.retired).toEqual([second]);
    expect(world.log.named('question.trash-not-emptied')).toHaveLength(1);
  });

  it('what came back to life under the lock is left alone', async () => {
    await using world = await questionWorld();
    const { id } = await world.sessions.create(SET);
    await world.sessions.expire(id);
    world.clock.advance(8 * DAY_MS);
    const { fileSystem } = world.tools;
    let isAnswered = false;
    const racing = {
      ...fileSystem,
      link(from: string, to: string) {
        if (!isAnswered && to.includes('session.lock.')) {
          isAnswered = true;
          const status = world.read(id, 'status.json');
          world.write(id, 'status.json', {
            ...status,
            status: 'rejected',
            lastModified: world.clock.now().toISOString(),
          });
        }
        fileSystem.link(from, to);
      },
    };
    expect((await world.other({ fileSystem: racing }).sessions.clean(ALL)).retired).toEqual([]);
    expect(world.store.ids()).toEqual([id]);
  });

  it('a set can be answered twice over: what is in the trash is not found', async () => {
    await using world = await questionWorld();
    const { id } = await world.sessions.create(SET);
    await world.sessions.answer(id, firstOptions(SET));
    world.clock.advance(8 * DAY_MS);
    await world.sessions.clean(ALL);
    await expect(world.sessions.answer(id, SQLITE)).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' });
  });
});
