import { describe, expect, it } from 'vitest';
import { type Phase, PRESETS } from '../../sessions/loop/index.js';
import type { PromptResponse } from '../../sessions/process/index.js';
import { analyzeTurn, endOf, type IterationFacts, isWorthChecking } from './analyze-turn.js';

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

function facts(
  overrides: Partial<IterationFacts> = {},
  answer: Partial<PromptResponse> = {},
): IterationFacts {
  return {
    phase: phase('GREEN'),
    result: { kind: 'response', response: response(answer), timeUp: null },
    trouble: undefined,
    checks: { exitCode: 0, tests: null, failure: null, output: '', broken: null },
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
    ['rate-limited', 'failed'],
    ['died', 'crashed'],
  ] as const)('a turn that ended as %s is %s', (reason, run) => {
    expect(analyzeTurn(facts({}, { reason })).run).toBe(run);
  });

  it('only a finished answer claims anything', () => {
    expect(analyzeTurn(facts()).claim.exitSignal).toBe(true);
    expect(analyzeTurn(facts({}, { reason: 'died' })).claim.exitSignal).toBeUndefined();
  });

  it('a turn whose time was up is timed out, whatever the agent says', () => {
    const result = {
      kind: 'response',
      response: response({ reason: 'cancelled' }),
      timeUp: 'the time of the run was up',
    } as const;
    expect(analyzeTurn(facts({ result }))).toMatchObject({
      run: 'timed-out',
      claim: { metrics: {} },
      error: 'the time of the run was up',
    });
  });

  it('an agent that had not started when its time was up is timed out as well', () => {
    const result = { kind: 'failure', message: 'x', timeUp: 'it showed no sign of life' } as const;
    expect(analyzeTurn(facts({ result }))).toMatchObject({
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
    expect(isWorthChecking(facts().result)).toBe(true);
    expect(isWorthChecking(facts({}, { reason: 'died' }).result)).toBe(false);
  });

  it('a failing check is the error, but not in the phase that wants tests to fail', () => {
    const checks = {
      exitCode: 1,
      tests: null,
      failure: 'npm test ended with 1: boom',
      output: 'boom',
      broken: null,
    };
    expect(analyzeTurn(facts({ checks })).error).toBe('npm test ended with 1: boom');
    expect(analyzeTurn(facts({ checks, phase: phase('RED') })).error).toBeNull();
  });

  it('a denied permission is reported with what was wanted', () => {
    const denials = [{ name: 'Bash', title: 'rm -rf /', by: 'only edits are accepted' }];
    expect(analyzeTurn(facts({}, { denials }))).toMatchObject({
      permissionDenials: 1,
      error: 'permission denied: Bash: rm -rf /',
      denied: 'Bash: rm -rf /',
    });
  });

  it('counts what was used, however the exchange ended', () => {
    const used = { tokens: 17, costUsd: 0.5, countedRecords: 3 };
    expect(analyzeTurn(facts({ used })).usage).toEqual({ activeMs: 5, ...used });
    const result = { kind: 'failure', message: 'it died', timeUp: null } as const;
    expect(analyzeTurn(facts({ used, result })).usage).toEqual({ activeMs: 5, ...used });
  });

  it('an agent that did not even start has crashed', () => {
    const result = { kind: 'failure', message: 'no such program', timeUp: null } as const;
    expect(analyzeTurn(facts({ result, checks: null }))).toEqual({
      run: 'crashed',
      measured: null,
      claim: { metrics: {} },
      error: 'no such program',
      usage: { activeMs: 5 },
    });
  });
});

describe('what the service of the agent said', () => {
  const failed = { reason: 'failed', message: 'API error' } as const;
  const words = 'x';

  it.each([
    [{ kind: 'quota', resetsAt: new Date('2026-01-01T05:00:00.000Z'), scope: '5h', words }, 'limited'],
    [{ kind: 'overload', status: 529, retryAt: null, words }, 'limited'],
    [{ kind: 'network', words }, 'limited'],
    [undefined, 'failed'],
  ] as const)('%o makes a turn that failed %s', (trouble, run) => {
    const outcome = analyzeTurn(facts({ trouble }, failed));
    expect(outcome).toMatchObject({ run, error: 'API error' });
    expect(outcome.limit).toEqual(trouble);
  });

  it("what a retry cannot fix is reported with its cause, the service's words and the way out", () => {
    const trouble = {
      kind: 'hopeless',
      cause: 'login',
      words: 'Not logged in · Please run /login.',
      wayOut: 'Log in with `claude /login`',
    } as const;
    expect(analyzeTurn(facts({ trouble }, failed)).limit).toEqual({
      kind: 'hopeless',
      reason: 'the agent is not logged in ("Not logged in · Please run /login"). Log in with `claude /login`',
    });
  });

  it('counts for an agent that did not even start', () => {
    const result = { kind: 'failure', message: 'no key', timeUp: null } as const;
    const trouble = { kind: 'network', words } as const;
    expect(analyzeTurn(facts({ result, trouble, checks: null }))).toMatchObject({
      run: 'limited',
      limit: trouble,
    });
    expect(endOf(result)).toEqual({ reason: 'not-started', message: 'no key' });
  });

  it('does not excuse a turn whose time was up', () => {
    const result = { kind: 'response', response: response(failed), timeUp: 'too long' } as const;
    const outcome = analyzeTurn(facts({ result, trouble: { kind: 'network', words } }));
    expect([outcome.run, outcome.limit]).toEqual(['timed-out', undefined]);
  });
});
