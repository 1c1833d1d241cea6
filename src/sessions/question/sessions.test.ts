import { mkdirSync, readdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { eventually } from '../../../test/support/agents.js';
import { plant } from '../../../test/support/plant.js';
import {
  DAY_MS,
  firstOptions,
  type QuestionWorld,
  question,
  questionWorld,
  treeOf,
} from '../../../test/support/question-world.js';
import { storageTools } from '../../../test/support/storage-tools.js';
import { verifies } from '../../../test/support/verifies.js';
import { systemIds } from '../../foundation/index.js';
import { AtomicWriteError, tryAcquireLock } from '../../storage/index.js';
import { permissionAsker } from './permission.js';
import type { AnswerInput } from './schema.js';

const SET = [question()];
const POSTGRES: AnswerInput[] = [{ questionIndex: 0, selectedOption: 'PostgreSQL' }];
const SQLITE: AnswerInput[] = [{ questionIndex: 0, selectedOption: 'SQLite' }];

describe('answering', () => {
  it('may derive the answers from the questions, and changes nothing if there are none', async () => {
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

  verifies('Q05', 'then the status is completed and everything else in it is kept', async () => {
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
      actor: 'library',
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

  verifies('Q05', 'a missing set: Session not found', async () => {
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

  verifies('Q06', 'repeating an answer gets the same reply and writes nothing', async () => {
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
    'a rejection after an answer is refused even if the status never recorded the answer',
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

  it('corrects a status whose writer died after the answer', async () => {
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

  it('a set that was trashed while we waited for its lock is not found', async () => {
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

describe('the lock of a set', () => {
  /** A record as a process with these facts would have left it. */
  function ownerRecord(overrides: object) {
    const { identity } = storageTools();
    return {
      version: 1,
      ...identity,
      token: 'a'.repeat(32),
      command: 'holdfast answer',
      since: '2026-03-01T11:00:00.000Z',
      ...overrides,
    };
  }

  verifies('Q11', 'of a dead process is taken over at once, whatever its age', async () => {
    await using world = await questionWorld();
    for (const facts of [{ startTime: '1' }, { bootId: 'another boot' }, { pid: 4_194_303 }]) {
      const { id } = await world.sessions.create(SET);
      world.write(id, 'session.lock.1', ownerRecord(facts));
      expect((await world.sessions.answer(id, SQLITE)).outcome.status).toBe('completed');
    }
    expect(world.clock.slept).toEqual([]);
  });

  verifies('Q11', 'of a process that may be alive is respected, and its owner shown', async () => {
    await using world = await questionWorld();
    for (const facts of [{}, { host: 'elsewhere' }, { pidNamespace: 'pid:[1]' }]) {
      const { id } = await world.sessions.create(SET);
      world.write(id, 'session.lock.1', ownerRecord(facts));
      await expect(world.sessions.answer(id, SQLITE)).rejects.toMatchObject({
        code: 'LOCKED',
        message: expect.stringContaining('(holdfast answer) since 2026-03-01T11:00:00.000Z'),
      });
      expect((await world.sessions.get(id)).outcome.status).toBe('pending');
    }
  });
});

describe('a write that fails', () => {
  for (const [call, file, step] of [
    ['link', 'answers.json', 'link'],
    ['rename', 'status.json', 'rename'],
  ] as const) {
    verifies('Q10', `says path, step and cause, and leaves no temporary file (${file})`, async () => {
      await using world = await questionWorld();
      const { id } = await world.sessions.create(SET);
      const { fileSystem } = world.tools;
      const failing = {
        ...fileSystem,
        [call](from: string, to: string) {
          if (to.endsWith(file)) throw Object.assign(new Error('ENOSPC: no space left'), { code: 'ENOSPC' });
          fileSystem[call](from, to);
        },
      };
      const error = await world
        .other({ fileSystem: failing })
        .sessions.answer(id, SQLITE)
        .catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(AtomicWriteError);
      expect(error).toMatchObject({
        code: 'ATOMIC_WRITE_FAILED',
        path: world.path(id, file),
        step,
        fault: 'full',
        cause: { code: 'ENOSPC' },
        hint: expect.stringContaining('Free some space'),
      });
      expect(readdirSync(world.path(id)).filter((name) => name.endsWith('.tmp'))).toEqual([]);
    });
  }
});

describe('documents of a newer Holdfast', () => {
  for (const file of ['request.json', 'status.json'] as const) {
    it(`are read, and nothing of the set is changed (${file})`, async () => {
      await using world = await questionWorld();
      const { id } = await world.sessions.create(SET);
      world.write(id, file, { ...world.read(id, file), version: 2 });
      const before = { ...treeOf(world.path(id)) };
      expect((await world.sessions.get(id)).outcome.status).toBe('pending');
      for (const act of [
        () => world.sessions.answer(id, SQLITE),
        () => world.sessions.reject(id, 'no'),
        () => world.sessions.cancel(id, 'no'),
        () => world.sessions.expire(id),
        () => world.sessions.noteAsker(id, 'gone'),
      ]) {
        await expect(act()).rejects.toMatchObject({ code: 'NEWER_VERSION' });
      }
      const after = Object.fromEntries(
        Object.entries(treeOf(world.path(id))).filter(([name]) => !name.includes('session.lock.')),
      );
      expect(after).toEqual(before);
    });
  }

  it('are delivered, again and again', async () => {
    await using world = await questionWorld();
    const { id } = await world.sessions.create(SET);
    await world.sessions.answer(id, SQLITE);
    world.write(id, 'status.json', { ...world.read(id, 'status.json'), version: 2 });
    for (let time = 0; time < 2; time++) {
      using delivery = await world.sessions.collect(id);
      expect(delivery).toMatchObject({ isNew: true, outcome: { status: 'completed' } });
      delivery.confirm();
    }
    expect(world.log.named('question.delivery-not-noted')).toHaveLength(2);
  });
});

describe('rejecting', () => {
  verifies('Q07', 'the reason is recorded word for word', async () => {
    await using world = await questionWorld();
    const { id } = await world.sessions.create(SET);
    world.clock.advance(1_000);
    const view = await world.sessions.reject(id, 'ask me\ntomorrow \u001b[2J');
    expect(view.outcome).toEqual({
      status: 'rejected',
      reason: 'ask me\ntomorrow \u001b[2J',
      at: '2026-03-01T12:00:01.000Z',
      late: false,
    });
    expect(world.read(id, 'status.json')).toMatchObject({
      status: 'rejected',
      rejectionReason: 'ask me\ntomorrow \u001b[2J',
      lastModified: '2026-03-01T12:00:01.000Z',
    });
    expect(world.files(id)).toEqual(['request.json', 'status.json']);
  });

  verifies('Q07', 'without a reason it is null', async () => {
    await using world = await questionWorld();
    const { id } = await world.sessions.create(SET);
    await world.sessions.reject(id);
    expect(world.read(id, 'status.json')).toMatchObject({ status: 'rejected', rejectionReason: null });
  });

  verifies('Q07', 'repeating a rejection gets the same reply, another reason is refused', async () => {
    await using world = await questionWorld();
    const { id } = await world.sessions.create(SET);
    const first = await world.sessions.reject(id, 'no');
    world.clock.advance(1_000);
    expect(await world.sessions.reject(id, 'no')).toEqual(first);
    await expect(world.sessions.reject(id, 'never')).rejects.toMatchObject({ code: 'ALREADY_SETTLED' });
    await expect(world.sessions.reject(id)).rejects.toMatchObject({ code: 'ALREADY_SETTLED' });
  });

  it.each([[5], [{}], [['no']], [true]])(
    'a reason that is no text (%j) is refused, not written',
    async (reason) => {
      await using world = await questionWorld();
      const { id } = await world.sessions.create(SET);
      await expect(world.sessions.reject(id, reason as unknown as string)).rejects.toMatchObject({
        code: 'INVALID_INPUT',
      });
      await expect(world.sessions.cancel(id, reason as unknown as string)).rejects.toMatchObject({
        code: 'INVALID_INPUT',
      });
      expect((await world.sessions.get(id)).outcome.status).toBe('pending');
    },
  );

  it('a set that is not there is not found', async () => {
    await using world = await questionWorld();
    await expect(world.sessions.reject(systemIds.uuid())).rejects.toMatchObject({
      code: 'SESSION_NOT_FOUND',
    });
  });
});

describe('withdrawing', () => {
  verifies('Q04', 'a withdrawn set is abandoned with its reason', async () => {
    await using world = await questionWorld();
    const { id } = await world.sessions.create(SET);
    expect((await world.sessions.cancel(id, 'decided')).outcome).toEqual({
      status: 'abandoned',
      reason: 'decided',
    });
    expect(world.read(id, 'status.json')).toMatchObject({ status: 'abandoned', abandonedReason: 'decided' });
    expect((await world.sessions.cancel(id, 'again')).outcome).toEqual({
      status: 'abandoned',
      reason: 'decided',
    });
  });

  verifies('Q04', 'a set that timed out can still be withdrawn; a settled one cannot', async () => {
    await using world = await questionWorld();
    const late = await world.sessions.create(SET);
    await world.sessions.expire(late.id);
    expect((await world.sessions.cancel(late.id, 'x')).outcome.status).toBe('abandoned');
    const done = await world.sessions.create(SET);
    await world.sessions.answer(done.id, SQLITE);
    await expect(world.sessions.cancel(done.id, 'x')).rejects.toMatchObject({ code: 'ALREADY_SETTLED' });
  });
});

describe('running out of time', () => {
  verifies('Q09', 'without a timeout a set stays pending forever', async () => {
    await using world = await questionWorld({ timeoutMs: 0 });
    const { id } = await world.sessions.create(SET);
    expect(world.read(id, 'request.json')).not.toHaveProperty('expiresAt');
    world.clock.advance(10_000 * DAY_MS);
    expect((await world.sessions.get(id)).outcome.status).toBe('pending');
  });

  verifies(
    'Q09',
    'the configured timeout is stored and applied by any reader, at its instant and not before',
    async () => {
      await using world = await questionWorld({ timeoutMs: 60_000 });
      const { id } = await world.sessions.create(SET);
      expect(world.read(id, 'request.json').expiresAt).toBe('2026-03-01T12:01:00.000Z');
      world.clock.advance(59_999);
      expect((await world.other().sessions.get(id)).outcome.status).toBe('pending');
      world.clock.advance(1);
      expect((await world.other().sessions.get(id)).outcome).toEqual({
        status: 'timed_out',
        at: '2026-03-01T12:01:00.000Z',
      });
      expect((await world.other().sessions.list())[0]?.outcome.status).toBe('timed_out');
    },
  );

  verifies('Q09', 'a timeout of the call overrides the configured one, 0 means none', async () => {
    await using world = await questionWorld({ timeoutMs: 60_000 });
    const short = await world.sessions.create(SET, { timeoutMs: 1_000 });
    const never = await world.sessions.create(SET, { timeoutMs: 0 });
    expect([short.expiresAt, never.expiresAt]).toEqual(['2026-03-01T12:00:01.000Z', null]);
  });

  verifies('Q09', 'expiry is recorded once, and never over an outcome', async () => {
    await using world = await questionWorld();
    const { id } = await world.sessions.create(SET);
    expect(await world.sessions.expire(id)).toMatchObject({ status: 'timed_out' });
    expect(world.read(id, 'status.json').status).toBe('timed_out');
    await world.sessions.answer(id, SQLITE);
    expect(await world.sessions.expire(id)).toMatchObject({ status: 'completed' });
    expect(world.read(id, 'status.json').status).toBe('completed');
  });
});

describe('collecting', () => {
  it('a pending set has nothing to deliver', async () => {
    await using world = await questionWorld();
    const { id } = await world.sessions.create(SET);
    using delivery = await world.sessions.collect(id);
    expect(delivery).toMatchObject({ isNew: false, outcome: { status: 'pending' } });
    delivery.confirm();
    expect(world.read(id, 'status.json')).not.toHaveProperty('collectedAt');
  });

  it('an answer is new until one delivery is confirmed, and the same every time', async () => {
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

  it('a late rejection after the timeout was delivered is new', async () => {
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

  it('while one delivery is in progress, another one waits for it and is not new', async () => {
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

  it('a set that stays locked is still delivered, as not new', async () => {
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

  it('an error during collection leaves no lock behind', async () => {
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

describe('the asker', () => {
  it('is recorded when it waits, and is not gone while this process is alive', async () => {
    await using world = await questionWorld();
    const { id } = await world.sessions.create(SET, { isWaiting: true });
    expect(world.read(id, 'status.json').askerProcess).toMatchObject({ pid: process.pid });
    expect((await world.sessions.get(id)).isAskerGone).toBe(false);
    const nobody = await world.sessions.create(SET);
    expect(nobody.isAskerGone).toBeNull();
  });

  it('is gone when it has died or says so, but not once it comes back', async () => {
    await using world = await questionWorld();
    const { id } = await world.sessions.create(SET, { isWaiting: true });
    const status = world.read(id, 'status.json');
    world.write(id, 'status.json', {
      ...status,
      askerProcess: { ...(status.askerProcess as object), startTime: '1' },
    });
    expect((await world.sessions.get(id)).isAskerGone).toBe(true);
    await world.sessions.noteAsker(id, 'waiting');
    expect((await world.sessions.get(id)).isAskerGone).toBe(false);
    await world.sessions.noteAsker(id, 'gone');
    expect((await world.sessions.get(id)).isAskerGone).toBe(true);
    expect((await world.sessions.get(id)).outcome.status).toBe('pending');
    await world.sessions.noteAsker(id, 'waiting');
    expect((await world.sessions.get(id)).isAskerGone).toBe(false);
  });

  it('of a settled set is no longer recorded', async () => {
    await using world = await questionWorld();
    const { id } = await world.sessions.create(SET);
    await world.sessions.answer(id, SQLITE);
    const status = world.read(id, 'status.json');
    await world.sessions.noteAsker(id, 'gone');
    expect(world.read(id, 'status.json')).toEqual(status);
  });
});

describe('listing', () => {
  it('is oldest first', async () => {
    await using world = await questionWorld();
    const ids: string[] = [];
    for (let count = 0; count < 4; count++) {
      ids.push((await world.sessions.create(SET)).id);
      world.clock.advance(1);
    }
    expect((await world.sessions.list()).map((view) => view.id)).toEqual(ids);
  });

  it('skips nothing that is half-made, damaged or not ours, and shows it', async () => {
    await using world = await questionWorld();
    const { id: whole } = await world.sessions.create(SET);
    const uuid = () => systemIds.uuid();
    const faults = new Map<string, string[]>();
    const half = uuid();
    mkdirSync(world.path(half), { mode: 0o700 });
    faults.set(half, ['request.json missing', 'status.json missing']);
    const noStatus = uuid();
    world.write(noStatus, 'request.json', { ...world.read(whole, 'request.json'), sessionId: noStatus });
    faults.set(noStatus, ['status.json missing']);
    const torn = (await world.sessions.create(SET)).id;
    world.write(torn, 'request.json', '{"sessionId":');
    faults.set(torn, ['request.json damaged']);
    const foreign = (await world.sessions.create(SET)).id;
    world.write(foreign, 'status.json', { ...world.read(foreign, 'status.json'), sessionId: whole });
    faults.set(foreign, ['status.json damaged']);
    const badAnswer = (await world.sessions.create(SET)).id;
    world.write(badAnswer, 'answers.json', '[]');
    faults.set(badAnswer, ['answers.json damaged']);
    for (const what of ['symbolic link', 'directory'] as const) {
      const id = (await world.sessions.create(SET)).id;
      rmSync(world.path(id, 'status.json'));
      plant(what, world.path(id, 'status.json'), world.dir.at(`victim of ${id}`));
      faults.set(id, ['status.json unsafe']);
    }
    // Not sets: neither listed nor in the way.
    writeFileSync(join(world.base, 'README'), 'x');
    writeFileSync(join(world.base, uuid()), 'x');
    symlinkSync(world.path(whole), join(world.base, uuid()));
    mkdirSync(join(world.base, 'AAAAAAAA-not-an-id'));
    const views = await world.sessions.list();
    const found = new Map(
      views
        .filter((view) => view.faults.length > 0)
        .map((view) => [view.id, view.faults.map((fault) => `${fault.file} ${fault.kind}`)]),
    );
    expect(Object.fromEntries(found)).toEqual(Object.fromEntries(faults));
    expect(views).toHaveLength(faults.size + 1);
    expect(world.log.named('question.unreadable')).toHaveLength(2);
  });

  it('sets are watched beside what is none, whether that was there first or comes later', async () => {
    await using world = await questionWorld();
    const { id } = await world.sessions.create([question()]);
    const other = systemIds.uuid();
    symlinkSync(world.path(id), join(world.base, other));
    const hints: (string | null)[] = [];
    const watch = world.sessions.watch((hint) => hints.push(hint));
    symlinkSync(world.path(id), join(world.base, systemIds.uuid()));
    await eventually(() => hints.includes(null));
    await world.other().sessions.answer(id, [{ questionIndex: 0, selectedOption: 'SQLite' }]);
    await eventually(() => hints.includes(id));
    watch.close();
    expect(hints).not.toContain(other);
    expect(world.log.named('watch.hint-failed')).toEqual([]);
    expect(world.log.named('question.unreadable').length).toBeGreaterThan(0);
  });

  it('an empty or missing directory has no sets', async () => {
    await using world = await questionWorld();
    expect(await world.sessions.list()).toEqual([]);
    expect(world.sessions.ids()).toEqual([]);
  });
});

describe('damage', () => {
  it('an answer that does not parse is set aside by the next change, and the set is pending again', async () => {
    await using world = await questionWorld();
    const { id } = await world.sessions.create(SET);
    await world.sessions.answer(id, SQLITE);
    world.write(id, 'answers.json', '{"sessionId":"');
    expect((await world.sessions.get(id)).outcome.status).toBe('pending');
    const view = await world.sessions.answer(id, POSTGRES);
    expect(view.outcome).toMatchObject({ status: 'completed', answers: [{ selectedOption: 'PostgreSQL' }] });
    expect(world.files(id)).toEqual([
      'answers.json',
      expect.stringMatching(/^answers\.json\.damaged-20260301T/),
      'request.json',
      'status.json',
    ]);
    expect(world.log.named('question.damaged-file-set-aside')).toHaveLength(1);
  });

  const UNFIT: readonly [string, unknown[]][] = [
    ['no entries', []],
    ['a label that is not there', [{ questionIndex: 0, selectedOption: 'MySQL' }]],
    ['an index that is not there', [{ questionIndex: 4, selectedOption: 'SQLite' }]],
    ['nothing in an entry', [{ questionIndex: 0 }]],
  ];
  for (const [what, answers] of UNFIT) {
    verifies(
      'Q21',
      `an unchecked answer by AUQ (${what}) does not count: the set keeps waiting, and the file is set aside`,
      async () => {
        await using world = await questionWorld();
        const { id } = await world.sessions.create(SET);
        const timestamp = '2026-03-01T12:00:00.000Z';
        world.write(id, 'answers.json', {
          sessionId: id,
          answers: answers.map((answer) => ({ ...(answer as object), timestamp })),
          timestamp,
        });
        world.write(id, 'status.json', { ...world.read(id, 'status.json'), status: 'completed' });
        const view = await world.sessions.get(id);
        expect(view.outcome.status).toBe('pending');
        expect(view.faults).toMatchObject([{ file: 'answers.json', kind: 'damaged' }]);
        expect(await world.sessions.verify(id)).toHaveLength(1);
        await world.sessions.answer(id, SQLITE);
        expect(world.files(id)).toContainEqual(expect.stringMatching(/^answers\.json\.damaged-20260301T/));
      },
    );
  }

  it('a damaged status is set aside and rebuilt', async () => {
    await using world = await questionWorld();
    const { id } = await world.sessions.create(SET);
    world.write(id, 'status.json', '');
    await world.sessions.reject(id, 'no');
    expect(world.read(id, 'status.json')).toMatchObject({
      status: 'rejected',
      rejectionReason: 'no',
      totalQuestions: 1,
    });
    expect(world.files(id).filter((name) => name.startsWith('status.json.damaged-'))).toHaveLength(1);
  });

  it('a damaged request stays where it is: the set is abandoned with the reason', async () => {
    await using world = await questionWorld();
    const { id } = await world.sessions.create(SET);
    world.write(id, 'request.json', 'null');
    expect((await world.sessions.get(id)).outcome).toEqual({
      status: 'abandoned',
      reason: 'request.json no longer verifies',
    });
    await world.sessions.reject(id, 'no');
    expect(world.files(id)).toEqual(['request.json', 'status.json']);
  });

  it('a link in place of a file is refused by a change and not followed', async () => {
    await using world = await questionWorld();
    const { id } = await world.sessions.create(SET);
    rmSync(world.path(id, 'status.json'));
    plant('symbolic link', world.path(id, 'status.json'), world.dir.at('victim'));
    await expect(world.sessions.answer(id, SQLITE)).rejects.toMatchObject({ code: 'UNSAFE_PATH' });
    expect(world.files(id)).toEqual(['request.json', 'status.json']);
  });

  it('temporary files of a dead writer are removed by the next write', async () => {
    await using world = await questionWorld();
    const { id } = await world.sessions.create(SET);
    writeFileSync(world.path(id, `.status.json.${'a'.repeat(32)}.tmp`), '{');
    await world.sessions.answer(id, SQLITE);
    expect(readdirSync(world.path(id)).filter((name) => name.endsWith('.tmp'))).toEqual([]);
  });

  it('a key __proto__ is dropped and other unknown keys survive', async () => {
    await using world = await questionWorld();
    const { id } = await world.sessions.create(SET);
    const text = JSON.stringify({ ...world.read(id, 'status.json'), constructor: 'x' }).replace(
      '{',
      '{"__proto__":{"polluted":1},',
    );
    world.write(id, 'status.json', text);
    await world.sessions.reject(id, 'no');
    const status = world.read(id, 'status.json');
    expect(Object.hasOwn(status, '__proto__')).toBe(false);
    expect(status.constructor).toBe('x');
  });
});

describe('verifying', () => {
  verifies('Q15', 'an intact set has no faults, answered or not', async () => {
    await using world = await questionWorld();
    const { id } = await world.sessions.create(SET);
    expect(await world.sessions.verify(id)).toEqual([]);
    await world.sessions.answer(id, SQLITE);
    expect(await world.sessions.verify(id)).toEqual([]);
  });

  verifies('Q15', 'a missing directory is not found', async () => {
    await using world = await questionWorld();
    await expect(world.sessions.verify(systemIds.uuid())).rejects.toMatchObject({
      code: 'SESSION_NOT_FOUND',
    });
  });

  verifies('Q15', 'missing files are named', async () => {
    await using world = await questionWorld();
    const { id } = await world.sessions.create(SET);
    rmSync(world.path(id, 'request.json'));
    rmSync(world.path(id, 'status.json'));
    expect(await world.sessions.verify(id)).toEqual([
      'request.json: the file is missing',
      'status.json: the file is missing',
    ]);
  });

  verifies('Q15', 'ids that do not match are named', async () => {
    await using world = await questionWorld();
    const { id } = await world.sessions.create(SET);
    const other = (await world.sessions.create(SET)).id;
    world.write(id, 'status.json', world.read(other, 'status.json'));
    expect(await world.sessions.verify(id)).toEqual([`status.json: it belongs to session ${other}`]);
  });

  verifies('Q15', 'counts that do not match are named', async () => {
    await using world = await questionWorld();
    const { id } = await world.sessions.create(SET);
    world.write(id, 'status.json', { ...world.read(id, 'status.json'), totalQuestions: 3 });
    expect(await world.sessions.verify(id)).toEqual(['status.json counts 3 questions, request.json has 1']);
  });

  verifies(
    'Q15',
    'every fault is named: what does not parse, what is missing in it, answers that do not fit',
    async () => {
      await using world = await questionWorld();
      const { id } = await world.sessions.create(SET);
      world.write(id, 'request.json', { ...world.read(id, 'request.json'), timestamp: 'yesterday' });
      world.write(id, 'status.json', 'not json');
      world.write(id, 'answers.json', { sessionId: id });
      const faults = await world.sessions.verify(id);
      expect(faults).toHaveLength(3);
      expect(faults[0]).toMatch(/^request\.json: timestamp: /);
      expect(faults[1]).toBe('status.json: it is not JSON');
      expect(faults[2]).toMatch(/^answers\.json: answers: /);
    },
  );

  verifies('Q15', 'anything odd in place of a file is a fault like any other', async () => {
    await using world = await questionWorld();
    const { id } = await world.sessions.create(SET);
    plant('symbolic link', world.path(id, 'answers.json'), world.dir.at('victim'));
    expect(await world.sessions.verify(id)).toEqual([
      expect.stringMatching(/^answers\.json: .*symbolic link/),
    ]);
  });
});

describe('ids', () => {
  const HOSTILE: readonly unknown[] = [
    '',
    '..',
    '../x',
    '../../etc/passwd',
    '/etc/passwd',
    'a/b',
    'a\0b',
    '.',
    '.holdfast',
    '__proto__',
    'constructor',
    'con',
    '00000000-0000-1000-8000-000000000000',
    'aaaaaaaa-aaaa-4aaa-7aaa-aaaaaaaaaaaa',
    `aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa/..`,
    'aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa\n',
    ' aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa',
    'x'.repeat(4_096),
    'ａａａａａａａａ-aaaa-4aaa-8aaa-aaaaaaaaaaaa',
    null,
    undefined,
    5,
    {},
    [],
    ['aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa'],
    { toString: () => 'aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa' },
  ];
  for (const id of HOSTILE) {
    const shown = JSON.stringify(id)?.slice(0, 60) ?? 'undefined';
    verifies('Q16', `${shown} is refused before any path is built`, async () => {
      await using world = await questionWorld();
      await world.sessions.create(SET);
      const before = treeOf(world.dir.path);
      const touched: string[] = [];
      const spy = new Proxy(world.tools.fileSystem, {
        get:
          (target, name) =>
          (...parameters: unknown[]) => {
            touched.push(String(name));
            return (target[name as keyof typeof target] as (...all: unknown[]) => unknown)(...parameters);
          },
      });
      const { sessions, store } = world.other({ fileSystem: spy });
      touched.length = 0;
      const given = id as string;
      for (const act of [
        () => sessions.get(given),
        () => sessions.answer(given, SQLITE),
        () => sessions.reject(given),
        () => sessions.cancel(given, 'x'),
        () => sessions.expire(given),
        () => sessions.wait(given),
        () => sessions.collect(given),
        () => sessions.noteAsker(given, 'gone'),
        () => sessions.verify(given),
        async () => store.has(given),
        async () => store.lockPath(given),
        async () => store.confirm(given),
      ]) {
        await expect(act()).rejects.toMatchObject({ code: 'INVALID_SESSION_ID' });
      }
      expect(touched).toEqual([]);
      expect(treeOf(world.dir.path)).toEqual(before);
    });
  }

  verifies('Q16', 'the refusal shows the id as visible text of bounded length', async () => {
    await using world = await questionWorld();
    const error = await world.sessions
      .get(`\u001b[2J\n${'x'.repeat(4_096)}`)
      .catch((thrown: unknown) => thrown as Error);
    const { message } = error as Error;
    expect(message).toMatch(/^Invalid session id: \^\[\[2J\\nx+… is not a UUID v4$/);
    expect(message.length).toBeLessThan(130);
  });

  it('a prefix of 4 or more characters is enough if it is unambiguous', async () => {
    await using world = await questionWorld();
    const ids = ['abcd1111-aaaa-4aaa-8aaa-aaaaaaaaaaaa', 'abcd2222-aaaa-4aaa-8aaa-aaaaaaaaaaaa'];
    for (const id of ids) mkdirSync(world.path(id), { recursive: true, mode: 0o700 });
    const { sessions } = world;
    expect(sessions.resolve('abcd1')).toBe(ids[0]);
    expect(sessions.resolve('ABCD2222')).toBe(ids[1]);
    expect(sessions.resolve(ids[1] ?? '')).toBe(ids[1]);
    expect(sessions.resolve((ids[1] ?? '').toUpperCase())).toBe(ids[1]);
    expect(() => sessions.resolve('abcd')).toThrow(
      expect.objectContaining({ code: 'AMBIGUOUS_ID', candidates: ids }),
    );
    expect(() => sessions.resolve('abce')).toThrow(expect.objectContaining({ code: 'SESSION_NOT_FOUND' }));
    for (const bad of ['', 'abc', 'abcg', '....', 'abcd*', '../abcd', 'abcd\0', 'a'.repeat(37)]) {
      expect(() => sessions.resolve(bad)).toThrow(expect.objectContaining({ code: 'INVALID_SESSION_ID' }));
    }
  });
});

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
      const kept = await world.clean();
      expect(kept.retired).toEqual([told]);
      expect([...kept.uncollected].sort()).toEqual([answered, rejected].sort());
      const all = await world.clean(ALL);
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
      expect(await world.clean(ALL)).toEqual({
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
    expect((await world.clean({ olderThanMs: 0 })).retired).toEqual([]);
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
    expect([...(await world.clean(ALL)).retired].sort()).toEqual(made.sort());
  });

  it('a set that timed out is kept for the retention time from then on', async () => {
    await using world = await questionWorld();
    const { id } = await world.sessions.create(SET, { timeoutMs: 8 * DAY_MS });
    world.clock.advance(9 * DAY_MS);
    expect((await world.clean(ALL)).retired).toEqual([]);
    world.clock.advance(6 * DAY_MS + 1);
    expect((await world.clean(ALL)).retired).toEqual([id]);
  });

  it('a directory without any times (just half made by AUQ) is not old', async () => {
    await using world = await questionWorld();
    const id = systemIds.uuid();
    mkdirSync(world.path(id), { recursive: true, mode: 0o700 });
    world.clock.jumpTo(new Date().toISOString());
    expect((await world.clean(ALL)).retired).toEqual([]);
    world.clock.advance(8 * DAY_MS);
    expect((await world.clean(ALL)).retired).toEqual([id]);
  });

  verifies('Q13', 'the trash is emptied after seven more days', async () => {
    await using world = await questionWorld();
    const { id } = await world.sessions.create(SET);
    await world.sessions.reject(id);
    world.clock.advance(8 * DAY_MS);
    await world.clean(ALL);
    world.clock.advance(7 * DAY_MS);
    expect((await world.clean(ALL)).purged).toEqual([]);
    world.clock.advance(1);
    expect((await world.clean(ALL)).purged).toEqual([id]);
    expect(world.store.trash.entries()).toEqual([]);
  });

  verifies('Q13', 'a dry run reports the same and does nothing', async () => {
    await using world = await questionWorld();
    const { id } = await world.sessions.create(SET);
    await world.sessions.reject(id);
    world.clock.advance(8 * DAY_MS);
    const before = treeOf(world.dir.path);
    expect(await world.clean({ ...ALL, isDryRun: true })).toEqual({
      retired: [id],
      purged: [],
      uncollected: [id],
      skipped: [],
    });
    expect(treeOf(world.dir.path)).toEqual(before);
  });

  verifies('Q13', 'one bad session causes a warning and the rest are still cleaned', async () => {
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
    const report = await world.other().clean(ALL);
    if ('release' in lock) lock.release();
    expect([...report.retired].sort()).toEqual(made.filter((id) => id !== locked).sort());
    expect(report.skipped.map(({ id }) => id)).toContain(locked);
    expect(world.log.named('question.not-cleaned')).toHaveLength(2);
  });

  verifies(
    'Q13',
    'a session that cannot be moved away causes a warning and the rest are still cleaned',
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
      const report = await world.other({ fileSystem: failing }).clean(ALL);
      expect(report.skipped).toEqual([{ id: stuck, reason: expect.stringContaining('EIO') }]);
      expect([...report.retired].sort()).toEqual(made.slice(1).sort());
    },
  );

  verifies('Q13', 'a trash that cannot be emptied causes a warning, and the rest is reported', async () => {
    await using world = await questionWorld();
    const { id: first } = await world.sessions.create(SET);
    await world.sessions.reject(first);
    world.clock.advance(8 * DAY_MS);
    await world.clean(ALL);
    const { id: second } = await world.sessions.create(SET);
    await world.sessions.reject(second);
    world.clock.advance(8 * DAY_MS);
    const failing = {
      ...world.tools.fileSystem,
      removeDirectory(): never {
        throw Object.assign(new Error('EIO: broken'), { code: 'EIO' });
      },
    };
    const report = await world.other({ fileSystem: failing }).clean(ALL);
    expect(report.retired).toEqual([second]);
    expect(world.log.named('question.trash-not-emptied')).toHaveLength(1);
  });

  it('a set that came back to life before the lock is left alone', async () => {
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
    expect((await world.other({ fileSystem: racing }).clean(ALL)).retired).toEqual([]);
    expect(world.store.ids()).toEqual([id]);
  });

  it('a set in the trash is not found', async () => {
    await using world = await questionWorld();
    const { id } = await world.sessions.create(SET);
    await world.sessions.answer(id, firstOptions(SET));
    world.clock.advance(8 * DAY_MS);
    await world.clean(ALL);
    await expect(world.sessions.answer(id, SQLITE)).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' });
  });
});

describe('a permission', () => {
  const asker = permissionAsker({ agent: 'claude', session: 'run-1' });
  const allow = [{ questionIndex: 0, selectedOption: 'Allow once' }];
  const card = question({ title: 'Permission', options: [{ label: 'Allow once' }, { label: 'Deny' }] });

  async function ofDeadAsker(world: QuestionWorld): Promise<string> {
    const { id } = await world.sessions.create([card], { asker, isWaiting: true });
    const status = world.read(id, 'status.json');
    world.write(id, 'status.json', {
      ...status,
      // The same pid as ours, but another process: its start time differs.
      askerProcess: { ...(status.askerProcess as object), startTime: '1' },
    });
    return id;
  }

  it('whose asker is gone takes no answer, and is withdrawn', async () => {
    await using world = await questionWorld();
    const id = await ofDeadAsker(world);
    await expect(world.sessions.answer(id, allow)).rejects.toMatchObject({
      code: 'ASKER_GONE',
      message: expect.stringContaining('the run or chat that asked is gone. Nothing was allowed'),
    });
    expect((await world.sessions.get(id)).outcome).toMatchObject({ status: 'abandoned' });
    await expect(world.sessions.answer(id, allow)).rejects.toMatchObject({ code: 'ASKER_GONE' });
  });

  it('whose asker is gone is withdrawn when listed for a person; a question stays', async () => {
    await using world = await questionWorld();
    const id = await ofDeadAsker(world);
    const { id: other } = await world.sessions.create([question()]);
    const views = await world.sessions.listLive();
    expect(views.map((view) => [view.id, view.outcome.status]).sort()).toEqual(
      [
        [id, 'abandoned'],
        [other, 'pending'],
      ].sort(),
    );
  });

  it('that was withdrawn takes no late answer, as a question does', async () => {
    await using world = await questionWorld();
    const { id } = await world.sessions.create([card], { asker, isWaiting: true });
    await world.sessions.cancel(id, 'the turn is over');
    await expect(world.sessions.answer(id, allow)).rejects.toMatchObject({ code: 'ASKER_GONE' });
  });

  it('may be longer than a question', async () => {
    await using world = await questionWorld();
    const prompt = 'x'.repeat(300_000);
    await expect(world.sessions.create([{ ...card, prompt }])).rejects.toMatchObject({
      code: 'INVALID_INPUT',
    });
    const { id } = await world.sessions.create([{ ...card, prompt }], { asker });
    expect((await world.sessions.get(id)).questions[0]?.prompt).toBe(prompt);
  });
});
