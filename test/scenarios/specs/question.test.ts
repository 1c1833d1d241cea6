import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type * as Published from '../../../src/published/question.js';
import { FakeClock } from '../../support/fake-clock.js';
import { DIST } from '../../support/holdfast-binary.js';
import { question } from '../../support/question-world.js';
import { RecordingLog } from '../../support/recording-log.js';
import { tempDir } from '../../support/temp-dir.js';

/** The published specification of question sessions, scenario by scenario, against the library as it is installed. */
const { SessionManager, formatAnswers, AtomicWriteError } = (await import(
  join(DIST, 'lib', 'question.js')
)) as typeof Published;

const UUID_V4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const ISO = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
const SET = [question()];
const SQLITE = { answers: [{ questionIndex: 0, selectedOption: 'SQLite' }] };

async function world(config: Partial<Published.SessionConfig> = {}, autoAdvance = true) {
  const dir = await tempDir();
  const base = dir.at('sessions');
  const clock = new FakeClock({ autoAdvance });
  const log = new RecordingLog();
  const open = (more: Partial<Published.SessionConfig> = {}) =>
    new SessionManager({ baseDir: base, ...config, ...more }, { clock, log });
  return {
    base,
    clock,
    log,
    open,
    manager: open(),
    path: (id: string, file = '') => join(base, id, file),
    read: (id: string, file: string) => JSON.parse(readFileSync(join(base, id, file), 'utf8')),
    write: (id: string, file: string, content: unknown) =>
      writeFileSync(join(base, id, file), typeof content === 'string' ? content : JSON.stringify(content)),
    documents: (id: string) => readdirSync(join(base, id)).filter((name) => name.endsWith('.json')),
    [Symbol.asyncDispose]: () => dir[Symbol.asyncDispose](),
  };
}

describe('Requirement: Session Creation', () => {
  it('Scenario: New Session', async () => {
    await using w = await world();
    const id = await w.manager.createSession(SET, 'call');
    expect(id).toMatch(UUID_V4);
    expect(readdirSync(w.base)).toContain(id);
    expect(w.read(id, 'request.json')).toMatchObject({ sessionId: id, questions: SET });
    expect(w.read(id, 'status.json').status).toBe('pending');
  });

  it('Scenario: Session Directory Permissions', async () => {
    await using w = await world();
    const id = await w.manager.createSession(SET);
    await w.manager.saveSessionAnswers(id, SQLITE);
    expect(statSync(w.path(id)).mode & 0o777).toBe(0o700);
    expect(w.documents(id).sort()).toEqual(['answers.json', 'request.json', 'status.json']);
    for (const file of w.documents(id)) expect(statSync(w.path(id, file)).mode & 0o777).toBe(0o600);
  });

  it('Scenario: Empty Questions Rejected', async () => {
    await using w = await world();
    await expect(w.manager.createSession([])).rejects.toThrow(
      'At least one question is required to create a session',
    );
  });
});

describe('Requirement: Session Lifecycle States', () => {
  it('Scenario: Pending State', async () => {
    await using w = await world();
    const id = await w.manager.createSession(SET);
    expect(await w.manager.getSession(id)).toMatchObject({ status: 'pending', answers: null });
  });

  it('Scenario: Completed State', async () => {
    await using w = await world();
    const id = await w.manager.createSession(SET);
    await w.manager.saveSessionAnswers(id, SQLITE);
    expect(w.read(id, 'status.json').status).toBe('completed');
    expect(await w.manager.getSession(id)).toMatchObject({
      status: 'completed',
      answers: [{ selectedOption: 'SQLite' }],
    });
  });

  it('Scenario: Rejected State', async () => {
    await using w = await world();
    const id = await w.manager.createSession(SET);
    await w.manager.rejectSession(id, 'not now');
    expect(w.read(id, 'status.json')).toMatchObject({ status: 'rejected', rejectionReason: 'not now' });
  });

  it('Scenario: Timed Out State', async () => {
    await using w = await world({ sessionTimeout: 1_000 });
    const id = await w.manager.createSession(SET);
    await expect(w.manager.waitForAnswers(id)).rejects.toMatchObject({ code: 'SESSION_TIMED_OUT' });
    expect(w.read(id, 'status.json').status).toBe('timed_out');
  });

  it('Scenario: Abandoned State (D24: a request that does not parse; a bad answer is refused and changes nothing)', async () => {
    await using w = await world();
    const id = await w.manager.createSession(SET);
    await expect(
      w.manager.saveSessionAnswers(id, { answers: [{ questionIndex: 0, selectedOption: 'MySQL' }] }),
    ).rejects.toMatchObject({ code: 'INVALID_ANSWER' });
    expect((await w.manager.getSession(id)).status).toBe('pending');
    w.write(id, 'request.json', '{');
    expect((await w.manager.getSession(id)).status).toBe('abandoned');
    await expect(w.manager.waitForAnswers(id)).rejects.toMatchObject({ code: 'SESSION_ABANDONED' });
    expect(w.read(id, 'status.json').status).toBe('abandoned');
  });
});

