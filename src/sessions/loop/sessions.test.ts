import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { describe, expect, it } from 'vitest';
import { FailingFileSystem } from '../../../test/support/failing-file-system.js';
import { done, loopWorld, measured, outcome, PLAN } from '../../../test/support/loop-world.js';
import { treeOf } from '../../../test/support/question-world.js';
import { verifies } from '../../../test/support/verifies.js';
import { isUuidV4 } from '../../foundation/index.js';
import { CLOSED_BREAKER } from './policies/circuit-breaker.js';
import { PRESETS } from './policies/presets.js';
import { parseStatus } from './policies/status-block.js';
import { reportOf } from './report.js';

const SIX = [
  'circuit-breaker.json',
  'dual-gate.json',
  'loop-state.json',
  'metrics.json',
  'phase-status.log',
  'rate-limit.json',
];

describe('creating', () => {
  verifies('L01', 'creates the six files with the published fields, 0600, and a .gitignore', async () => {
    await using world = await loopWorld();
    using loop = await world.loops.create(PLAN, { criteriaCount: 2 });
    const now = '2026-03-01T12:00:00.000Z';
    expect(isUuidV4(loop.state.sessionId)).toBe(true);
    expect(world.files()).toEqual(['.gitignore', ...SIX]);
    expect(world.read('loop-state.json')).toMatchObject({
      session_id: loop.state.sessionId,
      prp_file: PLAN,
      started_at: now,
      last_activity: now,
      current_phase: 'RED',
      current_iteration: 0,
      status: 'running',
      halt_reason: null,
      phases_completed: [],
      error_history: [],
      version: 1,
    });
    expect(world.read('circuit-breaker.json')).toMatchObject({
      state: 'CLOSED',
      no_progress_count: 0,
      same_error_count: 0,
      last_error_hash: null,
      opened_at: null,
      open_reason: null,
      history: [],
    });
    expect(world.read('metrics.json')).toMatchObject({
      session_id: loop.state.sessionId,
      current_phase: 'RED',
      phases: {},
    });
    expect(world.read('rate-limit.json')).toMatchObject({
      hourly: { calls_made: 0, limit: 100 },
      anthropic_5h: { detected: false, resume_at: null, waiting: false },
      paused: false,
    });
    expect(world.read('dual-gate.json')).toMatchObject({
      phase: 'RED',
      gate_1: { satisfied: false },
      can_exit: false,
    });
    expect(world.text('phase-status.log')).toBe('');
    expect(world.text('.gitignore')).toBe('*\n');
    for (const file of SIX) expect(lstatSync(world.path(file)).mode & 0o777).toBe(0o600);
    expect(lstatSync(world.directory).mode & 0o777).toBe(0o700);
  });

  verifies('L04', 'a new session moves the files of the old one to archive/<session_id>', async () => {
    await using world = await loopWorld();
    const first = await world.loops.create(PLAN);
    first.beginIteration();
    first.commitIteration(outcome());
    first[Symbol.dispose]();
    world.write('qa-report-1.md', 'report');
    const before = Object.fromEntries(SIX.map((file) => [file, world.text(file)]));
    using second = await world.loops.create('other.md');
    const kept = world.path('archive', first.state.sessionId);
    expect(readdirSync(kept).sort()).toEqual([...SIX, 'qa-report-1.md'].sort());
    for (const file of SIX) expect(readFileSync(`${kept}/${file}`, 'utf8')).toBe(before[file]);
    expect(world.files()).toEqual(['.gitignore', 'archive', ...SIX].sort());
    expect(world.read('loop-state.json')).toMatchObject({
      session_id: second.state.sessionId,
      prp_file: 'other.md',
    });
    second.beginIteration();
    second.commitIteration(outcome());
    expect(readFileSync(`${kept}/phase-status.log`, 'utf8')).toBe(before['phase-status.log']);
  });

  it('keeps an older copy of the same session that a crash left in the archive', async () => {
    await using world = await loopWorld();
    const first = await world.loops.create(PLAN);
    first[Symbol.dispose]();
    const id = first.state.sessionId;
    world.write('archive-me-too.md', 'x');
    mkdirSync(world.path('archive', id), { recursive: true, mode: 0o700 });
    writeFileSync(world.path('archive', id, 'loop-state.json'), 'older');
    (await world.loops.create(PLAN))[Symbol.dispose]();
    expect(readdirSync(world.path('archive')).sort()).toEqual([id, `${id}.older-1`]);
    expect(readFileSync(world.path('archive', `${id}.older-1`, 'loop-state.json'), 'utf8')).toBe('older');
    expect(existsSync(world.path('archive', id, 'archive-me-too.md'))).toBe(true);
  });

  it('a link in place of a file is refused and nothing is touched', async () => {
    await using world = await loopWorld();
    world.write('metrics.json', '{}');
    writeFileSync(world.dir.at('victim'), '{"session_id":"x"}');
    symlinkSync(world.dir.at('victim'), world.path('loop-state.json'));
    await expect(world.loops.create(PLAN)).rejects.toMatchObject({ code: 'UNSAFE_PATH' });
    expect(readFileSync(world.dir.at('victim'), 'utf8')).toBe('{"session_id":"x"}');
    expect(existsSync(world.path('circuit-breaker.json'))).toBe(false);
  });
});

