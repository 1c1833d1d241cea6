import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { FakeClock } from '../../../test/support/fake-clock.js';
import { question, questionWorld } from '../../../test/support/question-world.js';
import { verifies } from '../../../test/support/verifies.js';
import { isHoldfastError, systemIds } from '../../foundation/index.js';
import { SessionManager } from '../../published/question.js';
import { nodeFileSystem } from '../../storage/index.js';
import type { AnswerInput } from './schema.js';

const SET = [question()];
const SQLITE: AnswerInput[] = [{ questionIndex: 0, selectedOption: 'SQLite' }];

/** A world in which time stands still until the test advances it. */
function still() {
  return questionWorld({ clock: new FakeClock() });
}

describe('waiting for the outcome', () => {
  verifies('Q08', 'ends with the answers', async () => {
    await using world = await still();
    const { id } = await world.sessions.create(SET);
    const waiting = world.sessions.wait(id);
    await world.clock.untilAsleep();
    await world.other().sessions.answer(id, SQLITE);
    expect(await waiting).toMatchObject({ status: 'completed', answers: [{ selectedOption: 'SQLite' }] });
  });

  verifies('Q08', 'ends at once if the answer is already there', async () => {
    await using world = await still();
    const { id } = await world.sessions.create(SET);
    await world.sessions.answer(id, SQLITE);
    expect(await world.sessions.wait(id)).toMatchObject({ status: 'completed' });
  });

  verifies('Q08', 'ends with the answer before the status says so', async () => {
    await using world = await still();
    const { id } = await world.sessions.create(SET);
    const waiting = world.sessions.wait(id);
    await world.clock.untilAsleep();
    const timestamp = '2026-03-01T12:00:00.000Z';
    const answers = { sessionId: id, answers: [{ ...SQLITE[0], timestamp }], timestamp };
    writeFileSync(world.path(id, 'answers.tmp'), JSON.stringify(answers));
    renameSync(world.path(id, 'answers.tmp'), world.path(id, 'answers.json'));
    expect(await waiting).toMatchObject({ status: 'completed' });
    expect(world.read(id, 'status.json').status).toBe('pending');
  });

  verifies('Q08', 'ends with the rejection', async () => {
    await using world = await still();
    const { id } = await world.sessions.create(SET);
    const waiting = world.sessions.wait(id);
    await world.clock.untilAsleep();
    await world.other().sessions.reject(id, 'no');
    expect(await waiting).toMatchObject({ status: 'rejected', reason: 'no' });
  });

  verifies('Q08', 'ends when the set is abandoned', async () => {
    await using world = await still();
    const { id } = await world.sessions.create(SET);
    const waiting = world.sessions.wait(id);
    await world.clock.untilAsleep();
    await world.other().sessions.cancel(id, 'not needed');
    expect(await waiting).toEqual({ status: 'abandoned', reason: 'not needed' });
  });

  verifies('Q08', 'ends when someone else marked the set as timed out', async () => {
    await using world = await still();
    const { id } = await world.sessions.create(SET);
    const waiting = world.sessions.wait(id);
    await world.clock.untilAsleep();
    await world.other().sessions.expire(id);
    expect(await waiting).toMatchObject({ status: 'timed_out' });
  });

  verifies('Q08', 'ends when the set is deleted', async () => {
    await using world = await still();
    const { id } = await world.sessions.create(SET);
    const waiting = world.sessions.wait(id).catch((error: unknown) => error);
    await world.clock.untilAsleep();
    rmSync(world.path(id), { recursive: true });
    expect(isHoldfastError(await waiting, 'SESSION_NOT_FOUND')).toBe(true);
  });

  verifies('Q08', 'ends when the set is moved away', async () => {
    await using world = await still();
    const { id } = await world.sessions.create(SET);
    const waiting = world.sessions.wait(id).catch((error: unknown) => error);
    await world.clock.untilAsleep();
    renameSync(world.path(id), world.dir.at('moved'));
    expect(isHoldfastError(await waiting, 'SESSION_NOT_FOUND')).toBe(true);
  });

  verifies('Q08', 'a missing set is not waited for', async () => {
    await using world = await still();
    await expect(world.sessions.wait(systemIds.uuid())).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' });
  });

  verifies('Q08', 'the expected call id must match, and a wrong one is an error of its own', async () => {
    await using world = await still();
    const { id } = await world.sessions.create(SET, { callId: 'mine' });
    await world.sessions.answer(id, SQLITE);
    expect(await world.sessions.wait(id, { expectedCallId: 'mine' })).toMatchObject({ status: 'completed' });
    await expect(world.sessions.wait(id, { expectedCallId: 'yours' })).rejects.toMatchObject({
      code: 'CALL_ID_MISMATCH',
      message: `Session ${id} belongs to call mine, not to yours`,
    });
    const { id: bare } = await world.sessions.create(SET);
    await expect(world.sessions.wait(bare, { expectedCallId: 'mine' })).rejects.toMatchObject({
      code: 'CALL_ID_MISMATCH',
      message: `Session ${bare} belongs to call none, not to mine`,
    });
  });

  verifies('Q08', 'an answer for another call does not end the wait with its answers', async () => {
    await using world = await still();
    const { id } = await world.sessions.create(SET, { callId: 'mine' });
    await expect(world.sessions.answer(id, SQLITE, { callId: 'other' })).rejects.toMatchObject({
      code: 'CALL_ID_MISMATCH',
    });
    expect(world.files(id)).not.toContain('answers.json');
    await world.sessions.answer(id, SQLITE, { callId: 'mine' });
    world.write(id, 'answers.json', { ...world.read(id, 'answers.json'), callId: 'other' });
    await expect(world.sessions.wait(id, { expectedCallId: 'mine' })).rejects.toMatchObject({
      code: 'CALL_ID_MISMATCH',
    });
  });

  verifies('Q08', 'the signal ends it, before and while it waits, and leaves nothing running', async () => {
    await using world = await still();
    const { id } = await world.sessions.create(SET);
    await expect(world.sessions.wait(id, { signal: AbortSignal.abort() })).rejects.toMatchObject({
      code: 'ABORTED',
    });
    const controller = new AbortController();
    const waiting = world.sessions.wait(id, { signal: controller.signal }).catch((error: unknown) => error);
    await world.clock.untilAsleep();
    controller.abort();
    expect(isHoldfastError(await waiting, 'ABORTED')).toBe(true);
    expect(world.clock.sleepers).toBe(0);
    expect((await world.sessions.get(id)).outcome.status).toBe('pending');
  });

  verifies('Q08', 'leaves the set pending when patience runs out', async () => {
    await using world = await still();
    const { id } = await world.sessions.create(SET);
    const waiting = world.sessions.wait(id, { patienceMs: 50_000 });
    await world.clock.untilAsleep();
    world.clock.advance(50_000);
    expect(await waiting).toEqual({ status: 'pending' });
    expect(world.read(id, 'status.json').status).toBe('pending');
  });

  verifies('Q09', 'on expiry the waiting set is timed_out, written down, at its full time', async () => {
    await using world = await still();
    const { id } = await world.sessions.create(SET, { timeoutMs: 60_000 });
    const waiting = world.sessions.wait(id);
    await world.clock.untilAsleep();
    expect(world.clock.slept).toEqual([60_000]);
    world.clock.advance(60_000);
    expect(await waiting).toEqual({ status: 'timed_out', at: '2026-03-01T12:01:00.000Z' });
    expect(world.read(id, 'status.json').status).toBe('timed_out');
  });

  verifies('Q09', 'without a timeout the wait has no end of its own', async () => {
    await using world = await still();
    const { id } = await world.sessions.create(SET, { timeoutMs: 0 });
    const waiting = world.sessions.wait(id);
    for (let day = 0; day < 400; day++) {
      await world.clock.untilAsleep();
      world.clock.advance(24 * 60 * 60 * 1_000);
    }
    await world.clock.untilAsleep();
    await world.other().sessions.answer(id, SQLITE);
    expect(await waiting).toMatchObject({ status: 'completed' });
  });

  it('reports the timeout even on a disk that cannot be written', async () => {
    await using world = await questionWorld();
    const { id } = await world.sessions.create(SET, { timeoutMs: 1_000 });
    world.clock.advance(1_000);
    const full = {
      ...nodeFileSystem,
      link(): never {
        throw Object.assign(new Error('ENOSPC: no space left'), { code: 'ENOSPC' });
      },
    };
    expect(await world.other({ fileSystem: full }).sessions.wait(id)).toMatchObject({ status: 'timed_out' });
    expect(world.log.named('question.timeout-not-noted')).toHaveLength(1);
  });

  it('an answer that does not count does not end the wait, the next one does', async () => {
    await using world = await questionWorld();
    const { id } = await world.sessions.create(SET);
    world.write(id, 'answers.json', '{}');
    expect(await world.sessions.wait(id, { patienceMs: 1_000 })).toEqual({ status: 'pending' });
    await world.sessions.answer(id, SQLITE);
    expect(await world.sessions.wait(id)).toMatchObject({ status: 'completed' });
  });

  it('a hundred waiters on one set all get the same', async () => {
    await using world = await still();
    const { id } = await world.sessions.create(SET);
    const waiting = Array.from({ length: 100 }, () => world.sessions.wait(id));
    await world.clock.untilAsleep();
    await world.other().sessions.answer(id, SQLITE);
    const outcomes = await Promise.all(waiting);
    expect(new Set(outcomes.map((outcome) => JSON.stringify(outcome))).size).toBe(1);
  });
});

