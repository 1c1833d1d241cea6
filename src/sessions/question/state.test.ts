import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { question } from '../../../test/support/question-world.js';
import { verifies } from '../../../test/support/verifies.js';
import { type QuestionStatus, questionLifecycle } from './lifecycle.js';
import type { AnswersFile, RequestFile, StatusFile } from './schema.js';
import {
  collectedAtOf,
  isForeign,
  isSettled,
  lastActivityOf,
  outcomeOf,
  type QuestionSnapshot,
  statusFor,
} from './state.js';

const ID = 'aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa' as RequestFile['sessionId'];
const CREATED = '2026-03-01T12:00:00.000Z';
const CHANGED = '2026-03-01T12:05:00.000Z';
const ANSWERED = '2026-03-01T12:06:00.000Z';
const EXPIRES = '2026-03-01T13:00:00.000Z';
const NOW = new Date('2026-03-01T12:30:00.000Z');

function request(fields: Partial<RequestFile> = {}): RequestFile {
  return {
    sessionId: ID,
    questions: [question()],
    status: 'pending',
    timestamp: CREATED,
    version: 1,
    ...fields,
  };
}

function status(value: QuestionStatus, fields: Partial<StatusFile> = {}): StatusFile {
  return {
    sessionId: ID,
    status: value,
    createdAt: CREATED,
    lastModified: CHANGED,
    totalQuestions: 1,
    ...fields,
  };
}

function answers(fields: Partial<AnswersFile> = {}): AnswersFile {
  const given = [{ questionIndex: 0, selectedOption: 'SQLite', timestamp: ANSWERED }];
  return { sessionId: ID, answers: given, timestamp: ANSWERED, ...fields };
}

function snapshot(parts: Partial<QuestionSnapshot>): QuestionSnapshot {
  return { id: ID, request: undefined, status: undefined, answers: undefined, faults: [], ...parts };
}

const COMPLETED = { status: 'completed', answers: answers().answers, at: ANSWERED, late: false };

describe('the one reading of three files', () => {
  const TABLE: readonly [string, Partial<QuestionSnapshot>, object][] = [
    ['a new set', { request: request(), status: status('pending') }, { status: 'pending' }],
    ['a lost status', { request: request() }, { status: 'pending' }],
    ['an answer', { request: request(), status: status('completed'), answers: answers() }, COMPLETED],
    [
      'an answer whose writer died before the status',
      { request: request(), status: status('pending'), answers: answers() },
      COMPLETED,
    ],
    [
      'an answer and a status that says rejected',
      { request: request(), status: status('rejected'), answers: answers() },
      COMPLETED,
    ],
    [
      'an answer and a status that says timed out',
      { request: request(), status: status('timed_out'), answers: answers({ late: true }) },
      { ...COMPLETED, late: true },
    ],
    [
      'an answer after its time',
      { request: request({ expiresAt: CHANGED }), status: status('pending'), answers: answers() },
      COMPLETED,
    ],
    [
      'a status that says completed, without the answer',
      { request: request(), status: status('completed') },
      { status: 'pending' },
    ],
    [
      'a rejection with a reason',
      { request: request(), status: status('rejected', { rejectionReason: 'no' }) },
      { status: 'rejected', reason: 'no', at: CHANGED, late: false },
    ],
    [
      'a rejection without a reason',
      { request: request(), status: status('rejected', { rejectionReason: null }) },
      { status: 'rejected', reason: null, at: CHANGED, late: false },
    ],
    [
      'a rejection by AUQ without the key',
      { request: request(), status: status('rejected') },
      { status: 'rejected', reason: null, at: CHANGED, late: false },
    ],
    [
      'a late rejection',
      { request: request(), status: status('rejected', { late: true }) },
      { status: 'rejected', reason: null, at: CHANGED, late: true },
    ],
    [
      'a rejection after its time',
      { request: request({ expiresAt: CHANGED }), status: status('rejected') },
      { status: 'rejected', reason: null, at: CHANGED, late: false },
    ],
    [
      'a rejection whose request is damaged',
      { status: status('rejected') },
      { status: 'rejected', reason: null, at: CHANGED, late: false },
    ],
    [
      'a damaged request',
      { status: status('pending') },
      { status: 'abandoned', reason: 'request.json no longer verifies' },
    ],
    ['an empty directory', {}, { status: 'abandoned', reason: 'request.json no longer verifies' }],
    [
      'a withdrawn set',
      { request: request(), status: status('abandoned', { abandonedReason: 'changed my mind' }) },
      { status: 'abandoned', reason: 'changed my mind' },
    ],
    [
      'a set that AUQ abandoned',
      { request: request(), status: status('abandoned') },
      { status: 'abandoned', reason: 'no reason was recorded' },
    ],
    [
      'a stored timeout',
      { request: request(), status: status('timed_out') },
      { status: 'timed_out', at: CHANGED },
    ],
    [
      'a time that has not come',
      { request: request({ expiresAt: EXPIRES }), status: status('pending') },
      { status: 'pending' },
    ],
    [
      'a time that is now',
      { request: request({ expiresAt: NOW.toISOString() }), status: status('pending') },
      { status: 'timed_out', at: NOW.toISOString() },
    ],
    [
      'a time that has passed, unwritten',
      { request: request({ expiresAt: CHANGED }), status: status('pending') },
      { status: 'timed_out', at: CHANGED },
    ],
    [
      'a time in another zone that has passed',
      { request: request({ expiresAt: '2026-03-01T14:00:00+02:00' }) },
      { status: 'timed_out', at: '2026-03-01T14:00:00+02:00' },
    ],
  ];
  for (const [what, parts, outcome] of TABLE) {
    verifies(
      'Q04',
      `the files of ${what} mean ${JSON.stringify((outcome as { status: string }).status)}`,
      () => {
        expect(outcomeOf(snapshot(parts), NOW)).toEqual(outcome);
      },
    );
  }

  it('an answer decides whatever else the files say, at any time', () => {
    const anyStatus = fc.option(
      fc.constantFrom(...questionLifecycle.states).map((state) => status(state)),
      { nil: undefined },
    );
    const anyRequest = fc.option(fc.constantFrom(request(), request({ expiresAt: CHANGED })), {
      nil: undefined,
    });
    fc.assert(
      fc.property(anyStatus, anyRequest, fc.date({ noInvalidDate: true }), (state, asked, now) => {
        expect(outcomeOf(snapshot({ request: asked, status: state, answers: answers() }), now)).toEqual(
          COMPLETED,
        );
      }),
    );
  });

  it('time changes nothing but pending to timed_out', () => {
    const parts = fc.record({
      status: fc.option(
        fc.constantFrom(...questionLifecycle.states).map((state) => status(state)),
        { nil: undefined },
      ),
      request: fc.option(fc.constantFrom(request(), request({ expiresAt: EXPIRES })), { nil: undefined }),
      answers: fc.option(fc.constant(answers()), { nil: undefined }),
    });
    const moment = fc.date({ min: new Date(CREATED), max: new Date('2026-03-02'), noInvalidDate: true });
    fc.assert(
      fc.property(parts, moment, moment, (files, a, b) => {
        const [early, late] = a <= b ? [a, b] : [b, a];
        const before = outcomeOf(snapshot(files), early);
        const after = outcomeOf(snapshot(files), late);
        if (before.status === 'pending') expect(['pending', 'timed_out']).toContain(after.status);
        else expect(after).toEqual(before);
      }),
    );
  });

  it('only an answer and a rejection settle a set', () => {
    const settled = TABLE.filter(([, parts]) => isSettled(outcomeOf(snapshot(parts), NOW))).map(
      ([, , outcome]) => (outcome as { status: string }).status,
    );
    expect(new Set(settled)).toEqual(new Set(['completed', 'rejected']));
  });
});

