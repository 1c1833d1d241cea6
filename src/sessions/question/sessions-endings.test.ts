import { describe, expect, it } from 'vitest';
import { DAY_MS, type QuestionWorld, question, questionWorld } from '../../../test/support/question-world.js';
import { verifies } from '../../../test/support/verifies.js';
import { systemIds } from '../../foundation/index.js';
import { permissionAsker } from './permission.js';
import type { AnswerInput } from './schema.js';

const SET = [question()];

const SQLITE: AnswerInput[] = [{ questionIndex: 0, selectedOption: 'SQLite' }];

describe('rejecting', () => {
  verifies('Q07', 'the reason is recorded word for word', async () => {
    await using world = await questionWorld();
    const { id } = await world.sessions.create(SET);
    world.clock.advance(1_000);
    const view = await world.sessions.reject(id, 'ask me\ntomorrow \u001b[2J');
    expect(view.outcome).toEqual({
      status: 'rejected',
      reason: 'ask me\ntomorrow \u001b[2J',
      at: '2026-03-01T12:00:01.000Z',
      late: false,
    });
    expect(world.read(id, 'status.json')).toMatchObject({
      status: 'rejected',
      rejectionReason: 'ask me\ntomorrow \u001b[2J',
      lastModified: '2026-03-01T12:00:01.000Z',
    });
    expect(world.files(id)).toEqual(['request.json', 'status.json']);
  });

  verifies('Q07', 'without a reason it is null', async () => {
    await using world = await questionWorld();
    const { id } = await world.sessions.create(SET);
    await world.sessions.reject(id);
    expect(world.read(id, 'status.json')).toMatchObject({ status: 'rejected', rejectionReason: null });
  });

  verifies('Q07', 'the same rejection again is the same reply, another reason is refused', async () => {
    await using world = await questionWorld();
    const { id } = await world.sessions.create(SET);
    const first = await world.sessions.reject(id, 'no');
    world.clock.advance(1_000);
    expect(await world.sessions.reject(id, 'no')).toEqual(first);
    await expect(world.sessions.reject(id, 'never')).rejects.toMatchObject({ code: 'ALREADY_SETTLED' });
    await expect(world.sessions.reject(id)).rejects.toMatchObject({ code: 'ALREADY_SETTLED' });
  });

  it.each([[5], [{}], [['no']], [true]])(
    'a reason that is no text (%j) is refused, not written',
    async (reason) => {
      await using world = await questionWorld();
      const { id } = await world.sessions.create(SET);
      await expect(world.sessions.reject(id, reason as unknown as string)).rejects.toMatchObject({
        code: 'INVALID_INPUT',
      });
      await expect(world.sessions.cancel(id, reason as unknown as string)).rejects.toMatchObject({
        code: 'INVALID_INPUT',
      });
      expect((await world.sessions.get(id)).outcome.status).toBe('pending');
    },
  );

  it('a set that is not there is not found', async () => {
    await using world = await questionWorld();
    await expect(world.sessions.reject(systemIds.uuid())).rejects.toMatchObject({
      code: 'SESSION_NOT_FOUND',
    });
  });
});

describe('withdrawing', () => {
  verifies('Q04', 'a withdrawn set is abandoned with its reason', async () => {
    await using world = await questionWorld();
    const { id } = await world.sessions.create(SET);
    expect((await world.sessions.cancel(id, 'decided')).outcome).toEqual({
      status: 'abandoned',
      reason: 'decided',
    });
    expect(world.read(id, 'status.json')).toMatchObject({ status: 'abandoned', abandonedReason: 'decided' });
    expect((await world.sessions.cancel(id, 'again')).outcome).toEqual({
      status: 'abandoned',
      reason: 'decided',
    });
  });

  verifies('Q04', 'a set that timed out can still be withdrawn; a settled one cannot', async () => {
    await using world = await questionWorld();
    const late = await world.sessions.create(SET);
    await world.sessions.expire(late.id);
    expect((await world.sessions.cancel(late.id, 'x')).outcome.status).toBe('abandoned');
    const done = await world.sessions.create(SET);
    await world.sessions.answer(done.id, SQLITE);
    await expect(world.sessions.cancel(done.id, 'x')).rejects.toMatchObject({ code: 'ALREADY_SETTLED' });
  });
});

describe('running out of time', () => {
  verifies('Q09', 'without a timeout a set stays pending for ever', async () => {
    await using world = await questionWorld({ timeoutMs: 0 });
    const { id } = await world.sessions.create(SET);
    expect(world.read(id, 'request.json')).not.toHaveProperty('expiresAt');
    world.clock.advance(10_000 * DAY_MS);
    expect((await world.sessions.get(id)).outcome.status).toBe('pending');
  });

  verifies(
    'Q09',
    'the configured timeout is stored and applied by any reader, at its instant and not before',
    async () => {
      await using world = await questionWorld({ timeoutMs: 60_000 });
      const { id } = await world.sessions.create(SET);
      expect(world.read(id, 'request.json').expiresAt).toBe('2026-03-01T12:01:00.000Z');
      world.clock.advance(59_999);
      expect((await world.other().sessions.get(id)).outcome.status).toBe('pending');
      world.clock.advance(1);
      expect((await world.other().sessions.get(id)).outcome).toEqual({
        status: 'timed_out',
        at: '2026-03-01T12:01:00.000Z',
      });
      expect((await world.other().sessions.list())[0]?.outcome.status).toBe('timed_out');
    },
  );

  verifies('Q09', 'a timeout of the call overrides the configured one, 0 means none', async () => {
    await using world = await questionWorld({ timeoutMs: 60_000 });
    const short = await world.sessions.create(SET, { timeoutMs: 1_000 });
    const never = await world.sessions.create(SET, { timeoutMs: 0 });
    expect([short.expiresAt, never.expiresAt]).toEqual(['2026-03-01T12:00:01.000Z', null]);
  });

  verifies('Q09', 'expiring writes it down once, and never over an outcome', async () => {
    await using world = await questionWorld();
    const { id } = await world.sessions.create(SET);
    expect(await world.sessions.expire(id)).toMatchObject({ status: 'timed_out' });
    expect(world.read(id, 'status.json').status).toBe('timed_out');
    await world.sessions.answer(id, SQLITE);
    expect(await world.sessions.expire(id)).toMatchObject({ status: 'completed' });
    expect(world.read(id, 'status.json').status).toBe('completed');
  });
});