describe('detecting', () => {
  verifies('L02', 'nothing, a session that can be resumed, one that cannot', async () => {
    await using world = await loopWorld();
    expect(world.loops.detect(PLAN)).toMatchObject({
      found: false,
      session: null,
      action: 'create_new',
      reason: null,
    });
    expect(existsSync(world.directory)).toBe(false);
    const loop = await world.loops.create(PLAN);
    loop.suspend('SIGINT');
    loop[Symbol.dispose]();
    expect(world.loops.detect(PLAN)).toMatchObject({
      found: true,
      session: { sessionId: loop.state.sessionId },
      action: 'offer_resume',
      reason: null,
    });
    expect(world.loops.detect('other.md')).toMatchObject({
      action: 'offer_reset',
      reason: `PRP mismatch: session=${PLAN}, requested=other.md`,
      expiry: { action: 'create_new' },
    });
  });

  verifies('L04', 'plans are compared by real path, and an edited one is reported', async () => {
    await using world = await loopWorld();
    (await world.loops.create(PLAN))[Symbol.dispose]();
    symlinkSync(world.dir.at('project', PLAN), world.dir.at('project', 'link.md'));
    for (const spelling of [
      `./${PLAN}`,
      'link.md',
      world.dir.at('project', PLAN),
      'docs/../docs/prps/login.md',
    ])
      expect(world.loops.detect(spelling)).toMatchObject({ action: 'offer_resume', warnings: [] });
    writeFileSync(world.dir.at('project', PLAN), '# Login, edited');
    expect(world.loops.detect(PLAN)).toMatchObject({
      action: 'offer_resume',
      warnings: ['The PRP has been edited since the session began'],
    });
  });

  it('reads only', async () => {
    await using world = await loopWorld();
    (await world.loops.create(PLAN))[Symbol.dispose]();
    const before = treeOf(world.project);
    world.loops.detect('x.md');
    world.loops.get();
    world.loops.verify();
    expect(treeOf(world.project)).toEqual(before);
  });
});