describe('Requirement: Session File Format', () => {
  it('Scenario: Request File (request.json)', async () => {
    await using w = await world();
    const id = await w.manager.createSession(SET, 'call');
    expect(w.read(id, 'request.json')).toMatchObject({
      sessionId: id,
      questions: SET,
      status: 'pending',
      timestamp: ISO,
      callId: 'call',
    });
    expect(w.read(await w.manager.createSession(SET), 'request.json')).not.toHaveProperty('callId');
  });

  it('Scenario: Status File (status.json)', async () => {
    await using w = await world();
    const id = await w.manager.createSession(SET, 'call');
    expect(w.read(id, 'status.json')).toMatchObject({
      sessionId: id,
      status: 'pending',
      createdAt: ISO,
      lastModified: ISO,
      totalQuestions: 1,
      callId: 'call',
      rejectionReason: null,
    });
  });

  it('Scenario: Answers File (answers.json)', async () => {
    await using w = await world();
    const id = await w.manager.createSession(SET, 'call');
    await w.manager.saveSessionAnswers(id, SQLITE);
    expect(w.read(id, 'answers.json')).toMatchObject({
      sessionId: id,
      answers: [{ questionIndex: 0, selectedOption: 'SQLite', timestamp: ISO }],
      timestamp: ISO,
      callId: 'call',
    });
  });
});

describe('Requirement: Atomic File Operations', () => {
  it('Scenario: Atomic Write', async () => {
    await using w = await world();
    const id = await w.manager.createSession(SET);
    // A file that is replaced is another file, not the same one with other bytes; nothing temporary stays.
    const before = statSync(w.path(id, 'status.json')).ino;
    await w.manager.rejectSession(id);
    expect(statSync(w.path(id, 'status.json')).ino).not.toBe(before);
    expect(statSync(w.path(id, 'status.json')).mode & 0o777).toBe(0o600);
    expect(readdirSync(w.path(id)).filter((name) => /tmp|temp|^\./.test(name))).toEqual([]);
  });

  it('Scenario: File Locking (D5: numbered lock records instead of one PID file)', async () => {
    await using w = await world();
    const id = await w.manager.createSession(SET);
    // A record of a process that is gone does not stand in the way; one that cannot be judged does.
    const gone = {
      pid: 999_999_999,
      startTime: '1',
      bootId: 'earlier',
      pidNamespace: null,
      host: 'elsewhere',
    };
    const record = { ...gone, token: 'x', command: 'other', since: new Date().toISOString() };
    writeFileSync(w.path(id, 'session.lock.1'), JSON.stringify(record), { mode: 0o600 });
    await expect(w.manager.rejectSession(id)).rejects.toMatchObject({ code: 'LOCKED' });
    rmSync(w.path(id, 'session.lock.1'));
    const both = await Promise.allSettled([
      w.open().rejectSession(id, 'one'),
      w.open().rejectSession(id, 'two'),
    ]);
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  });

  it('Scenario: Write Failure Recovery', async () => {
    await using w = await world();
    // Something that is no directory stands where the sessions should be.
    const blocked = w.open({ baseDir: join(w.base, 'file') });
    mkdirSync(w.base, { recursive: true });
    writeFileSync(join(w.base, 'file'), '');
    await expect(blocked.createSession(SET)).rejects.toMatchObject({ code: expect.any(String) });
    const id = await w.manager.createSession(SET);
    if (process.getuid?.() !== 0) {
      chmodSync(w.path(id), 0o500);
      const error = await w.manager.rejectSession(id).catch((thrown: unknown) => thrown);
      chmodSync(w.path(id), 0o700);
      expect(error).toMatchObject({ code: expect.stringMatching(/ATOMIC_WRITE_FAILED|STORAGE_FAILED/) });
    }
    expect(AtomicWriteError.prototype).toBeInstanceOf(Error);
    expect(w.documents(id).sort()).toEqual(['request.json', 'status.json']);
  });

  it('Scenario: Atomic Read with Retry', async () => {
    await using w = await world();
    const id = await w.manager.createSession(SET);
    w.write(id, 'request.json', '{');
    w.clock.slept.length = 0;
    await w.manager.validateSession(id);
    const [first = 0, second = 0] = w.clock.slept;
    expect(w.clock.slept.length).toBeLessThanOrEqual(3);
    expect(w.clock.slept.length).toBeGreaterThanOrEqual(2);
    expect(second).toBe(2 * first);
  });
});

