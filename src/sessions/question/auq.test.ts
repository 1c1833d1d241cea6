import { renameSync } from 'node:fs';
import { describe, expect } from 'vitest';
import { auqId, auqWorld, HALF_MADE, NOW, STATES } from '../../../test/support/auq-fixtures.js';
import {
  DAY_MS,
  firstOptions,
  type QuestionFileName,
  type QuestionWorld,
  question,
  questionWorld,
  treeOf,
} from '../../../test/support/question-world.js';
import { verifies } from '../../../test/support/verifies.js';
import { formatAnswers } from './format-response.js';

describe('sessions that AUQ wrote', () => {
  verifies('Q21', 'are all listed, each in its state, damaged and half-made ones too', async () => {
    await using world = await auqWorld();
    const views = await world.sessions.list();
    const found = new Map(views.map((view) => [view.id, view.outcome.status]));
    expect(found).toEqual(
      new Map([
        ...STATES.map(([number, state]) => [auqId(number), state] as const),
        [HALF_MADE, 'abandoned'],
      ]),
    );
    expect(
      views
        .filter((view) => view.faults.length > 0)
        .map((view) => view.id)
        .sort(),
    ).toEqual([11, 13, 20, 99].map(auqId));
    expect(world.log.events).toEqual([]);
  });

  verifies(
    'Q21',
    'listing, showing and verifying change none of their bytes but a status that does not say what the files say',
    async () => {
      await using world = await auqWorld();
      const before = treeOf(world.base);
      for (const view of await world.sessions.list()) {
        await world.sessions.get(view.id);
        await world.sessions.verify(view.id);
      }
      const after = treeOf(world.base);
      const changed = Object.keys({ ...before, ...after }).filter((path) => before[path] !== after[path]);
      expect(changed.filter((path) => !path.includes('/session.lock.'))).toEqual([
        `./${auqId(17)}/status.json`,
        `./${auqId(18)}/status.json`,
      ]);
      expect(world.read(auqId(17), 'status.json').status).toBe('pending');
      expect(world.read(auqId(18), 'status.json').status).toBe('completed');
    },
  );

  verifies(
    'Q21',
    'answers read as the agent expects them: partial, doubled, forced, with offsets',
    async () => {
      await using world = await auqWorld();
      const text = async (number: number) => {
        const { outcome, questions } = await world.sessions.get(auqId(number));
        return outcome.status === 'completed'
          ? formatAnswers(questions, outcome.answers).split('\n').slice(2)
          : [];
      };
      expect(await text(3)).toEqual([
        '1. Which database?',
        '→ PostgreSQL — the usual one',
        '',
        '2. Which parts?',
        '→ A',
        '→ B — second',
        "→ Other: 'it\\'s C'",
        '',
        '3. And why?',
        "→ Other: 'because\\nI said so'",
      ]);
      expect(await text(9)).toEqual([
        '1. Which database?',
        '→ SQLite',
        "→ Other: '[ELABORATE_REQUEST] Please elaborate on question \\'Database\\''",
      ]);
      expect(await text(10)).toEqual([
        '1. Which database?',
        '→ No answer provided',
        '',
        '2. Second?',
        '→ SQLite',
      ]);
      expect(await text(19)).toEqual(['1. Which database?', '→ PostgreSQL — the usual one', '→ SQLite']);
      expect(await text(15)).toEqual(['1. Which database?', '→ SQLite']);
      expect((await world.sessions.get(auqId(15))).lastActivityAt).toBe('2026-02-20T09:16:30.500Z');
    },
  );

  verifies('Q21', 'rejections keep their reason, or none', async () => {
    await using world = await auqWorld();
    expect((await world.sessions.get(auqId(5))).outcome).toMatchObject({ reason: 'not "now"', late: false });
    expect((await world.sessions.get(auqId(6))).outcome).toMatchObject({ reason: null });
  });

  for (const [number, state] of STATES.filter(
    ([, state]) => state === 'pending' || state === 'timed_out' || state === 'abandoned',
  )) {
    verifies('Q21', `number ${number} (${state}) can be answered, and is read back`, async () => {
      await using world = await auqWorld();
      const id = auqId(number);
      const { questions } = await world.sessions.get(id);
      const view = await world.sessions.answer(id, firstOptions(questions));
      expect(view.outcome).toMatchObject({ status: 'completed', late: state !== 'pending' });
      expect(world.read(id, 'status.json').status).toBe('completed');
      expect(await world.sessions.verify(id)).toEqual([]);
    });
  }

  verifies('Q21', 'a settled one is not answered over', async () => {
    await using world = await auqWorld();
    for (const number of [3, 4, 5, 6, 9, 10, 15, 18, 19]) {
      const { questions } = await world.sessions.get(auqId(number));
      const other = questions.map((_, questionIndex) => ({ questionIndex, customText: 'something else' }));
      await expect(world.sessions.answer(auqId(number), other)).rejects.toMatchObject({
        code: 'ALREADY_SETTLED',
      });
    }
  });

  verifies(
    'Q21',
    'the status is written first, then the answer, with the call id of the request',
    async () => {
      await using world = await auqWorld();
      const { fileSystem } = world.tools;
      const order: string[] = [];
      const watching = {
        ...fileSystem,
        rename(from: string, to: string) {
          order.push(to.slice(to.lastIndexOf('/') + 1));
          fileSystem.rename(from, to);
        },
        link(from: string, to: string) {
          order.push(to.slice(to.lastIndexOf('/') + 1));
          fileSystem.link(from, to);
        },
      };
      const { sessions } = world.other({ fileSystem: watching });
      await sessions.answer(auqId(1), [{ questionIndex: 0, selectedOption: 'SQLite' }]);
      expect(order.filter((name) => name.endsWith('.json'))).toEqual([
        'status.json',
        'answers.json',
        'status.json',
      ]);
      expect(world.read(auqId(1), 'answers.json')).toMatchObject({
        callId: '6f1c9a52-6f0e-4d8e-9f36-0d3c2a7b1e11',
      });
      await sessions.answer(auqId(2), [{ questionIndex: 0, selectedOption: 'SQLite' }]);
      expect(world.read(auqId(2), 'answers.json')).not.toHaveProperty('callId');
    },
  );

  verifies(
    'Q21',
    'keys that we do not know survive our rewrite of the status, and the request is never touched',
    async () => {
      await using world = await auqWorld();
      const id = auqId(12);
      const request = world.read(id, 'request.json');
      const status = world.read(id, 'status.json');
      await world.sessions.reject(id, 'no');
      expect(world.read(id, 'status.json')).toEqual({
        ...status,
        status: 'rejected',
        actor: 'holdfast test',
        rejectionReason: 'no',
        outcomeDigest: expect.any(String),
        lastModified: NOW,
      });
      expect(world.read(id, 'request.json')).toEqual(request);
    },
  );

  verifies('Q21', 'are collected: new once, and not new where AUQ delivered them', async () => {
    await using world = await auqWorld();
    for (const number of [3, 5, 7, 9, 10, 15, 18, 19]) {
      for (const isNew of [true, false]) {
        using delivery = await world.sessions.collect(auqId(number));
        expect([number, delivery.isNew]).toEqual([number, isNew]);
        delivery.confirm();
      }
    }
    using fetched = await world.sessions.collect(auqId(4));
    expect(fetched.isNew).toBe(false);
    expect(world.read(auqId(18), 'status.json').status).toBe('completed');
    expect(world.read(auqId(4), 'answers.json').lastReadAt).toBe('2026-02-20T09:17:00.000Z');
  });

  verifies('Q21', 'a waiter gets their answers by either order of writing', async () => {
    await using world = await auqWorld();
    expect(await world.sessions.wait(auqId(18))).toMatchObject({ status: 'completed' });
    expect(await world.sessions.wait(auqId(17), { patienceMs: 1 })).toEqual({ status: 'pending' });
    expect(
      await world.sessions.wait(auqId(1), {
        patienceMs: 1,
        expectedCallId: '6f1c9a52-6f0e-4d8e-9f36-0d3c2a7b1e11',
      }),
    ).toEqual({ status: 'pending' });
  });

  verifies('Q21', 'lock files of AUQ are left where they are', async () => {
    await using world = await auqWorld();
    await world.sessions.answer(auqId(16), [{ questionIndex: 0, selectedOption: 'SQLite' }]);
    expect(world.files(auqId(16))).toEqual([
      'answers.json',
      'request.json',
      'request.json.lock',
      'status.json',
      'status.json.lock',
    ]);
  });

  verifies('Q21', 'are cleaned by their own times, pending ones never, and nothing breaks that', async () => {
    await using world = await auqWorld();
    world.clock.jumpTo(new Date(Date.parse('2026-02-20T09:16:30.501Z') + 7 * DAY_MS).toISOString());
    const { retired, skipped } = await world.sessions.clean();
    expect([...retired].sort()).toEqual(
      STATES.filter(([, state]) => state !== 'pending')
        .map(([number]) => auqId(number))
        .sort(),
    );
    expect(skipped).toEqual([]);
  });
});

