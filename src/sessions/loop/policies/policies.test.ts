import { describe, expect, it } from 'vitest';
import { measured } from '../../../../test/support/loop-world.js';
import { verifies } from '../../../../test/support/verifies.js';
import { LoopState, Metrics } from '../schema.js';
import { addUsage, checkBudget, NO_USAGE } from './budget.js';
import { closePhase, greenRunsAfter, overallPercent, phasePercent, recordNumbers } from './metrics.js';
import { choosePreset, type Phase, PRESETS, type PresetWishes, resolvePreset } from './presets.js';

const AT = '2026-03-01T12:00:00.000Z';
const [RED, GREEN, REFACTOR, DOCUMENT] = PRESETS.tdd.phases as [Phase, Phase, Phase, Phase];

describe('presets', () => {
  it('tdd and story have the published phases and limits', () => {
    expect(
      PRESETS.tdd.phases.map(({ name, noProgress, sameError }) => [name, noProgress, sameError]),
    ).toEqual([
      ['RED', 3, 5],
      ['GREEN', 2, 3],
      ['REFACTOR', 5, 5],
      ['DOCUMENT', 3, 5],
    ]);
    expect(PRESETS.story.phases.map(({ name, gate }) => [name, gate])).toEqual([['STORY', 'story-done']]);
  });

  it('a configuration may reorder, drop, retune and add', () => {
    const { phases } = resolvePreset('tdd', [
      { name: 'DOCUMENT' },
      { name: 'GREEN', noProgress: 9 },
      { name: 'TIDY', gate: 'still-green' },
    ]);
    expect(phases).toEqual([
      DOCUMENT,
      { ...GREEN, noProgress: 9 },
      { name: 'TIDY', gate: 'still-green', noProgress: 3, sameError: 5 },
    ]);
  });

  it.each([
    [[], 'A loop needs at least one phase'],
    [[{ name: 'RED' }, { name: 'RED' }], 'The phase RED is listed twice'],
    [[{ name: 'TIDY' }], 'The phase TIDY is not in the preset tdd and names no gate'],
  ])('refuses %j', (settings, message) => {
    expect(() => resolvePreset('tdd', settings)).toThrow(message);
  });
});

const BEGUN = '2026-02-28T23:59:00.000Z';

describe('metrics', () => {
  verifies('L13', 'each iteration is kept; the last numbers of a phase become its final ones', () => {
    const empty = { sessionId: 's', currentPhase: 'GREEN', phases: {} };
    const once = recordNumbers(empty, 'GREEN', { tests_passing: 3 }, { at: AT, begun: BEGUN });
    const twice = recordNumbers(once, 'GREEN', { tests_passing: 5 }, { at: AT, begun: AT });
    expect(twice.phases.GREEN).toEqual({
      startedAt: BEGUN,
      completedAt: null,
      iterations: 2,
      currentMetrics: { tests_passing: 5 },
      history: [
        { timestamp: AT, tests_passing: 3 },
        { timestamp: AT, tests_passing: 5 },
      ],
    });
    expect(closePhase(twice, 'GREEN', { at: AT, begun: AT }).phases.GREEN).toMatchObject({
      completedAt: AT,
      finalMetrics: { tests_passing: 5 },
    });
    expect(closePhase(twice, 'GREEN', { at: AT, begun: AT }).phases.GREEN).not.toHaveProperty(
      'currentMetrics',
    );
  });

  verifies('L13', 'percentages follow the published formulas', () => {
    const [STRICT_RED, , , STRICT_DOCUMENT] = PRESETS['tdd-strict'].phases as [Phase, Phase, Phase, Phase];
    expect(phasePercent(STRICT_RED, { criteria_covered: 9, criteria_count: 9 })).toBe(100);
    expect(phasePercent(STRICT_RED, { criteria_covered: 1, criteria_count: 0 })).toBe(0);
    expect(phasePercent(RED, { tests_failing: 1, criteria_count: 2 })).toBe(50);
    expect(phasePercent(DOCUMENT, { documents: 9 })).toBe(0);
    expect(phasePercent(GREEN, { tests_passing: 6, tests_total: 10, consecutive_green_runs: 0 })).toBe(54);
    expect(phasePercent(GREEN, { tests_passing: 10, tests_total: 10, consecutive_green_runs: 3 })).toBe(100);
    expect(phasePercent(REFACTOR, { iteration: 3 })).toBe(60);
    expect(phasePercent(STRICT_DOCUMENT, { documents: 3 })).toBe(50);
    const state = { status: 'running', currentPhase: 'GREEN', currentIteration: 5, phasesCompleted: ['RED'] };
    expect(overallPercent(PRESETS.tdd.phases, state)).toBe(Math.round((100 * (10 + 22.5)) / 85));
    expect(overallPercent(PRESETS.tdd.phases, { ...state, status: 'completed' })).toBe(100);
    expect(overallPercent(PRESETS.story.phases, { ...state, phasesCompleted: ['1'], storiesTotal: 4 })).toBe(
      25,
    );
  });

  it('green runs are counted in a row', () => {
    const phase = {
      startedAt: AT,
      completedAt: null,
      iterations: 1,
      currentMetrics: { consecutive_green_runs: 1 },
    };
    expect(greenRunsAfter(phase, measured(10))).toBe(2);
    expect(greenRunsAfter(phase, measured(9))).toBe(0);
    expect(greenRunsAfter(phase, null)).toBe(0);
  });
});

