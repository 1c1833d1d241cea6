import { describe, expect, it } from 'vitest';
import { readBy } from '../../../test/support/records.js';
import { verifies } from '../../../test/support/verifies.js';
import { RecordFault } from '../../foundation/index.js';
import { checkExpiry, detectAction, type SessionFacts, validateState } from './resume.js';
import { FoundState, LoopState } from './schema.js';

const RAW = {
  session_id: '11111111-1111-4111-8111-111111111111',
  prp_file: 'a.md',
  started_at: '2026-03-01T10:00:00Z',
  last_activity: '2026-03-01T11:00:00Z',
  current_phase: 'GREEN',
  status: 'running',
};

function facts(
  raw: Record<string, unknown> | undefined,
  overrides: Partial<SessionFacts> = {},
): SessionFacts {
  const state = readBy(LoopState, raw);
  return {
    found: raw === undefined ? undefined : FoundState.fromDisk(raw),
    state: state instanceof RecordFault ? undefined : state,
    faults: raw === undefined ? ['loop-state.json: it is not JSON'] : [],
    breaker: { state: 'CLOSED' },
    prpFile: 'a.md',
    isSamePrp: true,
    phases: ['RED', 'GREEN', 'REFACTOR', 'DOCUMENT'],
    now: new Date('2026-03-01T12:00:00Z'),
    ...overrides,
  };
}

const without = (key: string) => Object.fromEntries(Object.entries(RAW).filter(([name]) => name !== key));

describe('the published check of a state', () => {
  for (const field of ['session_id', 'prp_file', 'started_at', 'current_phase', 'status'])
    verifies('L03', `${field} is required`, () => {
      expect(validateState(FoundState.fromDisk(without(field)), facts(RAW))).toBe(
        `Missing required field: ${field}`,
      );
    });

  verifies('L03', 'the PRP, the phase and the status, each with its message', () => {
    const check = (raw: object, overrides: Partial<SessionFacts> = {}) =>
      validateState(FoundState.fromDisk({ ...RAW, ...raw }), facts(RAW, overrides));
    expect(check({}, { isSamePrp: false, prpFile: 'b.md' })).toBe(
      'PRP mismatch: session=a.md, requested=b.md',
    );
    expect(check({ current_phase: 'BLUE' })).toBe('Invalid phase: BLUE');
    expect(check({ current_phase: 'STORY' }, { phases: ['STORY'] })).toBeUndefined();
    expect(check({ status: 'completed' })).toBe('Session already completed');
    expect(check({ status: 'halted' })).toBe('Session halted by Circuit Breaker');
    expect(check({ status: 'aborted' })).toBe('Invalid status: aborted');
    expect(check({ status: 'odd' })).toBe('Invalid status: odd');
    for (const status of ['running', 'paused', 'suspended']) expect(check({ status })).toBeUndefined();
  });
});

describe('expiry by state', () => {
  const open = { breaker: { state: 'OPEN', openReason: 'no progress in 2 iterations of GREEN' } };
  const other = { isSamePrp: false, prpFile: 'b.md' };
  const CASES: readonly [string, SessionFacts, string, string, string, string][] = [
    [
      'unreadable',
      facts(undefined, { ...open, ...other }),
      'Session state corrupted',
      'State corrupted: loop-state.json: it is not JSON',
      'reset',
      'Offer reset with fresh state',
    ],
    [
      'another PRP, before everything else that can be read',
      facts({ ...RAW, status: 'completed' }, { ...open, ...other }),
      'Different PRP requested',
      'PRP mismatch: session=a.md, requested=b.md',
      'create_new',
      'Start new session for new PRP',
    ],
    [
      'completed, before the breaker',
      facts({ ...RAW, status: 'completed' }, open),
      'PRP execution already completed',
      'Session completed successfully',
      'no_resume',
      'No resume needed',
    ],
    [
      'breaker open, before halted',
      facts({ ...RAW, status: 'halted', halt_reason: 'x' }, open),
      'Circuit Breaker halted execution',
      'Circuit Breaker OPEN: no progress in 2 iterations of GREEN',
      'reset_or_abort',
      'Offer reset or abort',
    ],
    [
      'halted',
      facts({ ...RAW, status: 'halted', halt_reason: 'by hand' }),
      'Session halted',
      'Session halted: by hand',
      'reset_or_abort',
      'Offer reset or abort',
    ],
    [
      'aborted',
      facts({ ...RAW, status: 'aborted' }),
      'Session aborted',
      'Session aborted',
      'reset_or_abort',
      'Offer reset or abort',
    ],
    [
      'a missing field',
      facts(without('started_at')),
      'Session state corrupted',
      'State corrupted: Missing required field: started_at',
      'reset',
      'Offer reset with fresh state',
    ],
    [
      'a phase that is none',
      facts({ ...RAW, current_phase: 'BLUE' }),
      'Session state corrupted',
      'State corrupted: Invalid phase: BLUE',
      'reset',
      'Offer reset with fresh state',
    ],
    [
      'another file that is damaged',
      facts(RAW, { faults: ['metrics.json: it is empty'] }),
      'Session state corrupted',
      'State corrupted: metrics.json: it is empty',
      'reset',
      'Offer reset with fresh state',
    ],
    [
      'a time more than five minutes ahead',
      facts({ ...RAW, last_activity: '2026-03-01T12:05:01Z' }),
      'Session state corrupted',
      'State corrupted: Future timestamp: last_activity is 2026-03-01T12:05:01Z',
      'reset',
      'Offer reset with fresh state',
    ],
  ];
  for (const [name, given, reason, detail, action, actionWords] of CASES)
    verifies('L04', `${name}: ${action}`, () => {
      expect(checkExpiry(given)).toEqual({ isExpired: true, reason, detail, action, actionWords });
    });

  verifies('L04', 'age is not a reason, and neither is a clock that is five minutes off', () => {
    expect(
      checkExpiry(
        facts({ ...RAW, started_at: '1999-01-01T00:00:00Z', last_activity: '1999-01-01T00:00:00Z' }),
      ),
    ).toEqual({ isExpired: false });
    expect(checkExpiry(facts({ ...RAW, last_activity: '2026-03-01T12:05:00Z' }))).toEqual({
      isExpired: false,
    });
  });

  it('what is offered follows from it', () => {
    expect(detectAction(false, { isExpired: false })).toBe('create_new');
    expect(detectAction(true, { isExpired: false })).toBe('offer_resume');
    expect(detectAction(true, checkExpiry(facts(undefined)))).toBe('offer_reset');
  });
});
