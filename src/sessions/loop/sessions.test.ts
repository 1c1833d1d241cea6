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
import { loopWorld, measured, outcome, PLAN } from '../../../test/support/loop-world.js';
import { treeOf } from '../../../test/support/question-world.js';
import { verifies } from '../../../test/support/verifies.js';
import { isUuidV4 } from '../../foundation/index.js';

const SIX = [
  'circuit-breaker.json',
  'dual-gate.json',
  'loop-state.json',
  'metrics.json',
  'phase-status.log',
  'rate-limit.json',
];

describe('creating', () => {
  verifies('L01', 'makes the six files with the published fields, 0600, and a .gitignore', async () => {
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

  it('a link in the place of a file is refused and nothing is touched', async () => {
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
  verifies('L02', 'nothing, a session that can go on, one that cannot', async () => {
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

  verifies('L04', 'plans are compared by their real path, and an edited one is said', async () => {
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
      warnings: ['The PRP was edited since the session began'],
    });
  });

  it('reads only', async () => {
    await using world = await loopWorld();
    (await world.loops.create(PLAN))[Symbol.dispose]();
    const before = treeOf(world.project);
    world.loops.detect('x.md');
    world.loops.read();
    world.loops.verify();
    expect(treeOf(world.project)).toEqual(before);
  });
});

describe('resuming', () => {
  verifies('L05', 'sets running and last_activity and has phase, iteration and metrics', async () => {
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

  verifies('L05', 'refuses what cannot go on, with the reason, and changes nothing', async () => {
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
  });

  it('a halted session goes on only by a reset, half open, with the guidance that was given', async () => {
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
    expect(world.loops.read()).toMatchObject({ status: 'suspended', statusReason: 'no process runs it' });
    using again = await world.loops.resume(PLAN);
    expect(again.state).toMatchObject({ inFlight: null, interrupted: { phase: 'RED', iteration: 1 } });
    again.commitIteration(outcome());
    expect(again.state.interrupted).toBeNull();
  });

  it('what an interrupted iteration had changed counts for its phase, also for the first one', async () => {
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

  it('keeps keys that it does not know, and fills in files that are missing', async () => {
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
