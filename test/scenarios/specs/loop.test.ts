import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { renderResumePrompt } from '../../../src/cli/render/resume-prompt.js';
import { isUuidV4 } from '../../../src/foundation/index.js';
import { SessionManager, type SessionState } from '../../../src/published/loop.js';
import { reportOf } from '../../../src/sessions/loop/index.js';
import { FakeClock } from '../../support/fake-clock.js';
import { loopWorld, measured } from '../../support/loop-world.js';
import { tempDir } from '../../support/temp-dir.js';

// One test for each function, condition, operation and table row of the specification, in its order. Names quote it.

const PRP = 'docs/prps/autonomous-loop-engine-dashboard.md';

async function specWorld() {
  const dir = await tempDir();
  mkdirSync(dir.at('docs', 'prps'), { recursive: true });
  writeFileSync(dir.at(PRP), '# Plan\n');
  const clock = new FakeClock({ autoAdvance: true });
  const path = (file: string) => dir.at('.prp-session', file);
  const manager = new SessionManager({ sessionDir: dir.at('.prp-session') }, { clock });
  const read = (file: string) => JSON.parse(readFileSync(path(file), 'utf8'));
  return {
    dir,
    clock,
    manager,
    path,
    read,
    state: (): SessionState => read('loop-state.json'),
    /** Changes a file as somebody with an editor would. */
    edit(file: string, change: Record<string, unknown>) {
      writeFileSync(path(file), JSON.stringify({ ...read(file), ...change }));
    },
    [Symbol.asyncDispose]: () => dir[Symbol.asyncDispose](),
  };
}

type SpecWorld = Awaited<ReturnType<typeof specWorld>>;

async function withSession(prove: (world: SpecWorld, id: string) => void | Promise<void>): Promise<void> {
  await using world = await specWorld();
  await prove(world, await world.manager.createSession(PRP));
}

describe('Session Lifecycle', () => {
  it('NO SESSION (First Run): nothing is found, and nothing is made by looking', async () => {
    await using world = await specWorld();
    expect(world.manager.detectSession(PRP).found).toBe(false);
    expect(existsSync(world.dir.at('.prp-session'))).toBe(false);
  });

  it('CREATED (New session_id), RUNNING (Active loop)', () =>
    withSession(({ state }, id) => {
      expect(state()).toMatchObject({ session_id: id, status: 'running', current_iteration: 0 });
    }));

  it('interrupt: SUSPENDED (Resumable); resume: RUNNING', () =>
    withSession(async ({ manager, state }, id) => {
      await manager.updateSession({ status: 'suspended', halt_reason: 'interrupt' });
      expect([state().status, manager.detectSession(PRP).action]).toEqual(['suspended', 'offer_resume']);
      await manager.resumeSession(id);
      expect(state().status).toBe('running');
    }));

  it('all phases complete: COMPLETED (Success)', () =>
    withSession(async ({ manager, state }) => {
      await manager.endSession('completed');
      expect(state().status).toBe('completed');
    }));

  it('HALTED (CB OPEN) and EXPIRED (Invalid state) are not resumed', () =>
    withSession(async ({ manager, edit }, id) => {
      await manager.endSession('halted', { reason: 'no progress' });
      await expect(manager.resumeSession(id)).rejects.toMatchObject({ code: 'LOOP_NOT_RESUMABLE' });
      edit('loop-state.json', { status: 'sleeping' });
      await expect(manager.resumeSession(id)).rejects.toMatchObject({ code: 'LOOP_NOT_RESUMABLE' });
    }));
});

