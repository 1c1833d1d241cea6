import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { done, loopWorld, measured, outcome, PLAN } from '../../../test/support/loop-world.js';
import { verifies } from '../../../test/support/verifies.js';
import { CLOSED_BREAKER } from './policies/circuit-breaker.js';
import { PRESETS } from './policies/presets.js';
import { parseStatus } from './policies/status-block.js';

const SIX = [
  'circuit-breaker.json',
  'dual-gate.json',
  'loop-state.json',
  'metrics.json',
  'phase-status.log',
  'rate-limit.json',
];

describe('iterating', () => {
  verifies(
    'L06',
    'a whole run: every phase by its gates, iterations and calls counted, history kept',
    async () => {
      await using world = await loopWorld();
      using loop = await world.loops.create(PLAN, { criteriaCount: 2 });
      loop.recordBaseline({ exitCode: 0, tests: { total: 4, passing: 4, failing: 0, skipped: 0 } });
      const counts = (total: number, passing: number) => ({
        tests: { total, passing, failing: total - passing, skipped: 0 },
      });
      const documents = { total: 3, decisionRecords: 1, changed: 1 };
      const iterate = (step: Parameters<typeof loop.commitIteration>[0]) => {
        loop.beginIteration();
        world.clock.advance(60_000);
        return loop.commitIteration(step);
      };
      expect(iterate(done(measured(4, { ...counts(6, 4), exitCode: 1 })))).toEqual({
        next: 'enter-phase',
        phase: 'GREEN',
        story: null,
      });
      expect(loop.state).toMatchObject({
        currentPhase: 'GREEN',
        currentIteration: 0,
        newTests: 2,
        phasesCompleted: ['RED'],
      });
      expect(iterate(done(measured(5, counts(6, 5))))).toEqual({ next: 'iterate' });
      expect(iterate(done(measured(6, { ...counts(6, 6), exitCode: 0 })))).toEqual({ next: 'iterate' });
      expect(iterate(done(measured(6, { ...counts(6, 6), exitCode: 0 })))).toMatchObject({
        next: 'enter-phase',
        phase: 'REFACTOR',
      });
      expect(iterate(done(measured(6, { ...counts(6, 6), exitCode: 0 })))).toMatchObject({
        next: 'enter-phase',
        phase: 'DOCUMENT',
      });
      expect(iterate(done(measured(6, { ...counts(6, 6), exitCode: 0, documents })))).toEqual({
        next: 'complete',
      });
      expect(world.read('loop-state.json')).toMatchObject({
        status: 'completed',
        completed_at: '2026-03-01T12:06:00.000Z',
        phases_completed: ['RED', 'GREEN', 'REFACTOR', 'DOCUMENT'],
        total_agent_calls: 6,
        usage: { iterations: 6 },
        phase_history: { GREEN: { iterations: 3, exit_reason: 'Dual-Gate satisfied' } },
      });
      expect(world.read('rate-limit.json')).toMatchObject({ hourly: { calls_made: 6 } });
      expect(world.read('metrics.json')).toMatchObject({
        phases: { GREEN: { iterations: 3, final_metrics: { tests_passing: 6, consecutive_green_runs: 2 } } },
      });
      expect(() => loop.beginIteration()).toThrow(expect.objectContaining({ code: 'ILLEGAL_TRANSITION' }));
    },
  );

  verifies(
    'L13',
    'each iteration appends one block to phase-status.log, also behind a torn one',
    async () => {
      await using world = await loopWorld();
      using loop = await world.loops.create(PLAN);
      loop.commitIteration(outcome());
      writeFileSync(world.path('phase-status.log'), '---PRP_PHASE_STATUS---\nPHASE: TORN', { flag: 'a' });
      loop.commitIteration(outcome({ error: 'TypeError: sk-ant-aaaaaaaaaaaaaaaaaaaaaaaaaaaa' }));
      const { blocks } = parseStatus(world.text('phase-status.log'));
      expect(blocks.map(({ fields }) => [fields.PHASE, fields.ITERATION])).toEqual([
        ['RED', '1'],
        ['RED', '2'],
      ]);
      expect(world.text('phase-status.log')).toContain('[redacted:anthropic-key]');
      expect(world.text('loop-state.json')).not.toContain('sk-ant-');
    },
  );

  verifies('L06', 'the last fifty errors are kept with their hash, cut to 500 characters', async () => {
    await using world = await loopWorld();
    using loop = await world.loops.create(PLAN);
    for (let count = 0; count < 52; count++)
      loop.recordError(`${'x'.repeat(600)} ${String.fromCharCode(97 + (count % 26))}`);
    const { errorHistory } = loop.state;
    expect(errorHistory).toHaveLength(50);
    expect(errorHistory[0]).toMatchObject({
      phase: 'RED',
      iteration: 0,
      hash: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    expect(errorHistory[0]?.error).toHaveLength(500);
  });

  it('stories: the gate leads to the next story, and the last one ends the loop', async () => {
    await using world = await loopWorld();
    using loop = await world.loops.create('openspec/changes/add-login', { story: { first: '1', total: 2 } });
    const tasks = { total: 2, done: 2 };
    expect(loop.commitIteration(done(measured(10, { tasks }), { nextStory: '2' }))).toEqual({
      next: 'enter-phase',
      phase: 'STORY',
      story: '2',
    });
    expect(loop.state).toMatchObject({
      phasesCompleted: ['1'],
      currentStory: '2',
      currentPhase: 'STORY',
      prpHash: null,
    });
    expect(loop.commitIteration(done(measured(10, { tasks }), { nextStory: null }))).toEqual({
      next: 'complete',
    });
    expect(loop.state.phasesCompleted).toEqual(['1', '2']);
  });

  it('limits pause or wait or halt, and survive a restart', async () => {
    await using world = await loopWorld();
    const loop = await world.loops.create(PLAN, { budget: { iterations: 2 } });
    const resetsAt = new Date(world.clock.now().getTime() + 7_200_000);
    expect(
      loop.commitIteration(outcome({ run: 'limited', measured: null, limit: { kind: 'quota', resetsAt } })),
    ).toMatchObject({ next: 'wait', wait: { cause: 'quota', until: resetsAt.toISOString() } });
    expect(loop.state).toMatchObject({ currentIteration: 0, usage: { iterations: 0 } });
    expect(loop.documents.breaker).toEqual(CLOSED_BREAKER);
    loop.suspend('SIGINT');
    loop[Symbol.dispose]();
    const again = await world.loops.resume(PLAN);
    expect(again.permission()).toMatchObject({ isAllowed: false, wait: { until: resetsAt.toISOString() } });
    again.commitIteration(outcome());
    expect(
      again.commitIteration(
        outcome({ measured: measured(1, { tests: { total: 11, passing: 1, failing: 10, skipped: 0 } }) }),
      ),
    ).toMatchObject({ next: 'pause', reason: 'the limit of 2 iterations is reached' });
    expect(again.state).toMatchObject({ status: 'paused', usage: { iterations: 2 } });
    expect(again.permission()).toMatchObject({ isAllowed: false, budget: { what: 'iterations' } });
    again.resume();
    expect(
      again.commitIteration(
        outcome({
          run: 'limited',
          measured: null,
          limit: { kind: 'hopeless', reason: 'disabled by your admin' },
        }),
      ),
    ).toEqual({ next: 'halt', reason: 'disabled by your admin' });
    expect(again.state).toMatchObject({ status: 'halted', usage: { iterations: 2 } });
    again[Symbol.dispose]();
  });

  verifies('R10', 'a skipped phase is recorded with actor and reason, and is not complete', async () => {
    await using world = await loopWorld();
    using loop = await world.loops.create(PLAN);
    loop.halt('no progress in 3 iterations of RED');
    const by = { actor: 'cli', reason: 'the tests are there already' };
    expect(loop.skipPhase(by)).toEqual({ next: 'enter-phase', phase: 'GREEN', story: null });
    const at = '2026-03-01T12:00:00.000Z';
    expect(world.read('loop-state.json')).toMatchObject({
      status: 'running',
      halt_reason: null,
      current_phase: 'GREEN',
      phases_completed: [],
      phases_skipped: [{ phase: 'RED', at, ...by }],
      phase_history: { RED: { exit_reason: 'skipped by cli: the tests are there already' } },
    });
    expect(world.loops.read()?.phases.map(({ name, progress }) => [name, progress])).toEqual([
      ['RED', 'skipped'],
      ['GREEN', 'in_progress'],
      ['REFACTOR', 'pending'],
      ['DOCUMENT', 'pending'],
    ]);
  });

  verifies('R04', 'other phases are taken up where they fit, and begun anew where they do not', async () => {
    await using world = await loopWorld();
    using loop = await world.loops.create(PLAN);
    loop.changePhases(PRESETS['tdd-strict']);
    expect(loop.state).toMatchObject({ currentPhase: 'RED', preset: { name: 'tdd-strict' } });
    loop.changePhases(PRESETS.work);
    expect(loop.state).toMatchObject({
      currentPhase: 'WORK',
      currentIteration: 0,
      preset: PRESETS.work,
      phasesCompleted: [],
      phaseHistory: { RED: { exitReason: 'left: the phases are work now' }, WORK: { iterations: 0 } },
    });
  });
});

describe('ending', () => {
  verifies('L07', 'completed, halted and aborted keep every file; illegal ends are refused', async () => {
    await using world = await loopWorld();
    for (const [end, expected] of [
      ['complete', { status: 'completed', completed_at: '2026-03-01T12:00:00.000Z' }],
      ['halt', { status: 'halted', halt_reason: 'by hand' }],
      ['abort', { status: 'aborted' }],
    ] as const) {
      using loop = await world.loops.create(PLAN);
      if (end === 'halt') loop.halt('by hand');
      else loop[end]();
      expect(world.read('loop-state.json')).toMatchObject(expected);
      expect(world.files()).toEqual(expect.arrayContaining(SIX));
      if (end !== 'halt')
        expect(() => loop.abort()).toThrow(expect.objectContaining({ code: 'ILLEGAL_TRANSITION' }));
    }
  });

  verifies(
    'L07',
    'aborted with removal: the files are gone from there and can be found in the trash',
    async () => {
      await using world = await loopWorld();
      using loop = await world.loops.create(PLAN);
      const trashed = loop.abort({ remove: true }) ?? '';
      expect(world.files()).toEqual(['.gitignore', 'trash']);
      expect(readdirSync(trashed).sort()).toEqual(SIX);
      expect(JSON.parse(readFileSync(`${trashed}/loop-state.json`, 'utf8'))).toMatchObject({
        status: 'aborted',
      });
      expect(world.loops.detect(PLAN)).toMatchObject({ found: false, action: 'create_new' });
    },
  );
});

describe('what an iteration leaves', () => {
  verifies('L13', 'a phase began when it began, in its metrics too, from the first one on', async () => {
    await using world = await loopWorld();
    using loop = await world.loops.create(PLAN);
    const began = world.clock.now().toISOString();
    world.clock.advance(60_000);
    loop.beginIteration();
    loop.commitIteration(done(measured(9, { exitCode: 1 })));
    expect(world.read('metrics.json')).toMatchObject({
      phases: { RED: { started_at: began, completed_at: world.clock.now().toISOString() } },
    });
    expect(world.read('loop-state.json')).toMatchObject({ phase_history: { RED: { started_at: began } } });
  });

  it('the names of its files, where no repository could tell them after a kill', async () => {
    await using world = await loopWorld();
    using loop = await world.loops.create(PLAN);
    loop.beginIteration();
    loop.commitIteration({ ...outcome(), paths: ['test/greet.test.mjs', 'b.txt'] });
    loop.beginIteration();
    loop.resume();
    loop.recordLeftFiles({ files: 2, documents: 0, paths: ['a.txt', 'b.txt'] });
    const names = () => world.loops.read()?.state.filesChanged?.map(({ path }) => path);
    expect(names()).toEqual(['a.txt', 'b.txt', 'test/greet.test.mjs']);
    loop.recordStart({ commit: null, uncommitted: [] });
    loop.beginIteration();
    loop.commitIteration({ ...outcome(), paths: ['c.txt'] });
    expect(names()).not.toContain('c.txt');
  });
});