describe('resuming', () => {
  verifies('L05', 'sets running and last_activity, and restores phase, iteration and metrics', async () => {
    await using world = await loopWorld();
    const first = await world.loops.create(PLAN);
    first.beginIteration();
    first.commitIteration(outcome());
    first.suspend('SIGTERM');
    first[Symbol.dispose]();
    world.clock.advance(3_600_000);
    using loop = await world.loops.resume(PLAN);
    expect(loop.documents).toMatchObject({
      state: {
        status: 'running',
        currentPhase: 'RED',
        currentIteration: 1,
        suspendReason: null,
        lastActivity: '2026-03-01T13:00:00.000Z',
      },
      metrics: { phases: { RED: { iterations: 1 } } },
    });
    expect(world.read('loop-state.json')).toMatchObject({
      status: 'running',
      resumed_at: '2026-03-01T13:00:00.000Z',
    });
  });

  verifies(
    'L05',
    'refuses a session that cannot be resumed, with the reason, and changes nothing',
    async () => {
      await using world = await loopWorld();
      await expect(world.loops.resume(PLAN)).rejects.toMatchObject({ code: 'LOOP_NOT_FOUND' });
      const loop = await world.loops.create(PLAN);
      loop.complete();
      loop[Symbol.dispose]();
      const before = world.text('loop-state.json');
      await expect(world.loops.resume(PLAN)).rejects.toMatchObject({
        code: 'LOOP_NOT_RESUMABLE',
        action: 'no_resume',
      });
      await expect(world.loops.resume('other.md')).rejects.toMatchObject({ action: 'create_new' });
      expect(world.text('loop-state.json')).toBe(before);
    },
  );

  it('a halted session continues only after a reset, half open, with the guidance given', async () => {
    await using world = await loopWorld();
    const loop = await world.loops.create(PLAN);
    const stuck = outcome({ measured: measured(0, { tests: null, hasTreeChanged: false }) });
    for (let count = 0; count < 2; count++) expect(loop.commitIteration(stuck)).toEqual({ next: 'iterate' });
    expect(loop.commitIteration(stuck)).toEqual({
      next: 'halt',
      reason: 'no progress in 3 iterations of RED',
    });
    expect(loop.state).toMatchObject({ status: 'halted', haltReason: 'no progress in 3 iterations of RED' });
    loop[Symbol.dispose]();
    expect(world.loops.detect(PLAN)).toMatchObject({
      action: 'offer_reset',
      reason: 'Circuit Breaker OPEN: no progress in 3 iterations of RED',
    });
    await expect(world.loops.resume(PLAN)).rejects.toMatchObject({ action: 'reset_or_abort' });
    using again = await world.loops.resume(PLAN, { reset: true, guidance: 'use vitest' });
    expect(again.documents).toMatchObject({
      state: { status: 'running', guidance: ['use vitest'], haltReason: null },
      breaker: { state: 'HALF_OPEN' },
    });
  });

  it('an iteration that was under way when its process died is noted as interrupted', async () => {
    await using world = await loopWorld();
    const loop = await world.loops.create(PLAN);
    loop.beginIteration();
    loop[Symbol.dispose]();
    expect(world.loops.get()).toMatchObject({
      status: 'suspended',
      statusReason: 'no process is running it',
    });
    using again = await world.loops.resume(PLAN);
    expect(again.state).toMatchObject({ inFlight: null, interrupted: { phase: 'RED', iteration: 1 } });
    again.commitIteration(outcome());
    expect(again.state.interrupted).toBeNull();
  });

  it('the changes of an interrupted iteration count for its phase, even the first one', async () => {
    await using world = await loopWorld();
    const loop = await world.loops.create(PLAN);
    loop.beginIteration();
    loop[Symbol.dispose]();
    using again = await world.loops.resume(PLAN);
    again.recordLeftFiles({ files: 2, documents: 1 });
    again.recordLeftFiles({ files: 2, documents: 1 }); // once
    again.beginIteration();
    const files = { created: 0, modified: 0, deleted: 0 };
    again.commitIteration(outcome({ measured: measured(9, { files }) }));
    expect(again.documents.metrics.phases.RED).toMatchObject({
      iterations: 1,
      currentMetrics: { files_changed: 2, documents_changed: 1 },
    });
  });

  it('keeps unknown keys, and fills in missing files', async () => {
    await using world = await loopWorld();
    world.write('loop-state.json', {
      session_id: '11111111-1111-4111-8111-111111111111',
      prp_file: PLAN,
      started_at: '2026-01-16T10:00:00-03:00',
      current_phase: 'GREEN',
      current_iteration: 5,
      status: 'paused',
      green_model: 'sonnet',
      phases_completed: ['RED'],
    });
    using loop = await world.loops.resume(PLAN);
    expect(loop.state).toMatchObject({ currentIteration: 5, status: 'running' });
    expect(world.read('loop-state.json')).toMatchObject({
      green_model: 'sonnet',
      phases_completed: ['RED'],
      commit: 1,
    });
    expect(world.files()).toEqual(expect.arrayContaining(SIX.filter((file) => file !== 'phase-status.log')));
  });
});

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

  verifies('L13', 'each iteration appends one block to phase-status.log, even after a torn one', async () => {
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
  });

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
    expect(world.loops.get()?.phases.map(({ name, progress }) => [name, progress])).toEqual([
      ['RED', 'skipped'],
      ['GREEN', 'in_progress'],
      ['REFACTOR', 'pending'],
      ['DOCUMENT', 'pending'],
    ]);
  });

  verifies('R04', 'other phases continue where they fit, and begin anew where they do not', async () => {
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

  verifies('L07', 'aborted with removal: the files are gone from there and are in the trash', async () => {
    await using world = await loopWorld();
    using loop = await world.loops.create(PLAN);
    const trashed = loop.abort({ remove: true }) ?? '';
    expect(world.files()).toEqual(['.gitignore', 'trash']);
    expect(readdirSync(trashed).sort()).toEqual(SIX);
    expect(JSON.parse(readFileSync(`${trashed}/loop-state.json`, 'utf8'))).toMatchObject({
      status: 'aborted',
    });
    expect(world.loops.detect(PLAN)).toMatchObject({ found: false, action: 'create_new' });
  });
});