describe('Check for Existing Session', () => {
  it('if valid: {found: true, session: state, action: "offer_resume"}', () =>
    withSession(({ manager, state }) => {
      const detected = manager.detectSession(PRP);
      expect(detected).toMatchObject({ found: true, action: 'offer_resume', reason: null });
      expect(detected.session).toMatchObject({
        session_id: state().session_id,
        prp_file: PRP,
        current_phase: 'RED',
      });
    }));

  it('else: {found: true, session: state, action: "offer_reset", reason: validation_error}', () =>
    withSession(({ manager }) => {
      expect(manager.detectSession('docs/prps/other.md')).toMatchObject({
        found: true,
        session: { prp_file: PRP },
        action: 'offer_reset',
        reason: `PRP mismatch: session=${PRP}, requested=docs/prps/other.md`,
      });
    }));

  it('else: {found: false, action: "create_new"}', async () => {
    await using world = await specWorld();
    const none = { found: false, session: null, action: 'create_new', reason: null };
    expect(world.manager.detectSession(PRP)).toEqual(none);
  });
});

describe('validate_session(state: dict, prp_file: str) -> tuple[bool, str]', () => {
  it.each(['session_id', 'prp_file', 'started_at', 'current_phase', 'status'])(
    'Missing required field: %s',
    (field) =>
      withSession(({ manager, state }) => {
        const { [field]: _left, ...rest } = state();
        expect(manager.validateSession(rest, PRP)).toEqual([false, `Missing required field: ${field}`]);
      }),
  );

  it('PRP file must match', () =>
    withSession(({ manager, state }) => {
      const message = `PRP mismatch: session=${PRP}, requested=other.md`;
      expect(manager.validateSession(state(), 'other.md')).toEqual([false, message]);
    }));

  it('Phase must be valid', () =>
    withSession(({ manager, state }) => {
      const wrong = { ...state(), current_phase: 'PURPLE' };
      expect(manager.validateSession(wrong, PRP)).toEqual([false, 'Invalid phase: PURPLE']);
      for (const current_phase of ['RED', 'GREEN', 'REFACTOR', 'DOCUMENT'])
        expect(manager.validateSession({ ...state(), current_phase }, PRP)).toEqual([true, '']);
    }));

  it.each([
    ['completed', 'Session already completed'],
    ['halted', 'Session halted by Circuit Breaker'],
    ['dreaming', 'Invalid status: dreaming'],
  ])('Status must allow resume: %s', (status, message) =>
    withSession(({ manager, state }) => {
      expect(manager.validateSession({ ...state(), status }, PRP)).toEqual([false, message]);
    }),
  );

  it.each(['running', 'paused', 'suspended'])('resumable_statuses: %s', (status) =>
    withSession(({ manager, state }) => {
      expect(manager.validateSession({ ...state(), status }, PRP)).toEqual([true, '']);
    }),
  );
});

describe('check_session_expiration(state: dict, prp_file: str) -> dict', () => {
  it('condition_1_circuit_breaker_open', () =>
    withSession(({ manager, state, edit }) => {
      edit('circuit-breaker.json', { state: 'OPEN', open_reason: 'no progress in 3 iterations' });
      expect(manager.checkSessionExpiration(state(), PRP)).toEqual({
        expired: true,
        reason: 'Circuit Breaker OPEN: no progress in 3 iterations',
        action: 'reset_or_abort',
      });
    }));

  it('condition_2_prp_complete', () =>
    withSession(({ manager, state }) => {
      expect(manager.checkSessionExpiration({ ...state(), status: 'completed' }, PRP)).toEqual({
        expired: true,
        reason: 'Session completed successfully',
        action: 'no_resume',
      });
    }));

  it('condition_3_state_corrupted', () =>
    withSession(({ manager, state }) => {
      const { started_at: _left, ...rest } = state();
      expect(manager.checkSessionExpiration(rest, PRP)).toEqual({
        expired: true,
        reason: 'State corrupted: Missing required field: started_at',
        action: 'reset',
      });
    }));

  it('condition_4_prp_mismatch', () =>
    withSession(({ manager, state }) => {
      expect(manager.checkSessionExpiration(state(), 'other.md')).toEqual({
        expired: true,
        reason: expect.stringContaining('PRP mismatch'),
        action: 'create_new',
      });
    }));

  it('{"expired": False}: sessions do NOT expire based on time', () =>
    withSession(({ manager, state }) => {
      const old = { ...state(), started_at: '1999-01-01T00:00:00Z', last_activity: '1999-01-01T00:00:00Z' };
      expect(manager.checkSessionExpiration(old, PRP)).toEqual({ expired: false });
    }));
});

