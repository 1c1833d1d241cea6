import { renameSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { question, questionWorld } from '../../../test/support/question-world.js';
import { verifies } from '../../../test/support/verifies.js';
import { systemIds } from '../../foundation/index.js';
import { tryAcquireLock } from '../../storage/index.js';
import type { AnswerInput } from './schema.js';

const SET = [question()];

const POSTGRES: AnswerInput[] = [{ questionIndex: 0, selectedOption: 'PostgreSQL' }];

const SQLITE: AnswerInput[] = [{ questionIndex: 0, selectedOption: 'SQLite' }];

describe('answering', () => {
  it('may look for the answers in the questions, and changes nothing when there are none to be found', async () => {
    await using world = await questionWorld();
    const { id } = await world.sessions.create([question()]);
    const nothing = new Error('no such option');
    await expect(
      world.sessions.answer(id, () => {
        throw nothing;
      }),
    ).rejects.toBe(nothing);
    expect((await world.sessions.get(id)).outcome.status).toBe('pending');
    const last = await world.sessions.answer(id, ([asked]) => [
      { questionIndex: 0, selectedOption: asked?.options.at(-1)?.label },
    ]);
    expect(last.outcome).toMatchObject({
      status: 'completed',
      answers: [{ questionIndex: 0, selectedOption: question().options.at(-1)?.label }],
    });
  });

  verifies('Q05', 'answers.json holds exactly what is specified', async () => {
    await using world = await questionWorld();
    const { id } = await world.sessions.create(SET, { callId: 'call-1' });
    world.clock.advance(1_000);
    await world.sessions.answer(id, [{ questionIndex: 0, selectedOption: 'SQLite', customText: 'for now' }]);
    expect(world.read(id, 'answers.json')).toEqual({
      sessionId: id,
      answers: [
        {
          questionIndex: 0,
          selectedOption: 'SQLite',
          customText: 'for now',
          timestamp: '2026-03-01T12:00:01.000Z',
        },
      ],
      timestamp: '2026-03-01T12:00:01.000Z',
      callId: 'call-1',
      version: 1,
    });
  });

  verifies('Q05', 'then the status is completed, everything else in it kept', async () => {
    await using world = await questionWorld();
    const { id } = await world.sessions.create(SET);
    const before = world.read(id, 'status.json');
    world.write(id, 'status.json', { ...before, extra: { kept: true } });
    world.clock.advance(1_000);
    await world.sessions.answer(id, SQLITE);
    expect(world.read(id, 'status.json')).toEqual({
      ...before,
      extra: { kept: true },
      status: 'completed',
      actor: 'holdfast test',
      outcomeDigest: expect.stringMatching(/^[0-9a-f]{64}$/),
      lastModified: '2026-03-01T12:00:01.000Z',
    });
  });

  verifies('Q05', 'the answer is written before the status of our own sets', async () => {
    await using world = await questionWorld();
    const { id } = await world.sessions.create(SET);
    const seen: string[] = [];
    const { fileSystem } = world.tools;
    const order = {
      ...fileSystem,
      rename(from: string, to: string) {
        seen.push(to);
        fileSystem.rename(from, to);
      },
      link(from: string, to: string) {
        seen.push(to);
        fileSystem.link(from, to);
      },
    };
    await world.other({ fileSystem: order }).sessions.answer(id, SQLITE);
    expect(seen.filter((path) => path.endsWith('.json'))).toEqual([
      world.path(id, 'answers.json'),
      world.path(id, 'status.json'),
    ]);
  });

  verifies('Q05', 'a set that is not there: Session not found', async () => {
    await using world = await questionWorld();
    const id = systemIds.uuid();
    await expect(world.sessions.answer(id, SQLITE)).rejects.toMatchObject({
      code: 'SESSION_NOT_FOUND',
      message: `Session not found: ${id}`,
    });
  });

  verifies('Q05', 'a bad answer is refused naming the session, and changes nothing', async () => {
    await using world = await questionWorld();
    const { id } = await world.sessions.create(SET);
    const request = world.read(id, 'request.json');
    const status = world.read(id, 'status.json');
    await expect(
      world.sessions.answer(id, [{ questionIndex: 0, selectedOption: 'MySQL' }]),
    ).rejects.toMatchObject({
      code: 'INVALID_ANSWER',
      questionIndex: 0,
      message: `Answer validation failed for session ${id}: Answer for question 1 references non-existent option: MySQL`,
    });
    expect(world.files(id)).toEqual(['request.json', 'status.json']);
    expect([world.read(id, 'request.json'), world.read(id, 'status.json')]).toEqual([request, status]);
    await world.sessions.answer(id, SQLITE);
    expect((await world.sessions.get(id)).outcome.status).toBe('completed');
  });

  const WRONG_SHAPES: readonly [string, unknown][] = [
    ['no list', { questionIndex: 0, selectedOption: 'SQLite' }],
    ['null', null],
    ['an entry that is null', [null]],
    ['an index that is a string', [{ questionIndex: '0', selectedOption: 'SQLite' }]],
    ['the index __proto__', [{ questionIndex: '__proto__', selectedOption: 'SQLite' }]],
    ['half an index', [{ questionIndex: 0.5, selectedOption: 'SQLite' }]],
    ['a label that is a list', [{ questionIndex: 0, selectedOption: ['SQLite'] }]],
    ['labels that are a string', [{ questionIndex: 0, selectedOptions: 'SQLite' }]],
    ['a text that is a number', [{ questionIndex: 0, customText: 5 }]],
    ['a key that nobody knows', [{ questionIndex: 0, selectedOption: 'SQLite', selectedOptin: 'x' }]],
  ];
  for (const [what, answers] of WRONG_SHAPES) {
    verifies(
      'Q05',
      `an answer of the wrong shape from a program (${what}) is refused and changes nothing`,
      async () => {
        await using world = await questionWorld();
        const { id } = await world.sessions.create(SET);
        await expect(world.sessions.answer(id, answers as AnswerInput[])).rejects.toMatchObject({
          code: 'INVALID_ANSWER',
        });
        expect(world.files(id)).toEqual(['request.json', 'status.json']);
      },
    );
  }

  verifies('Q06', 'the same answer again is the same reply and writes nothing', async () => {
    await using world = await questionWorld();
    const { id } = await world.sessions.create(SET);
    const first = await world.sessions.answer(id, SQLITE);
    world.clock.advance(60_000);
    const answers = world.read(id, 'answers.json');
    const status = world.read(id, 'status.json');
    expect(await world.other().sessions.answer(id, SQLITE)).toEqual(first);
    expect([world.read(id, 'answers.json'), world.read(id, 'status.json')]).toEqual([answers, status]);
  });

  verifies('Q06', 'a different answer is refused, showing the one that won', async () => {
    await using world = await questionWorld();
    const { id } = await world.sessions.create(SET);
    await world.sessions.answer(id, [
      { questionIndex: 0, selectedOption: 'SQLite', customText: "it's\nfine" },
    ]);
    await expect(world.sessions.answer(id, POSTGRES)).rejects.toMatchObject({
      code: 'ALREADY_SETTLED',
      outcome: { status: 'completed', answers: [{ selectedOption: 'SQLite' }] },
      message: `Session ${id} was answered already (2026-03-01T12:00:00.000Z): 1. SQLite, 'it\\'s\\nfine'; that outcome stands`,
    });
    expect(world.read(id, 'answers.json').answers).toMatchObject([{ selectedOption: 'SQLite' }]);
  });

  verifies('Q06', 'a rejection after an answer is refused, showing the answer', async () => {
    await using world = await questionWorld();
    const { id } = await world.sessions.create(SET);
    await world.sessions.answer(id, SQLITE);
    await expect(world.sessions.reject(id, 'no')).rejects.toMatchObject({
      code: 'ALREADY_SETTLED',
      message: expect.stringContaining('SQLite'),
    });
    expect((await world.sessions.get(id)).outcome.status).toBe('completed');
  });

  verifies('Q06', 'an answer after a rejection is refused, showing the reason', async () => {
    await using world = await questionWorld();
    const { id } = await world.sessions.create(SET);
    await world.sessions.reject(id, 'not "now"');
    await expect(world.sessions.answer(id, SQLITE)).rejects.toMatchObject({
      code: 'ALREADY_SETTLED',
      message: `Session ${id} was rejected already (2026-03-01T12:00:00.000Z): "not \\"now\\""; that outcome stands`,
    });
    expect(world.files(id)).not.toContain('answers.json');
  });

  verifies(
    'Q06',
    'what a rejection met is refused too when its answer was never noted in the status',
    async () => {
      await using world = await questionWorld();
      const { id } = await world.sessions.create(SET);
      const status = world.read(id, 'status.json');
      await world.sessions.answer(id, SQLITE);
      world.write(id, 'status.json', status);
      await expect(world.sessions.reject(id)).rejects.toMatchObject({ code: 'ALREADY_SETTLED' });
      await expect(world.sessions.cancel(id, 'x')).rejects.toMatchObject({ code: 'ALREADY_SETTLED' });
      expect(await world.sessions.expire(id)).toMatchObject({ status: 'completed' });
    },
  );

  for (const state of ['timed_out', 'abandoned'] as const) {
    verifies('Q06', `an answer to a set that is ${state} is accepted and marked late`, async () => {
      await using world = await questionWorld();
      const { id } = await world.sessions.create(SET);
      if (state === 'timed_out') await world.sessions.expire(id);
      else await world.sessions.cancel(id, 'changed my mind');
      const view = await world.sessions.answer(id, SQLITE);
      expect(view.outcome).toMatchObject({ status: 'completed', late: true });
      expect(world.read(id, 'answers.json').late).toBe(true);
    });

    verifies('Q06', `a rejection of a set that is ${state} is accepted and marked late`, async () => {
      await using world = await questionWorld();
      const { id } = await world.sessions.create(SET);
      if (state === 'timed_out') await world.sessions.expire(id);
      else await world.sessions.cancel(id, 'changed my mind');
      const view = await world.sessions.reject(id, 'no');
      expect(view.outcome).toMatchObject({ status: 'rejected', late: true });
    });
  }

  verifies('Q06', 'an answer in time is not late', async () => {
    await using world = await questionWorld();
    const { id } = await world.sessions.create(SET, { timeoutMs: 1_000 });
    world.clock.advance(999);
    expect((await world.sessions.answer(id, SQLITE)).outcome).toMatchObject({ late: false });
    expect(world.read(id, 'answers.json')).not.toHaveProperty('late');
  });

  it('brings a status in line whose writer died after the answer', async () => {
    await using world = await questionWorld();
    const { id } = await world.sessions.create(SET);
    const status = world.read(id, 'status.json');
    await world.sessions.answer(id, SQLITE);
    world.write(id, 'status.json', status);
    expect((await world.sessions.get(id)).outcome.status).toBe('completed');
    await world.sessions.answer(id, SQLITE);
    expect(world.read(id, 'status.json').status).toBe('completed');
  });

  it('of a set whose request is damaged is refused with the reason', async () => {
    await using world = await questionWorld();
    const { id } = await world.sessions.create(SET);
    world.write(id, 'request.json', '{');
    await expect(world.sessions.answer(id, SQLITE)).rejects.toMatchObject({ code: 'INVALID_ANSWER' });
  });

  it('a set that went to the trash while we waited for its lock is not found', async () => {
    await using world = await questionWorld();
    const { id } = await world.sessions.create(SET);
    const lock = tryAcquireLock(world.tools, world.path(id, 'session'));
    if (!('release' in lock)) throw new Error('not locked');
    const sleeping = world.clock.sleep;
    world.clock.sleep = async (ms, signal) => {
      renameSync(world.path(id), world.dir.at('gone'));
      lock.release();
      return sleeping.call(world.clock, ms, signal);
    };
    await expect(world.sessions.answer(id, SQLITE)).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' });
  });

  it('a locked set is refused with its owner after a bounded wait', async () => {
    await using world = await questionWorld();
    const { id } = await world.sessions.create(SET);
    const lock = tryAcquireLock(world.tools, world.path(id, 'session'));
    await expect(world.other().sessions.answer(id, SQLITE)).rejects.toMatchObject({
      code: 'LOCKED',
      message: expect.stringMatching(
        new RegExp(`by process ${process.pid} on .* \\(holdfast test\\) since 2026-03-01`),
      ),
    });
    if ('release' in lock) lock.release();
    expect(world.clock.monotonicMs()).toBeGreaterThanOrEqual(5_000);
    await world.sessions.answer(id, SQLITE);
  });
});
