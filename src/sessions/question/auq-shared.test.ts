import { lstatSync, readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { auqId, auqWorld, STATES } from '../../../test/support/auq-fixtures.js';
import {
  type QuestionFileName,
  type QuestionWorld,
  question,
  questionWorld,
} from '../../../test/support/question-world.js';
import { verifies } from '../../../test/support/verifies.js';
import { AnswersFile, RequestFile, StatusFile } from './schema.js';

/** AUQ's field tables: what a file must have, may have, and of which type. */
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

  /** As AUQ answers: the answer over whatever is there, then the status, read before and spread. */
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

  verifies(
    'Q21',
    'its answer is the one that won once it was collected, and a change of it is told',
    async () => {
      await using world = await questionWorld();
      const { id } = await world.sessions.create([question()]);
      auqAnswers(world, id, 'SQLite');
      await collected(world, id);
      expect(await world.sessions.verify(id)).toEqual([]);
      auqAnswers(world, id, 'PostgreSQL');
      expect(await collected(world, id)).toEqual({ isNew: true, said: 'PostgreSQL' });
      expect(await world.sessions.verify(id)).toHaveLength(1);
    },
  );

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
    'a bad answer of its is set aside by who waits, and the set is pending for it again',
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
          // Its second write comes with what it read before.
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
      // Every question and answer in AUQ's own shape.
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

  it('the fixtures themselves satisfy the tables, but for what they are about', async () => {
    await using world = await auqWorld();
    const faults: string[] = [];
    for (const [number] of STATES) {
      const id = auqId(number);
      for (const file of world.files(id).filter((name) => name.endsWith('.json')) as QuestionFileName[]) {
        faults.push(...faultsOf(file, world.read(id, file)).map((fault) => `${number} ${fault}`));
      }
    }
    // Times with offsets (15) and a status that is declared and never written (21).
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
    'the schema of %s refuses a file without any one of its required keys',
    async (file, schema, number) => {
      await using world = await auqWorld();
      const document = world.read(auqId(number), file);
      for (const key of Object.keys(FIELDS[file].required)) {
        const { [key]: _, ...rest } = document;
        expect([key, schema.safeParse(rest).success]).toEqual([key, false]);
      }
      expect(schema.safeParse(document).success).toBe(true);
    },
  );
});
