import { lstatSync, readdirSync, renameSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { auqId, copyAuqSessions, HALF_MADE } from '../../../test/support/auq-fixtures.js';
import {
  DAY_MS,
  firstOptions,
  type QuestionFileName,
  type QuestionWorld,
  question,
  questionWorld,
  treeOf,
} from '../../../test/support/question-world.js';
import { readBy } from '../../../test/support/records.js';
import { verifies } from '../../../test/support/verifies.js';
import { RecordFault } from '../../foundation/index.js';
import { formatAnswers } from './format-response.js';
import { AnswersFile, RequestFile, StatusFile } from './schema.js';

const NOW = '2026-02-20T10:00:00.000Z';

async function auqWorld(): Promise<QuestionWorld> {
  const world = await questionWorld();
  copyAuqSessions(world.base);
  world.clock.jumpTo(NOW);
  return world;
}

const STATES: readonly [number, string][] = [
  [1, 'pending'],
  [2, 'pending'],
  [3, 'completed'],
  [4, 'completed'],
  [5, 'rejected'],
  [6, 'rejected'],
  [7, 'timed_out'],
  [8, 'abandoned'],
  [9, 'completed'],
  [10, 'completed'],
  [11, 'pending'],
  [12, 'pending'],
  [13, 'pending'],
  [14, 'pending'],
  [15, 'completed'],
  [16, 'pending'],
  [17, 'pending'],
  [18, 'completed'],
  [19, 'completed'],
  [20, 'pending'],
  [21, 'pending'],
  [22, 'pending'],
];

describe('sessions that AUQ wrote', () => {
  verifies('Q21', 'are all listed in their states, including damaged and half-made ones', async () => {
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
        actor: 'library',
        rejectionReason: 'no',
        outcomeDigest: expect.any(String),
        lastModified: NOW,
      });
      expect(world.read(id, 'request.json')).toEqual(request);
    },
  );

  verifies('Q21', 'are collected: new once, and not new if AUQ delivered them', async () => {
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

  verifies('Q21', 'a waiter gets their answers in either order of writing', async () => {
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

  verifies('Q21', "leave AUQ's lock files alone", async () => {
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

  verifies('Q21', 'are cleaned by their own times, but never while pending', async () => {
    await using world = await auqWorld();
    world.clock.jumpTo(new Date(Date.parse('2026-02-20T09:16:30.501Z') + 7 * DAY_MS).toISOString());
    const { retired, skipped } = await world.clean();
    expect([...retired].sort()).toEqual(
      STATES.filter(([, state]) => state !== 'pending')
        .map(([number]) => auqId(number))
        .sort(),
    );
    expect(skipped).toEqual([]);
  });
});

describe('AUQ on our sets', () => {
  /** Replaces a file the way AUQ does: whole, by rename, keeping unknown keys of the status. */
  function auqWrites(world: QuestionWorld, id: string, file: QuestionFileName, content: object): void {
    world.write(id, 'auq.tmp', content);
    renameSync(world.path(id, 'auq.tmp'), world.path(id, file));
  }

  verifies('Q21', 'its answer counts, before and after it has written the status', async () => {
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

  verifies('Q21', 'its rejection counts, with and without a reason', async () => {
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

/** AUQ's field tables: which fields a file must have, which it may have, and their types. */
const FIELDS: Readonly<
  Record<
    QuestionFileName,
    { required: Record<string, RegExp | string>; optional: Record<string, RegExp | string> }
  >
> = {
  'request.json': {
    required: { sessionId: 'uuid', questions: 'array', status: /^pending$/, timestamp: 'time' },
    optional: { callId: 'string', workingDirectory: 'string' },
  },
  'status.json': {
    required: {
      sessionId: 'uuid',
      status: /^(pending|completed|rejected|timed_out|abandoned)$/,
      createdAt: 'time',
      lastModified: 'time',
      totalQuestions: 'number',
    },
    optional: { callId: 'string', workingDirectory: 'string', rejectionReason: 'string or null' },
  },
  'answers.json': {
    required: { sessionId: 'uuid', answers: 'array', timestamp: 'time' },
    optional: { callId: 'string', lastReadAt: 'time' },
  },
};

const TYPES: Readonly<Record<string, (value: unknown) => boolean>> = {
  uuid: (value) =>
    typeof value === 'string' &&
    /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(value),
  time: (value) => typeof value === 'string' && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(value),
  string: (value) => typeof value === 'string',
  number: (value) => typeof value === 'number',
  array: (value) => Array.isArray(value),
  'string or null': (value) => value === null || typeof value === 'string',
};

function faultsOf(file: QuestionFileName, document: Record<string, unknown>): string[] {
  const { required, optional } = FIELDS[file];
  const fits = (rule: RegExp | string, value: unknown) =>
    typeof rule === 'string' ? TYPES[rule]?.(value) === true : rule.test(String(value));
  const wrong = (rules: Record<string, RegExp | string>, isNeeded: boolean) =>
    Object.entries(rules)
      .filter(([key, rule]) => (key in document ? !fits(rule, document[key]) : isNeeded))
      .map(([key]) => `${file}: ${key}`);
  return [...wrong(required, true), ...wrong(optional, false)];
}

describe('a directory shared with AUQ', () => {
  const SQLITE = [{ questionIndex: 0, selectedOption: 'SQLite' }];

  /** Answers the way AUQ does: writes the answer over whatever is there, then the status it had read before. */
  function auqAnswers(world: QuestionWorld, id: string, selectedOption: string, status = 'completed'): void {
    const timestamp = world.clock.now().toISOString();
    const answers = [{ questionIndex: 0, selectedOption, timestamp }];
    world.write(id, 'answers.json', { sessionId: id, answers, timestamp });
    world.write(id, 'status.json', { ...world.read(id, 'status.json'), status, lastModified: timestamp });
  }

  async function collected(world: QuestionWorld, id: string) {
    using delivery = await world.sessions.collect(id);
    delivery.confirm();
    const { isNew, outcome } = delivery;
    return {
      isNew,
      said: outcome.status === 'completed' ? outcome.answers[0]?.selectedOption : outcome.status,
    };
  }

  for (const isCollected of [true, false]) {
    verifies(
      'Q21',
      `an answer that it changed after ours was ${isCollected ? 'collected' : 'given'} is new, once, and a fault until it is recovered`,
      async () => {
        await using world = await questionWorld();
        const { id } = await world.sessions.create([question()]);
        await world.sessions.answer(id, SQLITE);
        if (isCollected) expect(await collected(world, id)).toEqual({ isNew: true, said: 'SQLite' });
        auqAnswers(world, id, 'PostgreSQL');
        const [view] = await world.sessions.list();
        expect(view).toMatchObject({
          collectedAt: null,
          faults: [{ file: 'answers.json', kind: 'replaced', reason: expect.stringContaining('changed') }],
        });
        expect(await collected(world, id)).toEqual({ isNew: true, said: 'PostgreSQL' });
        expect(await collected(world, id)).toEqual({ isNew: false, said: 'PostgreSQL' });
        expect(await world.sessions.verify(id)).toEqual([
          'answers.json: another program changed the outcome after it had been decided',
        ]);
        await world.sessions.recover(id);
        expect(await world.sessions.verify(id)).toEqual([]);
        expect(await collected(world, id)).toEqual({ isNew: false, said: 'PostgreSQL' });
      },
    );
  }

  verifies(
    'Q21',
    'its answer over our rejection is new and a fault; the same answer again is neither',
    async () => {
      await using world = await questionWorld();
      const { id: rejected } = await world.sessions.create([question()]);
      await world.sessions.reject(rejected, 'no');
      expect(await collected(world, rejected)).toEqual({ isNew: true, said: 'rejected' });
      auqAnswers(world, rejected, 'SQLite');
      expect(await collected(world, rejected)).toEqual({ isNew: true, said: 'SQLite' });
      expect(await world.sessions.verify(rejected)).toHaveLength(1);
      const { id: same } = await world.sessions.create([question()]);
      await world.sessions.answer(same, SQLITE);
      await collected(world, same);
      world.clock.advance(1_000);
      auqAnswers(world, same, 'SQLite');
      expect(await collected(world, same)).toEqual({ isNew: false, said: 'SQLite' });
      expect(await world.sessions.verify(same)).toEqual([]);
    },
  );

  verifies('Q21', 'its answer has won once collected, and a change of it is reported', async () => {
    await using world = await questionWorld();
    const { id } = await world.sessions.create([question()]);
    auqAnswers(world, id, 'SQLite');
    await collected(world, id);
    expect(await world.sessions.verify(id)).toEqual([]);
    auqAnswers(world, id, 'PostgreSQL');
    expect(await collected(world, id)).toEqual({ isNew: true, said: 'PostgreSQL' });
    expect(await world.sessions.verify(id)).toHaveLength(1);
  });

  verifies(
    'Q21',
    'a status that lags behind is healed by list, get and verify; none waits for the lock',
    async () => {
      for (const read of ['list', 'get', 'verify'] as const) {
        await using world = await questionWorld();
        const { id } = await world.sessions.create([question()]);
        await world.sessions.answer(id, SQLITE);
        const healed = world.read(id, 'status.json');
        world.write(id, 'status.json', { ...healed, status: 'pending', outcomeDigest: undefined });
        const before = await world.other().sessions.get(id);
        expect(before.outcome.status).toBe('completed');
        world.write(id, 'status.json', { ...healed, status: 'pending', outcomeDigest: undefined });
        const other = world.other();
        {
          using _held = await other.store.hold(id);
          const slept = world.clock.slept.length;
          await world.sessions[read](id);
          expect(world.read(id, 'status.json').status).toBe('pending');
          expect(world.clock.slept.length).toBe(slept);
        }
        await world.sessions[read](id);
        expect(world.read(id, 'status.json')).toEqual(healed);
        expect(await world.sessions.get(id)).toEqual(before);
      }
    },
  );

  verifies(
    'Q21',
    'its bad answer is set aside by a waiter, and the set is pending for it again',
    async () => {
      await using world = await questionWorld();
      const { id } = await world.sessions.create([question()]);
      auqAnswers(world, id, 'no such option');
      expect(await world.sessions.wait(id, { patienceMs: 1_000 })).toEqual({ status: 'pending' });
      expect(world.read(id, 'status.json').status).toBe('pending');
      expect(world.files(id).filter((name) => name.startsWith('answers.json'))).toEqual([
        expect.stringContaining('damaged'),
      ]);
      auqAnswers(world, id, 'SQLite');
      expect(await collected(world, id)).toEqual({ isNew: true, said: 'SQLite' });
    },
  );

  for (const hasCall of [true, false]) {
    verifies(
      'Q21',
      `a set that it has just made is decided only after its second status write (${hasCall ? 'seen' : 'waited for'})`,
      async () => {
        await using world = await questionWorld();
        const id = auqId(1);
        const timestamp = world.clock.now().toISOString();
        const request = { sessionId: id, questions: [question()], status: 'pending', timestamp };
        const status = {
          sessionId: id,
          status: 'pending',
          createdAt: timestamp,
          lastModified: timestamp,
          totalQuestions: 1,
        };
        world.write(id, 'request.json', request);
        world.write(id, 'status.json', status);
        const started = world.clock.monotonicMs();
        const { sleep } = world.clock;
        world.clock.sleep = async function slept(ms, signal) {
          // Its second write repeats what it read before.
          if (hasCall) world.write(id, 'status.json', { ...status, callId: 'call' });
          return sleep.call(this, ms, signal);
        };
        await world.sessions.reject(id, 'no');
        const waitedMs = world.clock.monotonicMs() - started;
        if (hasCall) expect(waitedMs).toBe(50);
        else expect(waitedMs).toBe(2_000);
        expect(world.read(id, 'status.json')).toMatchObject({
          status: 'rejected',
          ...(hasCall ? { callId: 'call' } : {}),
        });
      },
    );
  }
});

describe('our files', () => {
  for (const state of [
    'pending',
    'completed',
    'rejected',
    'rejected without a reason',
    'timed_out',
    'abandoned',
    'collected',
  ] as const) {
    verifies('Q21', `satisfy AUQ's field tables, types, optionality and modes: ${state}`, async () => {
      await using world = await questionWorld();
      const asked = [question(), question({ multiSelect: true })];
      const { id } = await world.sessions.create(asked, {
        callId: 'call',
        workingDirectory: '/p',
        requestId: 'r',
        asker: { agent: 'claude' },
        isWaiting: true,
        timeoutMs: 60_000,
      });
      if (state === 'completed' || state === 'collected')
        await world.sessions.answer(id, [
          { questionIndex: 0, selectedOption: 'SQLite', customText: 'x' },
          { questionIndex: 1, selectedOptions: [] },
        ]);
      if (state === 'rejected') await world.sessions.reject(id, 'no');
      if (state === 'rejected without a reason') await world.sessions.reject(id);
      if (state === 'timed_out') await world.sessions.expire(id);
      if (state === 'abandoned') await world.sessions.cancel(id, 'x');
      if (state === 'collected') {
        using delivery = await world.sessions.collect(id);
        delivery.confirm();
      }
      const files = world.files(id) as QuestionFileName[];
      expect(files).toEqual(
        state === 'completed' || state === 'collected'
          ? ['answers.json', 'request.json', 'status.json']
          : ['request.json', 'status.json'],
      );
      expect(files.flatMap((file) => faultsOf(file, world.read(id, file)))).toEqual([]);
      expect((lstatSync(world.path(id)).mode & 0o777).toString(8)).toBe('700');
      for (const file of readdirSync(world.path(id)))
        expect((lstatSync(world.path(id, file)).mode & 0o777).toString(8)).toBe('600');
      // Each question and answer in AUQ's own shape.
      for (const one of world.read(id, 'request.json').questions as Record<string, unknown>[]) {
        expect(one).toEqual({
          prompt: expect.any(String),
          title: expect.any(String),
          options: expect.any(Array),
          multiSelect: expect.any(Boolean),
        });
      }
    });
  }

  it('the fixtures themselves satisfy the tables, except where they are meant not to', async () => {
    await using world = await auqWorld();
    const faults: string[] = [];
    for (const [number] of STATES) {
      const id = auqId(number);
      for (const file of world.files(id).filter((name) => name.endsWith('.json')) as QuestionFileName[]) {
        faults.push(...faultsOf(file, world.read(id, file)).map((fault) => `${number} ${fault}`));
      }
    }
    // Times with offsets (15) and a status that is declared but never written (21).
    expect(faults).toEqual([
      '15 answers.json: timestamp',
      '15 request.json: timestamp',
      '15 status.json: createdAt',
      '15 status.json: lastModified',
      '21 status.json: status',
    ]);
  });

  it.each([
    ['request.json', RequestFile, 1],
    ['status.json', StatusFile, 1],
    ['answers.json', AnswersFile, 3],
  ] as const)(
    'the codec of %s refuses a file without any one of its required keys',
    async (file, codec, number) => {
      await using world = await auqWorld();
      const document = world.read(auqId(number), file);
      for (const key of Object.keys(FIELDS[file].required)) {
        const { [key]: _, ...rest } = document;
        expect([key, readBy<unknown>(codec, rest)]).toEqual([key, expect.any(RecordFault)]);
      }
      expect(readBy<unknown>(codec, document)).toEqual(document);
    },
  );
});