describe('Session State Schema', () => {
  it('a state as the specification prints it is read, resumed and kept', async () => {
    await using world = await specWorld();
    mkdirSync(world.dir.at('.prp-session'), { mode: 0o700 });
    const id = '7d3f9a52-9c1e-4f7b-8a43-0d6f0a9b1c2d';
    const error = {
      timestamp: '2026-01-16T10:30:00-03:00',
      phase: 'GREEN',
      iteration: 3,
      error: "TypeError: Cannot read property 'x' of undefined",
      hash: 'sha256-hash',
    };
    const printed = {
      session_id: id,
      prp_file: PRP,
      started_at: '2026-01-16T10:00:00-03:00',
      current_phase: 'GREEN',
      current_iteration: 5,
      last_activity: '2026-01-16T10:45:00-03:00',
      status: 'running',
      halt_reason: null,
      phases_completed: ['RED'],
      error_history: [error],
    };
    writeFileSync(world.path('loop-state.json'), JSON.stringify(printed), { mode: 0o600 });
    expect(world.manager.detectSession(PRP).session).toMatchObject(printed);
    expect(await world.manager.resumeSession(id)).toMatchObject({ phase: 'GREEN', iteration: 5 });
    const { last_activity: _then, ...kept } = printed;
    expect(world.state()).toMatchObject(kept);
  });
});

describe('Resume Prompt', () => {
  it('PREVIOUS SESSION DETECTED, with its lines and [R]esume, [N]ew, [A]bort', async () => {
    await using world = await loopWorld();
    const loop = await world.loops.create(PRP);
    loop.beginIteration();
    loop.commitIteration({ run: 'answered', measured: measured(6), claim: { metrics: {} } });
    loop.pause('User interrupt');
    loop[Symbol.dispose]();
    const view = world.loops.get();
    if (view === undefined) throw new Error('there is no session');
    const now = new Date(Date.parse(view.state.lastActivity ?? '') + 32 * 60_000);
    const box = renderResumePrompt(reportOf(view, now), now);
    for (const line of [
      'PREVIOUS SESSION DETECTED',
      `Session ID:  ${view.sessionId.slice(0, 8)}-...`,
      'PRP:         autonomous-loop-engine-dashboard.md',
      'Phase:       RED',
      'Iteration:   1',
      'Last Active: 32 minutes ago',
      'Status:      PAUSED (User interrupt)',
      'Progress:',
      '[R]esume  - Continue from where you left off',
      '[N]ew     - Start fresh (discards progress)',
      '[A]bort   - Cancel execution',
    ])
      expect(box).toContain(line);
  });
});

