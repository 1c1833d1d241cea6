import { describe, expect, it } from 'vitest';
import { type Phase, PRESETS } from '../sessions/loop/index.js';
import type { PromptResponse } from '../sessions/process/index.js';
import { analyzeTurn, isWorthChecking, LimitNotes, type TurnFacts } from './analyze-turn.js';

const DONE = '---PRP_PHASE_STATUS---\nSTATUS: COMPLETE\nEXIT_SIGNAL: true\n---END_PRP_PHASE_STATUS---';

function response(overrides: Partial<PromptResponse> = {}): PromptResponse {
  return {
    reason: 'completed',
    message: null,
    exitCode: null,
    signal: null,
    stdout: DONE,
    stderr: '',
    durationMs: 1,
    contextUsage: 1,
    usage: null,
    denials: [],
    madeChanges: false,
    filesChanged: 0,
    changes: null,
    testsPassed: null,
    ...overrides,
  };
}

function phase(name: string): Phase {
  const found = PRESETS.tdd.phases.find((other) => other.name === name);
  if (found === undefined) throw new Error(name);
  return found;
}

function facts(overrides: Partial<TurnFacts> = {}, answer: Partial<PromptResponse> = {}): TurnFacts {
  return {
    phase: phase('GREEN'),
    exchange: { kind: 'response', response: response(answer), timeUp: null },
    limits: new LimitNotes(),
    checks: { exitCode: 0, tests: null, failure: null, output: '' },
    documents: { total: 0, decisionRecords: 0 },
    progress: undefined,
    activeMs: 5,
    used: {},
    ...overrides,
  };
}

describe('what a turn achieved', () => {
  it.each([
    ['completed', 'answered'],
    ['failed', 'failed'],
    ['refused', 'failed'],
    ['turn-limit', 'failed'],
    ['context-overflow', 'failed'],
    ['cancelled', 'failed'],
    ['rate-limited', 'limited'],
    ['died', 'crashed'],
  ] as const)('a turn that ended as %s is %s', (reason, run) => {
    expect(analyzeTurn(facts({}, { reason })).run).toBe(run);
  });

  it('only an answer that was finished claims anything', () => {
    expect(analyzeTurn(facts()).claim.exitSignal).toBe(true);
    expect(analyzeTurn(facts({}, { reason: 'died' })).claim.exitSignal).toBeUndefined();
  });

  it('a turn whose time was up is timed out, whatever the agent made of it', () => {
    const exchange = {
      kind: 'response',
      response: response({ reason: 'cancelled' }),
      timeUp: 'the time of the run was up',
    } as const;
    expect(analyzeTurn(facts({ exchange }))).toMatchObject({
      run: 'timed-out',
      claim: { metrics: {} },
      error: 'the time of the run was up',
    });
  });

  it('an agent that was not up when its time was, is timed out as well', () => {
    const exchange = { kind: 'failure', message: 'x', timeUp: 'it showed no sign of life' } as const;
    expect(analyzeTurn(facts({ exchange }))).toMatchObject({
      run: 'timed-out',
      error: 'it showed no sign of life',
    });
  });

  it('words about changes are no measurement', () => {
    const told = { madeChanges: true, filesChanged: 9, changes: null };
    expect(analyzeTurn(facts({}, told)).measured).toMatchObject({
      hasTreeChanged: false,
      files: { created: 0, modified: 0, deleted: 0 },
    });
  });

  it('without checks nothing was measured', () => {
    expect(analyzeTurn(facts({ checks: null })).measured).toBeNull();
    expect(isWorthChecking({ kind: 'failure', message: 'x', timeUp: null })).toBe(false);
    expect(isWorthChecking(facts().exchange)).toBe(true);
    expect(isWorthChecking(facts({}, { reason: 'died' }).exchange)).toBe(false);
  });

  it('a failing check is the error, but not in the phase that wants tests to fail', () => {
    const checks = { exitCode: 1, tests: null, failure: 'npm test ended with 1: boom', output: 'boom' };
    expect(analyzeTurn(facts({ checks })).error).toBe('npm test ended with 1: boom');
    expect(analyzeTurn(facts({ checks, phase: phase('RED') })).error).toBeNull();
  });

  it('a denied permission is told with what was wanted', () => {
    const denials = [{ name: 'Bash', title: 'rm -rf /', by: 'only edits are accepted' }];
    expect(analyzeTurn(facts({}, { denials }))).toMatchObject({
      permissionDenials: 1,
      error: 'permission denied: Bash: rm -rf /',
    });
  });

  it('counts what was used, whatever became of the exchange', () => {
    const used = { tokens: 17, costUsd: 0.5, countedRecords: 3 };
    expect(analyzeTurn(facts({ used })).usage).toEqual({ activeMs: 5, ...used });
    const exchange = { kind: 'failure', message: 'it died', timeUp: null } as const;
    expect(analyzeTurn(facts({ used, exchange })).usage).toEqual({ activeMs: 5, ...used });
  });

  it('an agent that did not even start has crashed', () => {
    const exchange = { kind: 'failure', message: 'no such program', timeUp: null } as const;
    expect(analyzeTurn(facts({ exchange, checks: null }))).toEqual({
      run: 'crashed',
      measured: null,
      claim: { metrics: {} },
      error: 'no such program',
      usage: { activeMs: 5 },
    });
  });
});

describe('limits that the service told', () => {
  const limited = { reason: 'rate-limited', message: null } as const;
  const failed = { reason: 'failed', message: 'API error' } as const;
  const error = (status: number | null, message = 'API error') =>
    ({ type: 'error', status, message }) as const;

  it('a reset time is waited for', () => {
    const notes = new LimitNotes();
    const resetsAt = '2026-01-01T05:00:00.000Z';
    notes.add({ type: 'rate-limit', status: 'rejected', resetsAt, message: 'limit' });
    expect(notes.signal(limited)).toEqual({ kind: 'quota', resetsAt: new Date(resetsAt) });
  });

  it.each([429, 500, 503, 529])('status %i is overload', (status) => {
    const notes = new LimitNotes();
    notes.add(error(status));
    expect(notes.signal(failed)).toEqual({ kind: 'overload', retryAfterMs: undefined });
  });

  it('an allowance without a reset time is a quota; any other failure is no limit', () => {
    expect(new LimitNotes().signal(limited)).toEqual({ kind: 'quota' });
    expect(new LimitNotes().signal(failed)).toBeUndefined();
    expect(new LimitNotes().signal({ reason: 'completed', message: null })).toBeUndefined();
  });

  it('what an administrator switched off is not waited for', () => {
    const notes = new LimitNotes();
    notes.add({ type: 'rate-limit', status: 'rejected', resetsAt: '2026-01-01T05:00:00.000Z', message: 'x' });
    const words = 'Allocation disabled by your admin';
    expect(notes.signal({ reason: 'failed', message: words })).toEqual({ kind: 'disabled', message: words });
  });

  it('a warning is none', () => {
    const notes = new LimitNotes();
    notes.add({ type: 'rate-limit', status: 'warning', resetsAt: '2026-01-01T05:00:00.000Z', message: 'x' });
    expect(notes.signal(failed)).toBeUndefined();
  });
});