describe('one owner', () => {
  it('a second one is refused, whatever it wants, and the first is named', async () => {
    await using world = await loopWorld();
    using loop = await world.loops.create(PLAN);
    const named = { code: 'LOCKED', message: expect.stringContaining(`by process ${process.pid} on `) };
    await expect(world.other().create('other.md')).rejects.toMatchObject(named);
    await expect(world.other().resume(PLAN)).rejects.toMatchObject(named);
    expect(world.loops.get()).toMatchObject({ status: 'running', owner: { hold: 'held' } });
    loop.pause('lunch');
    expect(world.other().get()).toMatchObject({ status: 'paused', statusReason: 'lunch' });
  });
});

describe('requests from outside', () => {
  it('are taken in order, once, and change the session in one commit', async () => {
    await using world = await loopWorld();
    const loop = await world.loops.create(PLAN);
    const outside = world.other();
    await outside.request({ kind: 'guidance', text: 'use vitest' });
    const { request, owner } = await outside.request({ kind: 'pause', reason: 'lunch' });
    expect([request.number, owner.hold]).toEqual([2, 'held']);
    expect(loop.takeRequests().map(({ kind }) => kind)).toEqual(['guidance', 'pause']);
    expect(loop.state).toMatchObject({
      status: 'paused',
      pauseReason: 'lunch',
      guidance: ['use vitest'],
      lastRequest: 2,
    });
    expect(loop.takeRequests()).toEqual([]);
    await outside.request({ kind: 'resume' });
    await outside.request({ kind: 'stop' });
    loop[Symbol.dispose]();
    using again = await world.loops.resume(PLAN);
    expect(again.takeRequests().map(({ kind }) => kind)).toEqual(['resume', 'stop']);
    expect(again.state).toMatchObject({ status: 'suspended', suspendReason: 'stop was requested' });
  });

  it('guidance is kept until an agent that received it has answered', async () => {
    await using world = await loopWorld();
    using loop = await world.loops.create(PLAN);
    await world.other().request({ kind: 'guidance', text: 'use vitest' });
    loop.takeRequests();
    loop.commitIteration(outcome({ run: 'crashed', measured: null, error: 'it died' }));
    expect(world.read('loop-state.json').guidance).toEqual(['use vitest']);
    loop.commitIteration(outcome({}));
    expect(world.read('loop-state.json').guidance).toEqual([]);
  });

  it('guidance in the prompt being answered is not shown as waiting; after a crash it is', async () => {
    await using world = await loopWorld();
    const loop = await world.loops.create(PLAN);
    const waiting = () => {
      const view = world.loops.get();
      return view === undefined ? undefined : reportOf(view, new Date()).guidanceWaiting;
    };
    loop.guide('use vitest');
    expect(waiting()).toBe(1);
    loop.beginIteration();
    expect(waiting()).toBe(0);
    loop[Symbol.dispose]();
    expect(waiting()).toBe(1);
  });

  it('guidance that was received is not sent again, whatever becomes of the iteration', async () => {
    await using world = await loopWorld();
    using loop = await world.loops.create(PLAN);
    await world.other().request({ kind: 'guidance', text: 'use vitest' });
    loop.takeRequests();
    loop.closeGuidance();
    expect(world.read('loop-state.json').guidance).toEqual([]);
    const { commit } = world.read('loop-state.json');
    loop.closeGuidance();
    expect(world.read('loop-state.json').commit).toBe(commit);
  });

  it('a reset reaches a halted session, and a save does not undo a pause', async () => {
    await using world = await loopWorld();
    using loop = await world.loops.create(PLAN);
    loop.halt('stuck');
    await world.other().request({ kind: 'reset', guidance: 'smaller steps' });
    loop.takeRequests();
    expect(loop.documents).toMatchObject({ state: { status: 'running', guidance: ['smaller steps'] } });
    await world.other().request({ kind: 'pause' });
    loop.recordError('unrelated');
    loop.takeRequests();
    expect(world.read('loop-state.json')).toMatchObject({ status: 'paused' });
  });

  it('are refused if nothing can take them, or if they are invalid', async () => {
    await using world = await loopWorld();
    await expect(world.loops.request({ kind: 'pause' })).rejects.toMatchObject({ code: 'LOOP_NOT_FOUND' });
    expect(existsSync(world.directory)).toBe(false);
    const loop = await world.loops.create(PLAN);
    await expect(world.loops.request({ kind: 'explode' } as never)).rejects.toMatchObject({
      code: 'INVALID_INPUT',
    });
    loop.complete();
    await expect(world.loops.request({ kind: 'pause' })).rejects.toMatchObject({ code: 'LOOP_ENDED' });
    loop[Symbol.dispose]();
  });

  it('to an old session do not reach the new one', async () => {
    await using world = await loopWorld();
    const first = await world.loops.create(PLAN);
    await world.loops.request({ kind: 'stop' });
    first[Symbol.dispose]();
    using second = await world.loops.create(PLAN);
    expect(second.takeRequests()).toEqual([]);
    expect(existsSync(world.path('archive', first.state.sessionId, 'requests.jsonl'))).toBe(true);
  });
});

