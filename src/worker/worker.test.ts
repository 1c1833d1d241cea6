import { rmSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { FakeClock } from '../../test/support/fake-clock.js';
import { until } from '../../test/support/processes.js';
import { DONE, newEntry, PLAN_FILES } from '../../test/support/queue-entries.js';
import { storageTools } from '../../test/support/storage-tools.js';
import { tempDir } from '../../test/support/temp-dir.js';
import { silentLogger } from '../foundation/index.js';
import { ALWAYS, type EntryEnd, FileQueue, NO_LIMITS } from '../queue/index.js';
import { nextMoment } from '../queue/moments.js';
import type { QuestionSessions } from '../sessions/question/index.js';
import type { EntryRunner } from './entry-runner.js';
import { type WorkerEvent, type WorkerOptions, work } from './worker.js';

const NOBODY = { list: async () => [] } as unknown as QuestionSessions;
function timeZone(name: string): Disposable {
  const before = process.env.TZ;
  process.env.TZ = name;
  return {
    [Symbol.dispose]() {
      if (before === undefined) delete process.env.TZ;
      else process.env.TZ = before;
    },
  };
}

const RULES = { limits: NO_LIMITS, admission: ALWAYS, agentOf: () => 'claude' };

async function world(clock: FakeClock) {
  const dir = await tempDir();
  const queue = new FileQueue(storageTools({ clock }), `${dir.path}/queue`);
  const ran: string[] = [];
  const runner: EntryRunner = {
    async run({ entry }) {
      ran.push(entry.id);
      return DONE;
    },
  };
  const stopping = new AbortController();
  const start = (overrides: Partial<WorkerOptions> = {}) =>
    work({
      queue,
      runner,
      questions: NOBODY,
      clock,
      log: silentLogger,
      slots: 2,
      rules: RULES,
      isOnce: false,
      signal: stopping.signal,
      ...overrides,
    });
  return { dir, queue, ran, start, stop: () => stopping.abort() };
}

describe('a worker', () => {
  it('ends with --once when nothing more may run, and has run each entry once', async () => {
    const { dir, queue, ran, start } = await world(new FakeClock());
    await using _dir = dir;
    const first = await queue.add(newEntry(), PLAN_FILES);
    const second = await queue.add(newEntry({ after: [first.id] }), PLAN_FILES);
    expect(await start({ isOnce: true })).toEqual({ done: 2, failed: 0, left: 0 });
    expect(ran).toEqual([first.id, second.id]);
  });

  it('starts what was due while the machine slept for three hours, at its next look', async () => {
    const clock = new FakeClock({ now: '2026-03-01T20:00:00.000Z' });
    const { dir, queue, ran, start, stop } = await world(clock);
    await using _dir = dir;
    const { id } = await queue.add(newEntry({ notBefore: '2026-03-01T22:00:00.000Z' }), PLAN_FILES);
    const ended = start();
    await until(() => clock.slept.length > 0);
    // It never sleeps longer than half a minute, so a clock that jumps is noticed soon.
    expect(Math.max(...clock.slept)).toBeLessThanOrEqual(30_000);
    expect(ran).toEqual([]);
    clock.advance(3 * 60 * 60_000);
    await until(() => ran.length === 1);
    stop();
    expect(await ended).toMatchObject({ done: 1 });
    expect(ran).toEqual([id]);
  });

  it.each([
    [
      'an hour is left out',
      '2026-03-28T20:00:00.000Z',
      '2026-03-29T01:30:00.000Z',
      '2026-03-29T05:00:00.000Z',
    ],
    [
      'an hour comes twice',
      '2026-10-24T20:00:00.000Z',
      '2026-10-25T00:30:00.000Z',
      '2026-10-25T06:00:00.000Z',
    ],
  ])(
    'lives through a night in which %s: each entry once, when the wall says so',
    async (_, evening, ...moments) => {
      using _zone = timeZone('Europe/Berlin');
      const clock = new FakeClock({ now: evening });
      const { dir, queue, ran, start, stop } = await world(clock);
      await using _dir = dir;
      const entries: string[] = [];
      for (const [index, typed] of ['02:30', '07:00'].entries()) {
        const notBefore = nextMoment(typed, clock.now()).toISOString();
        expect(notBefore).toBe(moments[index]);
        entries.push((await queue.add(newEntry({ notBefore }), PLAN_FILES)).id);
      }
      const ended = start();
      const passTo = async (moment: string, count: number) => {
        // Half a minute at a time, as a worker sleeps.
        while (clock.now().getTime() < Date.parse(moment)) {
          expect(ran).toHaveLength(count);
          const looks = clock.slept.length;
          clock.advance(30_000);
          await until(() => clock.slept.length > looks || ran.length > count);
        }
        await until(() => ran.length === count + 1);
      };
      await passTo(moments[0] ?? '', 0);
      await passTo(moments[1] ?? '', 1);
      stop();
      expect(await ended).toMatchObject({ done: 2 });
      expect(ran).toEqual(entries);
    },
  );

  it('takes nothing after --until', async () => {
    const clock = new FakeClock({ now: '2026-03-01T07:00:00.000Z' });
    const { dir, queue, ran, start } = await world(clock);
    await using _dir = dir;
    await queue.add(newEntry(), PLAN_FILES);
    expect(await start({ until: clock.now() })).toEqual({ done: 0, failed: 0, left: 0 });
    expect(ran).toEqual([]);
  });

  it('with --until alone takes what comes until then, and ends once what is still running is done', async () => {
    const clock = new FakeClock({ now: '2026-03-01T06:59:00.000Z' });
    const { dir, queue, ran, start } = await world(clock);
    await using _dir = dir;
    const untilMoment = new Date('2026-03-01T07:00:00.000Z');
    let finish = (_end: EntryEnd) => {};
    const runner: EntryRunner = {
      run({ entry }) {
        ran.push(entry.id);
        return new Promise((resolve) => {
          finish = resolve;
        });
      },
    };
    const ended = start({ runner, until: untilMoment, slots: 1 });
    await until(() => clock.slept.length > 0);
    const early = await queue.add(newEntry(), PLAN_FILES);
    const late = await queue.add(newEntry(), PLAN_FILES);
    await until(() => ran.length === 1);
    clock.advance(61_000);
    finish(DONE);
    expect(await ended).toEqual({ done: 1, failed: 0, left: 0 });
    expect(ran).toEqual([early.id]);
    expect(queue.get(late.id)?.status).toBe('queued');
  });

  it('lets go of what runs when it is stopped, and leaves the entry to the next one', async () => {
    const { dir, queue, start, stop } = await world(new FakeClock());
    await using _dir = dir;
    const { id } = await queue.add(newEntry(), PLAN_FILES);
    const runner: EntryRunner = {
      run: (_, signal) =>
        new Promise((resolve) => signal.addEventListener('abort', () => resolve(undefined), { once: true })),
    };
    const ended = start({ runner });
    await until(() => queue.get(id)?.status === 'running');
    stop();
    expect(await ended).toEqual({ done: 0, failed: 0, left: 1 });
    expect(await queue.take({ ...RULES, own: new Set() })).toMatchObject({ isTakenOver: true });
  });

  it('leaves what it runs before it fails because its queue cannot be read', async () => {
    const { dir, queue, start } = await world(new FakeClock());
    await using _dir = dir;
    const { id } = await queue.add(newEntry(), PLAN_FILES);
    const runner: EntryRunner = {
      run: (_, signal) =>
        new Promise((resolve) => signal.addEventListener('abort', () => resolve(undefined), { once: true })),
    };
    const left: string[] = [];
    const onEvent = (event: WorkerEvent) => void (event.type === 'left' && left.push(event.entry.id));
    const ended = start({ runner, onEvent });
    await until(() => queue.get(id)?.status === 'running');
    const path = dir.at('queue', 'queue.json');
    writeFileSync(path, '{', { mode: 0o600 });
    await expect(ended).rejects.toMatchObject({ code: 'DOCUMENT_DAMAGED' });
    expect(left).toEqual([id]);
    rmSync(path);
    expect(await queue.take({ ...RULES, own: new Set() })).toMatchObject({ isTakenOver: true });
  });

  it('fails with the first error if an entry can neither be ended nor left, and leaves the others', async () => {
    const { dir, queue, start } = await world(new FakeClock());
    await using _dir = dir;
    const bad = await queue.add(newEntry(), PLAN_FILES);
    const other = await queue.add(newEntry(), PLAN_FILES);
    const runner: EntryRunner = {
      async run({ entry }, signal) {
        if (entry.id === bad.id) throw new Error('a defect');
        await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
        return undefined;
      },
    };
    const left: string[] = [];
    const onEvent = (event: WorkerEvent) => {
      if (event.type !== 'left') return;
      left.push(event.entry.id);
      if (event.entry.id === bad.id) throw new Error('nobody listens');
    };
    await expect(start({ runner, onEvent })).rejects.toThrow('nobody listens');
    expect(left).toEqual([bad.id, other.id]);
  });

  it('continues with the others if one cannot be brought to its end', async () => {
    const { dir, queue, start } = await world(new FakeClock());
    await using _dir = dir;
    const bad = await queue.add(newEntry(), PLAN_FILES);
    const good = await queue.add(newEntry(), PLAN_FILES);
    const runner: EntryRunner = {
      async run({ entry }) {
        if (entry.id === bad.id) throw new Error('a defect');
        return DONE;
      },
    };
    expect(await start({ runner, isOnce: true })).toEqual({ done: 1, failed: 0, left: 1 });
    expect(queue.get(good.id)?.status).toBe('done');
  });
});