describe('Session Operations', () => {
  it('create_session: generate, create, initialize, return: session_id', () =>
    withSession(({ read }, id) => {
      expect(isUuidV4(id)).toBe(true);
      const ours = { session_id: id };
      expect(read('loop-state.json')).toMatchObject({
        ...ours,
        prp_file: PRP,
        started_at: expect.any(String),
        current_phase: 'RED',
        current_iteration: 0,
        status: 'running',
        phases_completed: [],
        error_history: [],
      });
      expect(read('circuit-breaker.json')).toMatchObject({ state: 'CLOSED', no_progress_count: 0 });
      expect(read('metrics.json')).toMatchObject({ ...ours, current_phase: 'RED', phases: {} });
      expect(read('rate-limit.json')).toMatchObject({ hourly: { calls_made: 0 } });
    }));

  it('resume_session: load, validate, update, return: {phase, iteration, metrics}', () =>
    withSession(async ({ manager, state, clock }, id) => {
      await manager.updateSession({ current_iteration: 3, status: 'paused' });
      clock.advance(60_000);
      const resumed = await manager.resumeSession(id);
      expect(resumed).toMatchObject({ phase: 'RED', iteration: 3, metrics: { session_id: id, phases: {} } });
      expect(state()).toMatchObject({ status: 'running', last_activity: clock.now().toISOString() });
      const other = '00000000-0000-4000-8000-000000000000';
      await expect(manager.resumeSession(other)).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' });
    }));

  it('update_session, phase transition', () =>
    withSession(async ({ manager, state, read }) => {
      await manager.updateSession({ current_iteration: 2 });
      await manager.updateSession({ current_phase: 'GREEN' });
      expect(state()).toMatchObject({
        current_phase: 'GREEN',
        current_iteration: 0,
        phases_completed: ['RED'],
      });
      expect(read('metrics.json')).toMatchObject({ current_phase: 'GREEN' });
      await manager.updateSession({ current_phase: 'RED' });
      expect(state()).toMatchObject({ current_phase: 'RED', phases_completed: [] });
      await expect(manager.updateSession({ current_phase: 'PURPLE' })).rejects.toMatchObject({
        code: 'INVALID_INPUT',
        hint: 'Its phases are RED, GREEN, REFACTOR, DOCUMENT.',
      });
    }));

  it('update_session, iteration complete', () =>
    withSession(async ({ manager, state }) => {
      await manager.updateSession({ current_iteration: 4 });
      expect(state().current_iteration).toBe(4);
      await expect(manager.updateSession({ current_iteration: -1 })).rejects.toMatchObject({
        code: 'INVALID_INPUT',
      });
    }));

  it('update_session, status change', () =>
    withSession(async ({ manager, state }) => {
      await manager.updateSession({ status: 'paused' });
      expect(state().status).toBe('paused');
      await manager.updateSession({ status: 'halted', halt_reason: 'enough' });
      expect(state()).toMatchObject({ status: 'halted', halt_reason: 'enough' });
      await expect(manager.updateSession({ status: 'running' })).rejects.toMatchObject({
        code: 'ILLEGAL_TRANSITION',
      });
    }));

  it('update_session, error recorded', () =>
    withSession(async ({ manager, state, clock }) => {
      clock.advance(1_000);
      const at = clock.now().toISOString();
      await manager.updateSession({ current_iteration: 3, error: 'TypeError: x is undefined' });
      const error = { phase: 'RED', iteration: 3, error: 'TypeError: x is undefined' };
      const hash = expect.stringMatching(/^[0-9a-f]+$/);
      expect(state().error_history).toEqual([{ timestamp: at, ...error, hash }]);
    }));

  it('update_session, set: last_activity = now()', () =>
    withSession(async ({ manager, state, clock }) => {
      clock.advance(90_000);
      await manager.updateSession({});
      expect(state().last_activity).toBe(clock.now().toISOString());
    }));

  it('end_session, completed: status, completed_at, all state files preserved', () =>
    withSession(async ({ manager, state, path }) => {
      await manager.endSession('completed');
      expect(state()).toMatchObject({ status: 'completed', completed_at: expect.any(String) });
      expect(existsSync(path('metrics.json'))).toBe(true);
    }));

  it('end_session, halted: status, halt_reason, all state files preserved', () =>
    withSession(async ({ manager, state, path }) => {
      await manager.endSession('halted', { reason: 'the breaker is open' });
      expect(state()).toMatchObject({ status: 'halted', halt_reason: 'the breaker is open' });
      expect(existsSync(path('circuit-breaker.json'))).toBe(true);
    }));

  it('end_session, aborted: status, optionally: remove .prp-session/', () =>
    withSession(async ({ manager, state, path }) => {
      await manager.endSession('aborted');
      expect(state().status).toBe('aborted');
      await manager.createSession(PRP);
      await manager.endSession('aborted', { remove: true });
      expect([existsSync(path('loop-state.json')), manager.detectSession(PRP).found]).toEqual([false, false]);
    }));
});