describe('a disk that fails', () => {
  it('at any step of a commit: the old iteration or the new one, and the next owner continues', async () => {
    for (let at = 1; ; at++) {
      await using world = await loopWorld();
      (await world.loops.create(PLAN))[Symbol.dispose]();
      const fileSystem = new FailingFileSystem();
      const loop = await world.other({ fileSystem }).hold();
      fileSystem.arm({ fault: 'EIO', at });
      let failure: unknown;
      try {
        loop.commitIteration(outcome());
      } catch (error) {
        failure = error;
      }
      const hasFired = fileSystem.fired > 0;
      fileSystem.arm(undefined);
      const seen = world.loops.get();
      expect(seen?.faults, `call ${at}`).toEqual([]);
      const files = [
        seen?.state.currentIteration,
        seen?.documents.metrics?.phases.RED?.iterations ?? 0,
        seen?.documents.dualGate?.iteration,
      ];
      expect(
        [
          [0, 0, 0],
          [1, 1, 1],
        ],
        `call ${at}`,
      ).toContainEqual(files);
      if (failure === undefined) expect(files).toEqual([1, 1, 1]);
      else if (existsSync(world.path('redo.json')))
        expect(() => loop.recordError('x')).toThrow(expect.objectContaining({ code: 'LOOP_POISONED' }));
      loop[Symbol.dispose]();
      using again = await world.loops.resume(PLAN);
      again.commitIteration(outcome());
      expect(again.state.currentIteration).toBe((files[0] ?? 0) + 1);
      if (!hasFired) return;
    }
  });
});