describe('reading', () => {
  verifies('Q12', 'a file that does not parse is read again three times, with doubling waits', async () => {
    await using world = await questionWorld();
    const { id } = await world.sessions.create(SET);
    world.write(id, 'status.json', '{"sess');
    await world.sessions.get(id);
    expect(world.clock.slept).toEqual([10, 20, 40]);
  });

  verifies('Q12', 'a file that is whole on the second look is read', async () => {
    await using world = await questionWorld();
    const { id } = await world.sessions.create(SET);
    const whole = world.read(id, 'status.json');
    world.write(id, 'status.json', '{"sess');
    const { sleep } = world.clock;
    world.clock.sleep = (ms, signal) => {
      world.write(id, 'status.json', whole);
      return sleep.call(world.clock, ms, signal);
    };
    const view = await world.sessions.get(id);
    expect(view.faults).toEqual([]);
    expect(world.clock.slept).toEqual([10]);
  });

  verifies('Q12', 'a missing file or directory is not found at once', async () => {
    await using world = await questionWorld();
    const { id } = await world.sessions.create(SET);
    rmSync(world.path(id, 'status.json'));
    expect((await world.sessions.get(id)).faults).toEqual([
      { file: 'status.json', kind: 'missing', reason: 'the file is missing' },
    ]);
    await expect(world.sessions.get(systemIds.uuid())).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' });
    expect(world.clock.slept).toEqual([]);
  });
});