describe('the last activity', () => {
  const TIMES: readonly [string, Partial<QuestionSnapshot>, string][] = [
    ['of a new set is its creation', { request: request() }, CREATED],
    ['is the last change of the status', { request: request(), status: status('pending') }, CHANGED],
    ['is the answer', { request: request(), status: status('completed'), answers: answers() }, ANSWERED],
    ['is told in one zone', { request: request({ timestamp: '2026-03-01T21:00:00+09:00' }) }, CREATED],
    ['is the end of its time, once that has passed', { request: request({ expiresAt: CHANGED }) }, CHANGED],
    ['is not a time that has not come', { request: request({ expiresAt: EXPIRES }) }, CREATED],
    ['of files that tell no time is that of the directory', { touchedAt: ANSWERED }, ANSWERED],
    ['of nothing is the epoch', {}, '1970-01-01T00:00:00.000Z'],
  ];
  it.each(TIMES)('%s', (_what, parts, time) => {
    expect(lastActivityOf(snapshot(parts), NOW)).toBe(time);
  });
});

describe('the mark of a delivery', () => {
  const answered = { request: request(), answers: answers() };
  const mark = (value: QuestionStatus, collectedAt: string, fields: Partial<StatusFile> = {}) =>
    status(value, { collectedAt, ...fields });
  const MARKS: readonly [string, Partial<QuestionSnapshot>, string | null][] = [
    ['is none without one', { ...answered, status: status('completed') }, null],
    ['counts for the answer', { ...answered, status: mark('completed', ANSWERED) }, ANSWERED],
    [
      'of a timeout does not count for the late answer',
      { ...answered, status: mark('timed_out', ANSWERED) },
      null,
    ],
    [
      'of an earlier answer does not count for a later one',
      { ...answered, status: mark('completed', CHANGED) },
      null,
    ],
    ['counts for a rejection', { request: request(), status: mark('rejected', ANSWERED) }, ANSWERED],
    ['counts for a withdrawal', { request: request(), status: mark('abandoned', CREATED) }, CREATED],
    ['by AUQ counts', { request: request(), answers: answers({ lastReadAt: EXPIRES }) }, EXPIRES],
  ];
  it.each(MARKS)('%s', (_what, parts, collectedAt) => {
    const files = snapshot(parts);
    expect(collectedAtOf(files, outcomeOf(files, NOW))).toBe(collectedAt);
  });
});

describe('the status file that a set should have', () => {
  it('is its own, unknown keys included', () => {
    const own = { ...status('timed_out'), currentQuestionIndex: 3, extra: { a: 1 } };
    expect(statusFor(snapshot({ request: request(), status: own }), NOW)).toBe(own);
  });

  it('is rebuilt from the request if it was lost', () => {
    expect(statusFor(snapshot({ request: request({ callId: 'call' }) }), NOW)).toEqual({
      sessionId: ID,
      status: 'pending',
      createdAt: CREATED,
      lastModified: NOW.toISOString(),
      totalQuestions: 1,
      callId: 'call',
      rejectionReason: null,
      version: 1,
    });
  });

  verifies('Q21', 'a set without a version key was made by AUQ', () => {
    const { version: _, ...bare } = request();
    expect([isForeign(bare as RequestFile), isForeign(request()), isForeign(undefined)]).toEqual([
      true,
      false,
      false,
    ]);
  });
});