describe('for a runner', () => {
  it('the usage of an interrupted turn is counted, but no iteration', async () => {
    await using world = await loopWorld();
    using loop = await world.loops.create(PLAN);
    loop.beginIteration();
    loop.recordUsage({ tokens: 10, costUsd: 1, activeMs: 100 });
    loop.recordUsage({ tokens: 5 });
    expect(world.read('loop-state.json')).toMatchObject({
      current_iteration: 0,
      usage: { iterations: 0, tokens: 15, cost_usd: 1, active_ms: 100 },
    });
  });

  it('limits are changed one by one', async () => {
    await using world = await loopWorld({ callsPerHour: 3 });
    using loop = await world.loops.create(PLAN, { budget: { iterations: 1, tokens: 100 } });
    loop.setLimits({ budget: { iterations: 9 } });
    expect(loop.state.budget).toEqual({ iterations: 9, tokens: 100 });
    expect(loop.documents.rateLimit.hourly.limit).toBe(3);
    loop.setLimits({ callsPerHour: 7 });
    expect(loop.documents.rateLimit.hourly.limit).toBe(7);
    expect(loop.state.budget).toEqual({ iterations: 9, tokens: 100 });
  });

  it('an open question is remembered across restarts until the agent has the answer', async () => {
    await using world = await loopWorld();
    const id = '11111111-1111-4111-8111-111111111111';
    const first = await world.loops.create(PLAN);
    first.openQuestion(id);
    first.openQuestion(id);
    first[Symbol.dispose]();
    using second = await world.loops.resume(PLAN);
    expect(second.state.openQuestions).toEqual([id]);
    second.closeQuestion(id);
    expect(world.read('loop-state.json').open_questions).toEqual([]);
  });

  it('a look ahead at a new session writes nothing', async () => {
    await using world = await loopWorld();
    expect(world.loops.preview(PLAN, { criteriaCount: 2 })).toMatchObject({
      currentPhase: 'RED',
      criteriaCount: 2,
    });
    expect(existsSync(world.directory)).toBe(false);
  });
});

describe('what an iteration leaves', () => {
  verifies('L13', 'a phase has its start time, in its metrics too, from the first one on', async () => {
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

  it('the names of its files, if no repository could list them after a kill', async () => {
    await using world = await loopWorld();
    using loop = await world.loops.create(PLAN);
    loop.beginIteration();
    loop.commitIteration({ ...outcome(), paths: ['test/greet.test.mjs', 'b.txt'] });
    loop.beginIteration();
    loop.resume();
    loop.recordLeftFiles({ files: 2, documents: 0, paths: ['a.txt', 'b.txt'] });
    const names = () => world.loops.get()?.state.filesChanged?.map(({ path }) => path);
    expect(names()).toEqual(['a.txt', 'b.txt', 'test/greet.test.mjs']);
    loop.recordStart({ commit: null, uncommitted: [] });
    loop.beginIteration();
    loop.commitIteration({ ...outcome(), paths: ['c.txt'] });
    expect(names()).not.toContain('c.txt');
  });
});