describe('Requirement: Answer Submission', () => {
  it('Scenario: Valid Answers', async () => {
    await using w = await world();
    const id = await w.manager.createSession(SET);
    await w.manager.saveSessionAnswers(id, SQLITE);
    expect(existsSync(w.path(id, 'answers.json'))).toBe(true);
    expect(w.read(id, 'status.json').status).toBe('completed');
  });

  it('Scenario: Session Not Found', async () => {
    await using w = await world();
    const id = '11111111-1111-4111-8111-111111111111';
    await expect(w.manager.saveSessionAnswers(id, SQLITE)).rejects.toThrow(`Session not found: ${id}`);
  });
});

describe('Requirement: Session Rejection', () => {
  it('Scenario: Rejection with Reason', async () => {
    await using w = await world();
    const id = await w.manager.createSession(SET);
    await w.manager.rejectSession(id, 'ask me tomorrow');
    expect(await w.manager.getSession(id)).toMatchObject({
      status: 'rejected',
      rejectionReason: 'ask me tomorrow',
    });
  });

  it('Scenario: Rejection without Reason', async () => {
    await using w = await world();
    const id = await w.manager.createSession(SET);
    await w.manager.rejectSession(id);
    expect(w.read(id, 'status.json')).toMatchObject({ status: 'rejected', rejectionReason: null });
  });
});

describe('Requirement: Waiting for Answers', () => {
  it('Scenario: Polling for Completion (D8: woken by the directory, never later than the poll would be)', async () => {
    await using w = await world({}, false);
    const id = await w.manager.createSession(SET);
    const waiting = w.manager.waitForAnswers(id);
    await w.open().saveSessionAnswers(id, SQLITE);
    expect(await waiting).toBe(id);
    // What was waited for counts as delivered.
    expect(w.read(id, 'status.json')).toMatchObject({ status: 'completed', collectedAt: ISO });
    const rejected = await w.manager.createSession(SET);
    const refused = w.manager.waitForAnswers(rejected).catch((error: unknown) => error);
    await w.open().rejectSession(rejected);
    expect(await refused).toMatchObject({ code: 'SESSION_REJECTED' });
    await using quick = await world();
    const late = await quick.manager.createSession(SET);
    await expect(quick.manager.waitForAnswers(late, 1_000)).rejects.toMatchObject({
      code: 'SESSION_TIMED_OUT',
    });
  });

  it('Scenario: CallId Verification (a wrong one is an error of its own, not a wait without end)', async () => {
    await using w = await world();
    const id = await w.manager.createSession(SET, 'mine');
    await expect(w.manager.saveSessionAnswers(id, { ...SQLITE, callId: 'other' })).rejects.toMatchObject({
      code: 'CALL_ID_MISMATCH',
    });
    await w.manager.saveSessionAnswers(id, { ...SQLITE, callId: 'mine' });
    expect(await w.manager.waitForAnswers(id, 0, 'mine')).toBe(id);
    await expect(w.manager.waitForAnswers(id, 0, 'other')).rejects.toMatchObject({
      code: 'CALL_ID_MISMATCH',
    });
  });

  it('Scenario: Rejection Detection', async () => {
    await using w = await world({}, false);
    const id = await w.manager.createSession(SET);
    const waiting = w.manager.waitForAnswers(id).catch((error: unknown) => error);
    await w.open().rejectSession(id, 'no');
    expect(await waiting).toMatchObject({ message: 'SESSION_REJECTED', reason: 'no' });
  });
});

