import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { FailingFileSystem } from '../../../test/support/failing-file-system.js';
import { loopWorld, outcome, PLAN } from '../../../test/support/loop-world.js';

describe('one owner', () => {
  it('the second is refused with the first named, whatever it wants', async () => {
    await using world = await loopWorld();
    using loop = await world.loops.create(PLAN);
    const named = { code: 'LOCKED', message: expect.stringContaining(`by process ${process.pid} on `) };
    await expect(world.other().create('other.md')).rejects.toMatchObject(named);
    await expect(world.other().resume(PLAN)).rejects.toMatchObject(named);
    expect(world.loops.read()).toMatchObject({ status: 'running', owner: { hold: 'held' } });
    loop.pause('lunch');
    expect(world.other().read()).toMatchObject({ status: 'paused', statusReason: 'lunch' });
  });
});

describe('requests from outside', () => {
  it('are taken in order, once, and change the session in one commit', async () => {
    await using world = await loopWorld();
    const loop = await world.loops.create(PLAN);
    const outside = world.other();
    await outside.request({ kind: 'guidance', text: 'use vitest' });
    const { request, owner } = await outside.request({ kind: 'pause', reason: 'lunch' });
    expect([request.number, owner.hold]).toEqual([1, 'held']);
    expect(loop.takeRequests().map(({ kind }) => kind)).toEqual(['guidance', 'pause']);
    expect(loop.state).toMatchObject({
      status: 'paused',
      pauseReason: 'lunch',
      guidance: ['use vitest'],
      lastRequest: 1,
    });
    expect(loop.takeRequests()).toEqual([]);
    await outside.request({ kind: 'resume' });
    await outside.request({ kind: 'stop' });
    loop[Symbol.dispose]();
    using again = await world.loops.resume(PLAN);
    expect(again.takeRequests().map(({ kind }) => kind)).toEqual(['resume', 'stop']);
    expect(again.state).toMatchObject({ status: 'suspended', suspendReason: 'stop was requested' });
  });

  it('guidance is kept until an agent that was told has answered', async () => {
    await using world = await loopWorld();
    using loop = await world.loops.create(PLAN);
    await world.other().request({ kind: 'guidance', text: 'use vitest' });
    loop.takeRequests();
    loop.commitIteration(outcome({ run: 'crashed', measured: null, error: 'it died' }));
    expect(world.read('loop-state.json').guidance).toEqual(['use vitest']);
    loop.commitIteration(outcome({}));
    expect(world.read('loop-state.json').guidance).toEqual([]);
  });

  it('guidance that was heard is not told again, whatever becomes of the iteration', async () => {
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

  it('are refused where there is nobody to take them, and for what they are not', async () => {
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
  it('at any step of a commit: the old iteration or the new one, and the next owner goes on', async () => {
    for (let at = 1; ; at++) {
      await using world = await loopWorld();
      (await world.loops.create(PLAN))[Symbol.dispose]();
      const fileSystem = new FailingFileSystem();
      const loop = await world.other({ fileSystem }).open();
      fileSystem.arm({ fault: 'EIO', at });
      let failure: unknown;
      try {
        loop.commitIteration(outcome());
      } catch (error) {
        failure = error;
      }
      const hasFired = fileSystem.fired > 0;
      fileSystem.arm(undefined);
      const seen = world.loops.read();
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
  it('what a turn that was cut short used up is counted, and no iteration is', async () => {
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

  it('an open question is remembered over restarts until the agent was told', async () => {
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