describe('AUQ on our sets', () => {
  /** As AUQ replaces a file: whole, by rename, unknown keys of the status kept. */
  function auqWrites(world: QuestionWorld, id: string, file: QuestionFileName, content: object): void {
    world.write(id, 'auq.tmp', content);
    renameSync(world.path(id, 'auq.tmp'), world.path(id, file));
  }

  verifies('Q21', 'its answer is ours, before and after it has noted the status', async () => {
    await using world = await questionWorld();
    const { id } = await world.sessions.create([question()], { callId: 'call' });
    const timestamp = '2026-03-01T12:00:00.000Z';
    auqWrites(world, id, 'answers.json', {
      sessionId: id,
      answers: [{ questionIndex: 0, selectedOption: 'SQLite', timestamp }],
      timestamp,
      callId: 'call',
    });
    expect((await world.sessions.get(id)).outcome).toMatchObject({
      status: 'completed',
      answers: [{ selectedOption: 'SQLite' }],
    });
    auqWrites(world, id, 'status.json', {
      ...world.read(id, 'status.json'),
      status: 'completed',
      lastModified: timestamp,
    });
    using delivery = await world.sessions.collect(id);
    expect(delivery).toMatchObject({ isNew: true, outcome: { status: 'completed' } });
    expect(await world.sessions.verify(id)).toEqual([]);
  });

  verifies('Q21', 'its rejection is ours, with a reason and without', async () => {
    await using world = await questionWorld();
    for (const reason of ['no', null]) {
      const { id } = await world.sessions.create([question()]);
      auqWrites(world, id, 'status.json', {
        ...world.read(id, 'status.json'),
        status: 'rejected',
        rejectionReason: reason,
      });
      expect((await world.sessions.wait(id)).status).toBe('rejected');
      await expect(world.sessions.answer(id, firstOptions([question()]))).rejects.toMatchObject({
        code: 'ALREADY_SETTLED',
      });
    }
  });

  for (const label of ['SQLite', 'PostgreSQL']) {
    verifies(
      'Q21',
      `an answer by AUQ, which knows no lock of ours, in the moment of our own stands (${label})`,
      async () => {
        await using world = await questionWorld();
        const { id } = await world.sessions.create([question()]);
        const timestamp = '2026-03-01T12:00:00.000Z';
        const theirs = {
          sessionId: id,
          answers: [{ questionIndex: 0, selectedOption: 'SQLite', timestamp }],
          timestamp,
        };
        const { fileSystem } = world.tools;
        const beFirst = (to: string) => {
          if (to.endsWith('/answers.json')) auqWrites(world, id, 'answers.json', theirs);
        };
        const racing = {
          ...fileSystem,
          link(from: string, to: string) {
            beFirst(to);
            fileSystem.link(from, to);
          },
          rename(from: string, to: string) {
            beFirst(to);
            fileSystem.rename(from, to);
          },
        };
        const { sessions } = world.other({ fileSystem: racing });
        const ours = sessions.answer(id, [{ questionIndex: 0, selectedOption: label }]);
        if (label === 'SQLite') expect((await ours).outcome.status).toBe('completed');
        else {
          const outcome = { answers: [{ selectedOption: 'SQLite' }] };
          await expect(ours).rejects.toMatchObject({ code: 'ALREADY_SETTLED', outcome });
        }
        expect(world.read(id, 'answers.json')).toEqual(theirs);
      },
    );
  }

  verifies(
    'Q21',
    'an answer by AUQ is not answered over, and the same answer is the same reply',
    async () => {
      await using world = await questionWorld();
      const { id } = await world.sessions.create([question()]);
      const timestamp = '2026-03-01T12:00:00.000Z';
      auqWrites(world, id, 'answers.json', {
        sessionId: id,
        answers: [{ questionIndex: 0, selectedOption: 'SQLite', timestamp }],
        timestamp,
      });
      await expect(
        world.sessions.answer(id, [{ questionIndex: 0, selectedOption: 'PostgreSQL' }]),
      ).rejects.toMatchObject({ code: 'ALREADY_SETTLED' });
      expect(
        (await world.sessions.answer(id, [{ questionIndex: 0, selectedOption: 'SQLite' }])).outcome.status,
      ).toBe('completed');
      expect(world.read(id, 'status.json').status).toBe('completed');
    },
  );
});