describe('Requirement: Session Cleanup', () => {
  const DAY_MS = 24 * 60 * 60 * 1_000;

  it('Scenario: Retention-Based Cleanup (D9, D35: to the trash; pending and uncollected ones stay)', async () => {
    await using w = await world();
    const done = await w.manager.createSession(SET);
    await w.manager.saveSessionAnswers(done, SQLITE);
    await w.manager.waitForAnswers(done);
    const unheard = await w.manager.createSession(SET);
    await w.manager.rejectSession(unheard);
    const pending = await w.manager.createSession(SET);
    w.clock.advance(7 * DAY_MS - 1);
    expect(await w.manager.cleanupExpiredSessions()).toBe(0);
    w.clock.advance(2);
    expect(await w.manager.cleanupExpiredSessions()).toBe(1);
    expect(existsSync(w.path(done))).toBe(false);
    expect(await w.manager.cleanupExpiredSessions({ uncollected: true })).toBe(1);
    expect(existsSync(w.path(pending))).toBe(true);
  });

  it('Scenario: Cleanup Failure Isolation', async () => {
    await using w = await world({ retentionPeriod: 1_000 });
    const stuck = await w.manager.createSession(SET);
    const other = await w.manager.createSession(SET);
    for (const id of [stuck, other]) {
      await w.manager.saveSessionAnswers(id, SQLITE);
      await w.manager.waitForAnswers(id);
    }
    // Nobody may take the lock of this one.
    writeFileSync(w.path(stuck, 'session.lock.999999'), '{"pid":', { mode: 0o600 });
    w.clock.advance(2_000);
    expect(await w.manager.cleanupExpiredSessions()).toBe(1);
    expect([existsSync(w.path(stuck)), existsSync(w.path(other))]).toEqual([true, false]);
    expect(w.log.named('question.not-cleaned')).toHaveLength(1);
  });
});

describe('Requirement: Response Formatting', () => {
  const at = '2026-03-01T12:00:00.000Z';
  const several = question({
    multiSelect: true,
    options: [{ label: 'A' }, { label: 'B', description: 'second' }],
  });
  const lines = (asked: typeof several, answer: object) =>
    formatAnswers([asked], [{ questionIndex: 0, timestamp: at, ...answer }])
      .split('\n')
      .slice(3);

  it('Scenario: Single-Select Format', () => {
    expect(lines(question(), { selectedOption: 'PostgreSQL' })).toEqual(['→ PostgreSQL — the usual one']);
    expect(lines(question(), { selectedOption: 'SQLite' })).toEqual(['→ SQLite']);
  });

  it('Scenario: Multi-Select Format', () => {
    expect(lines(several, { selectedOptions: ['A', 'B'] })).toEqual(['→ A', '→ B — second']);
  });

  it('Scenario: Custom Text Format', () => {
    expect(lines(question(), { customText: "it's mine" })).toEqual(["→ Other: 'it\\'s mine'"]);
  });

  it('Scenario: Empty Multi-Select', () => {
    expect(lines(several, { selectedOptions: [] })).toEqual(['→ (No selection)']);
  });

  it('Scenario: Answer Validation', () => {
    const wrong = [
      { questionIndex: 1, selectedOption: 'SQLite' },
      { questionIndex: 0, selectedOption: 'MySQL' },
      { questionIndex: 0 },
    ];
    for (const answer of wrong)
      expect(() => formatAnswers(SET, [{ timestamp: at, ...answer }])).toThrow(
        expect.objectContaining({ code: 'INVALID_ANSWER' }),
      );
  });
});

describe('Requirement: Session Validation', () => {
  it('Scenario: Validate Session', async () => {
    await using w = await world();
    const id = await w.manager.createSession(SET);
    expect(await w.manager.validateSession(id)).toEqual({ isValid: true, issues: [] });
    w.write(id, 'status.json', { ...w.read(id, 'status.json'), totalQuestions: 5 });
    expect((await w.manager.validateSession(id)).issues).toEqual([
      'status.json counts 5 questions, request.json has 1',
    ]);
    w.write(id, 'status.json', {
      ...w.read(id, 'status.json'),
      sessionId: '11111111-1111-4111-8111-111111111111',
    });
    expect((await w.manager.validateSession(id)).issues).toEqual([
      'status.json: it belongs to session 11111111-1111-4111-8111-111111111111',
    ]);
    rmSync(w.path(id, 'status.json'));
    expect((await w.manager.validateSession(id)).issues).toEqual(['status.json: the file is missing']);
    rmSync(w.path(id), { recursive: true });
    expect(await w.manager.validateSession(id)).toEqual({
      isValid: false,
      issues: [`Session not found: ${id}`],
    });
  });

  it('Scenario: Invalid Session ID Format', async () => {
    await using w = await world();
    for (const act of [
      () => w.manager.saveSessionAnswers('../x', SQLITE),
      () => w.manager.rejectSession('not-a-uuid'),
      () => w.manager.waitForAnswers('11111111-1111-1111-8111-111111111111'),
      () => w.manager.validateSession(''),
    ])
      await expect(act()).rejects.toMatchObject({ code: 'INVALID_SESSION_ID' });
  });
});