describe('the asker', () => {
  it('who waits is written down, and is not gone while this process lives', async () => {
    await using world = await questionWorld();
    const { id } = await world.sessions.create(SET, { isWaiting: true });
    expect(world.read(id, 'status.json').askerProcess).toMatchObject({ pid: process.pid });
    expect((await world.sessions.get(id)).isAskerGone).toBe(false);
    const nobody = await world.sessions.create(SET);
    expect(nobody.isAskerGone).toBeNull();
  });

  it('who is dead is gone, who says so is gone, who comes back is not', async () => {
    await using world = await questionWorld();
    const { id } = await world.sessions.create(SET, { isWaiting: true });
    const status = world.read(id, 'status.json');
    world.write(id, 'status.json', {
      ...status,
      askerProcess: { ...(status.askerProcess as object), startTime: '1' },
    });
    expect((await world.sessions.get(id)).isAskerGone).toBe(true);
    await world.sessions.noteAsker(id, 'waiting');
    expect((await world.sessions.get(id)).isAskerGone).toBe(false);
    await world.sessions.noteAsker(id, 'gone');
    expect((await world.sessions.get(id)).isAskerGone).toBe(true);
    expect((await world.sessions.get(id)).outcome.status).toBe('pending');
    await world.sessions.noteAsker(id, 'waiting');
    expect((await world.sessions.get(id)).isAskerGone).toBe(false);
  });

  it('of a settled set is not noted any more', async () => {
    await using world = await questionWorld();
    const { id } = await world.sessions.create(SET);
    await world.sessions.answer(id, SQLITE);
    const status = world.read(id, 'status.json');
    await world.sessions.noteAsker(id, 'gone');
    expect(world.read(id, 'status.json')).toEqual(status);
  });
});

describe('a permission', () => {
  const asker = permissionAsker({ agent: 'claude', session: 'run-1' });
  const allow = [{ questionIndex: 0, selectedOption: 'Allow once' }];
  const card = question({ title: 'Permission', options: [{ label: 'Allow once' }, { label: 'Deny' }] });

  async function ofDeadAsker(world: QuestionWorld): Promise<string> {
    const { id } = await world.sessions.create([card], { asker, isWaiting: true });
    const status = world.read(id, 'status.json');
    world.write(id, 'status.json', {
      ...status,
      // The same pid as ours, but another process: it started at another time.
      askerProcess: { ...(status.askerProcess as object), startTime: '1' },
    });
    return id;
  }

  it('whose asker is gone takes no answer, and is withdrawn', async () => {
    await using world = await questionWorld();
    const id = await ofDeadAsker(world);
    await expect(world.sessions.answer(id, allow)).rejects.toMatchObject({
      code: 'ASKER_GONE',
      message: expect.stringContaining('the run or chat that asked is gone. Nothing was allowed'),
    });
    expect((await world.sessions.get(id)).outcome).toMatchObject({ status: 'abandoned' });
    await expect(world.sessions.answer(id, allow)).rejects.toMatchObject({ code: 'ASKER_GONE' });
  });

  it('whose asker is gone is withdrawn by whoever lists for a person; a question stays', async () => {
    await using world = await questionWorld();
    const id = await ofDeadAsker(world);
    const { id: other } = await world.sessions.create([question()]);
    const views = await world.sessions.listLive();
    expect(views.map((view) => [view.id, view.outcome.status]).sort()).toEqual(
      [
        [id, 'abandoned'],
        [other, 'pending'],
      ].sort(),
    );
  });

  it('that was withdrawn takes no late answer, as a question does', async () => {
    await using world = await questionWorld();
    const { id } = await world.sessions.create([card], { asker, isWaiting: true });
    await world.sessions.cancel(id, 'the turn is over');
    await expect(world.sessions.answer(id, allow)).rejects.toMatchObject({ code: 'ASKER_GONE' });
  });

  it('may be longer than a question', async () => {
    await using world = await questionWorld();
    const prompt = 'x'.repeat(300_000);
    await expect(world.sessions.create([{ ...card, prompt }])).rejects.toMatchObject({
      code: 'INVALID_INPUT',
    });
    const { id } = await world.sessions.create([{ ...card, prompt }], { asker });
    expect((await world.sessions.get(id)).questions[0]?.prompt).toBe(prompt);
  });
});