describe('the phases of a new session', () => {
  const chosen = (wishes: PresetWishes) => {
    const { preset, from, refused } = choosePreset(wishes);
    return [preset.name, from, refused];
  };

  verifies(
    'R04',
    'command line, then the plan, then the config; a plan may ask for stricter ones only',
    () => {
      expect(chosen({})).toEqual(['tdd', 'default', null]);
      expect(chosen({ plan: 'work' })).toEqual(['work', 'plan', null]);
      expect(chosen({ configured: 'tdd-strict' })).toEqual(['tdd-strict', 'config', null]);
      expect(chosen({ plan: 'work', configured: 'tdd' })).toEqual(['tdd', 'config', 'work']);
      expect(chosen({ plan: 'tdd-strict', configured: 'work' })).toEqual(['tdd-strict', 'plan', null]);
      expect(chosen({ plan: 'tdd', configured: 'tdd' })).toEqual(['tdd', 'config', null]);
      expect(chosen({ typed: 'work', plan: 'tdd-strict', configured: 'tdd-strict' })).toEqual([
        'work',
        'command line',
        null,
      ]);
    },
  );

  it('configured one by one override what the plan asks for', () => {
    const phases = [{ name: 'GREEN' }, { name: 'RED' }];
    const { preset, refused } = choosePreset({ plan: 'work', configured: 'tdd-strict', phases });
    expect(preset.phases.map(({ gate }) => gate)).toEqual(['tests-pass', 'new-tests-fail']);
    expect(refused).toBe('work');
  });
});

describe('budgets', () => {
  it.each([
    [{ iterations: 1 }, 'iterations', 'the limit of 1 iteration is reached'],
    [{ activeMs: 60_000 }, 'time', 'the limit of 1 minute is reached'],
    [{ tokens: 500 }, 'tokens', 'the limit of 500 tokens is reached'],
    [{ costUsd: 1.5 }, 'cost', 'the limit of $1.50 is reached'],
  ])('%j is reached', (budget, what, reason) => {
    const usage = addUsage(NO_USAGE, { activeMs: 60_000, tokens: 500, costUsd: 1.5 });
    expect(checkBudget(usage, budget)).toMatchObject({ what, reason });
    expect(checkBudget(NO_USAGE, budget)).toBeNull();
    expect(checkBudget(usage, {})).toBeNull();
  });
});

describe('the spelling on disk', () => {
  it('has underscores in our keys and keeps unknown keys', () => {
    const disk = {
      session_id: 'x',
      prp_file: 'a.md',
      started_at: AT,
      current_phase: 'RED',
      status: 'running',
      green_model: 'sonnet',
      someThing: { nested_key: 1 },
      error_history: [{ timestamp: AT, phase: 'RED', iteration: 1, error: 'e', hash: 'h', odd_key: true }],
    };
    const state = LoopState.fromDisk(disk);
    expect([state.sessionId, state.prpFile, state.errorHistory[0]?.error]).toEqual(['x', 'a.md', 'e']);
    expect(LoopState.toDisk(state)).toMatchObject(disk);
  });

  it('of a foreign key stays, even if it looks like one of our names in code', () => {
    const foreign = { startedAt: 'theirs', '~startedAt': 'odd', '~other': 1, phase: { startedAt: 2 } };
    const disk = {
      session_id: 'x',
      prp_file: 'a.md',
      started_at: AT,
      current_phase: 'RED',
      status: 'running',
      ...foreign,
      error_history: [
        {
          timestamp: AT,
          phase: 'RED',
          iteration: 1,
          error: 'e',
          hash: 'h',
          sessionId: 3,
          startedAt: [{ exitCode: 4 }],
        },
      ],
      phase_history: { startedAt: { started_at: AT, startedAt: 5, completed_at: null, iterations: 1 } },
    };
    const state = LoopState.fromDisk(disk);
    expect(state.startedAt).toBe(AT);
    expect(LoopState.toDisk(LoopState.fromDisk(LoopState.toDisk(state)))).toMatchObject(disk);
    const metrics = {
      session_id: 'x',
      current_phase: 'RED',
      phases: { RED: { started_at: AT, iterations: 1, current_metrics: { startedAt: 1, exit_code: 2 } } },
    };
    expect(Metrics.toDisk(Metrics.fromDisk(metrics))).toMatchObject(metrics);
  });
});