describe('Session Files Reference', () => {
  it.each([
    'loop-state.json',
    'circuit-breaker.json',
    'metrics.json',
    'rate-limit.json',
    'dual-gate.json',
    'phase-status.log',
  ])('%s', (file) =>
    withSession(({ path }) => {
      expect(existsSync(path(file))).toBe(true);
    }),
  );
});

describe('Concurrency Protection, corruption_detection', () => {
  it.each([
    [
      'JSON parse errors',
      (world: SpecWorld) => writeFileSync(world.path('loop-state.json'), '{"session_id":'),
    ],
    [
      'Missing required fields',
      (world: SpecWorld) => {
        const { status: _left, ...rest } = world.state();
        writeFileSync(world.path('loop-state.json'), JSON.stringify(rest));
      },
    ],
    ['Invalid enum values', (world: SpecWorld) => world.edit('loop-state.json', { status: 'asleep' })],
    [
      'Future timestamps',
      (world: SpecWorld) => world.edit('loop-state.json', { started_at: '2999-01-01T00:00:00Z' }),
    ],
  ])('%s', (_what, damage) =>
    withSession((world) => {
      damage(world);
      expect(world.manager.detectSession(PRP)).toMatchObject({
        found: true,
        action: 'offer_reset',
        reason: expect.stringMatching(/^State corrupted: /),
      });
    }),
  );

  it('one process at a time writes: a session that somebody has is not resumed by another', async () => {
    await using world = await loopWorld();
    using loop = await world.loops.create(PRP);
    const manager = new SessionManager({ sessionDir: world.directory });
    await expect(manager.resumeSession(loop.state.sessionId)).rejects.toMatchObject({ code: 'LOCKED' });
    await expect(manager.updateSession({ current_iteration: 1 })).rejects.toMatchObject({ code: 'LOCKED' });
  });
});

describe('Best Practices', () => {
  it('Always validate before resume: Check all expiration conditions', () =>
    withSession(async ({ manager, edit }, id) => {
      edit('circuit-breaker.json', { state: 'OPEN', open_reason: 'stuck' });
      await expect(manager.resumeSession(id)).rejects.toMatchObject({
        code: 'LOOP_NOT_RESUMABLE',
        message: expect.stringContaining('Circuit Breaker OPEN: stuck'),
      });
    }));

  it('Preserve error history: it outlives resume and the end', () =>
    withSession(async ({ manager, state }, id) => {
      await manager.updateSession({ error: 'first' });
      await manager.resumeSession(id);
      await manager.endSession('halted', { reason: 'x' });
      expect(state().error_history.map(({ error }) => error)).toEqual(['first']);
    }));

  it('Atomic writes: a commit that a crash cut short is completed by the next one who opens it', () =>
    withSession(async ({ manager, path, state, read }) => {
      const next = { ...state(), current_iteration: 7 };
      const files = ['circuit-breaker.json', 'metrics.json', 'rate-limit.json', 'dual-gate.json'];
      const replaced = Object.fromEntries(files.map((file) => [file, JSON.stringify(read(file))]));
      replaced['loop-state.json'] = JSON.stringify(next);
      writeFileSync(path('redo.json'), JSON.stringify({ version: 1, replaced, appended: {} }), {
        mode: 0o600,
      });
      rmSync(path('loop-state.json'));
      await manager.updateSession({ error: 'went on' });
      expect([state().current_iteration, existsSync(path('redo.json'))]).toEqual([7, false]);
    }));
});

describe('the forms of release 0.1', () => {
  it('still work: the plan alone, and names in camel case', () =>
    withSession(async ({ manager }, id) => {
      expect(manager.validateSession(PRP)).toEqual({ isValid: true, error: '' });
      expect(manager.checkSessionExpiration(PRP)).toEqual({ expired: false });
      expect(manager.detectSession(PRP).session?.sessionId).toBe(id);
      expect(Object.keys(manager.detectSession(PRP).session ?? {})).not.toContain('sessionId');
      expect(await manager.resumeSession(PRP)).toMatchObject({ phase: 'RED', iteration: 0 });
    }));
});