describe('the published manager', () => {
  function manager(world: Awaited<ReturnType<typeof questionWorld>>, config: object = {}) {
    return new SessionManager({ baseDir: world.base, ...config }, { clock: world.clock, log: world.log });
  }

  verifies('Q08', 'a rejection is thrown as SESSION_REJECTED', async () => {
    await using world = await still();
    const sessions = manager(world);
    const id = await sessions.createSession(SET);
    const waiting = sessions.waitForAnswers(id).catch((error: unknown) => error);
    await world.clock.untilAsleep();
    await sessions.rejectSession(id, 'no');
    const error = await waiting;
    expect(isHoldfastError(error, 'SESSION_REJECTED')).toBe(true);
    expect(error).toMatchObject({ message: 'SESSION_REJECTED', reason: 'no' });
  });

  verifies('Q09', 'sessionTimeout is the default of the wait, 0 is none, and expiry is stored', async () => {
    await using world = await still();
    const sessions = manager(world, { sessionTimeout: 30_000 });
    const id = await sessions.createSession(SET);
    const waiting = sessions.waitForAnswers(id).catch((error: unknown) => error);
    await world.clock.untilAsleep();
    world.clock.advance(30_000);
    expect(await waiting).toMatchObject({
      code: 'SESSION_TIMED_OUT',
      message: `Session ${id} timed out waiting for user response: nobody answered in time`,
    });
    expect(world.read(id, 'status.json').status).toBe('timed_out');
  });

  verifies('Q09', 'a timeout of the call alone marks the set as timed out as well', async () => {
    await using world = await still();
    const sessions = manager(world);
    const id = await sessions.createSession(SET);
    const waiting = sessions.waitForAnswers(id, 5_000).catch((error: unknown) => error);
    await world.clock.untilAsleep();
    world.clock.advance(5_000);
    expect(await waiting).toMatchObject({ code: 'SESSION_TIMED_OUT' });
    expect(world.read(id, 'status.json').status).toBe('timed_out');
  });

  verifies('Q23', 'createSession, saveSessionAnswers and waitForAnswers carry an answer', async () => {
    await using world = await still();
    const sessions = manager(world);
    const id = await sessions.createSession(SET, 'call-1', '/project');
    expect(world.read(id, 'request.json')).toMatchObject({ callId: 'call-1', workingDirectory: '/project' });
    const waiting = sessions.waitForAnswers(id, undefined, 'call-1');
    await world.clock.untilAsleep();
    const timestamp = '2026-03-01T12:00:00.000Z';
    await sessions.saveSessionAnswers(id, {
      answers: [{ ...SQLITE[0], questionIndex: 0, timestamp }],
      callId: 'call-1',
    });
    expect(await waiting).toBe(id);
    expect(world.read(id, 'answers.json')).toMatchObject({
      answers: [{ selectedOption: 'SQLite' }],
      callId: 'call-1',
    });
  });

  verifies('Q23', 'no questions: the published error', async () => {
    await using world = await still();
    await expect(manager(world).createSession([])).rejects.toThrow(
      'At least one question is required to create a session',
    );
  });

  verifies(
    'Q23',
    'saveSessionAnswers and rejectSession of an unknown session: the published error',
    async () => {
      await using world = await still();
      const id = systemIds.uuid();
      await expect(manager(world).saveSessionAnswers(id, { answers: SQLITE })).rejects.toThrow(
        `Session not found: ${id}`,
      );
      await expect(manager(world).rejectSession(id)).rejects.toThrow(`Session not found: ${id}`);
    },
  );

  verifies('Q23', 'rejectSession without a reason stores null', async () => {
    await using world = await still();
    const sessions = manager(world);
    const id = await sessions.createSession(SET);
    await sessions.rejectSession(id);
    expect(world.read(id, 'status.json')).toMatchObject({ status: 'rejected', rejectionReason: null });
  });

  verifies('Q23', 'maxSessions is enforced, 100 by default', async () => {
    await using world = await still();
    const sessions = manager(world, { maxSessions: 1 });
    await sessions.createSession(SET);
    await expect(sessions.createSession(SET)).rejects.toMatchObject({ code: 'TOO_MANY_SESSIONS' });
    const usual = manager(world);
    for (let count = 1; count < 100; count++) await usual.createSession(SET);
    await expect(usual.createSession(SET)).rejects.toThrow('100 question sets are pending already');
  });

  verifies(
    'Q23',
    'cleanupExpiredSessions cleans by retentionPeriod, 7 days by default, and counts',
    async () => {
      await using world = await still();
      const sessions = manager(world, { retentionPeriod: 1_000 });
      const id = await sessions.createSession(SET);
      await sessions.rejectSession(id);
      await expect(sessions.waitForAnswers(id)).rejects.toThrow('SESSION_REJECTED');
      const unheard = await sessions.createSession(SET);
      await sessions.rejectSession(unheard);
      const pending = await sessions.createSession(SET);
      world.clock.advance(1_001);
      expect(await manager(world).cleanupExpiredSessions()).toBe(0);
      expect(await sessions.cleanupExpiredSessions()).toBe(1);
      expect(world.store.ids().sort()).toEqual([unheard, pending].sort());
      expect(await sessions.cleanupExpiredSessions({ uncollected: true })).toBe(1);
      expect(world.store.ids()).toEqual([pending]);
    },
  );

  verifies('Q23', 'validateSession reports every fault, and a missing session', async () => {
    await using world = await still();
    const sessions = manager(world);
    const id = await sessions.createSession(SET);
    expect(await sessions.validateSession(id)).toEqual({ isValid: true, issues: [] });
    rmSync(world.path(id, 'status.json'));
    expect(await sessions.validateSession(id)).toEqual({
      isValid: false,
      issues: ['status.json: the file is missing'],
    });
    const missing = systemIds.uuid();
    expect(await sessions.validateSession(missing)).toEqual({
      isValid: false,
      issues: [`Session not found: ${missing}`],
    });
  });

  verifies('Q16', 'every operation refuses an id that is not a UUID v4', async () => {
    await using world = await still();
    const sessions = manager(world);
    for (const id of ['../x', '', 'not-a-uuid']) {
      for (const act of [
        () => sessions.saveSessionAnswers(id, { answers: SQLITE }),
        () => sessions.rejectSession(id),
        () => sessions.waitForAnswers(id),
        () => sessions.validateSession(id),
      ]) {
        await expect(act()).rejects.toMatchObject({ code: 'INVALID_SESSION_ID' });
      }
    }
  });

  verifies('Q23', 'up to 10 questions with up to 10 options are accepted, as published', async () => {
    await using world = await still();
    const options = Array.from({ length: 10 }, (_, index) => ({ label: `Option ${index}` }));
    const id = await manager(world).createSession(Array.from({ length: 10 }, () => question({ options })));
    expect(world.read(id, 'status.json').totalQuestions).toBe(10);
  });

  it.each([[undefined], [null], [{}], ['Yes'], [[null]], [['Yes']]])(
    'answers of the shape %j are refused in its own words',
    async (answers) => {
      await using world = await still();
      const sessions = manager(world);
      const id = await sessions.createSession(SET);
      await expect(sessions.saveSessionAnswers(id, { answers } as never)).rejects.toMatchObject({
        code: 'INVALID_ANSWER',
      });
    },
  );
});
