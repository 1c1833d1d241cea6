import { mkdirSync, readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { question, questionWorld, treeOf } from '../../../test/support/question-world.js';
import { storageTools } from '../../../test/support/storage-tools.js';
import { verifies } from '../../../test/support/verifies.js';
import { AtomicWriteError } from '../../storage/index.js';
import type { AnswerInput } from './schema.js';

const SET = [question()];

const SQLITE: AnswerInput[] = [{ questionIndex: 0, selectedOption: 'SQLite' }];

describe('the lock of a set', () => {
  /** A record as the process with these facts would have left it. */
  function ownerRecord(overrides: object) {
    const { identity } = storageTools();
    return {
      version: 1,
      ...identity,
      token: 'a'.repeat(32),
      command: 'holdfast answer',
      since: '2026-03-01T11:00:00.000Z',
      ...overrides,
    };
  }

  verifies('Q11', 'of a process that is gone is taken over at once, whatever its age', async () => {
    await using world = await questionWorld();
    for (const facts of [{ startTime: '1' }, { bootId: 'another boot' }, { pid: 4_194_303 }]) {
      const { id } = await world.sessions.create(SET);
      world.write(id, 'session.lock.1', ownerRecord(facts));
      expect((await world.sessions.answer(id, SQLITE)).outcome.status).toBe('completed');
    }
    expect(world.clock.slept).toEqual([]);
  });

  verifies('Q11', 'of a process that may live is respected, and its owner shown', async () => {
    await using world = await questionWorld();
    for (const facts of [{}, { host: 'elsewhere' }, { pidNamespace: 'pid:[1]' }]) {
      const { id } = await world.sessions.create(SET);
      world.write(id, 'session.lock.1', ownerRecord(facts));
      await expect(world.sessions.answer(id, SQLITE)).rejects.toMatchObject({
        code: 'LOCKED',
        message: expect.stringContaining('(holdfast answer) since 2026-03-01T11:00:00.000Z'),
      });
      expect((await world.sessions.get(id)).outcome.status).toBe('pending');
    }
  });
});

describe('a write that fails', () => {
  for (const [call, file, step] of [
    ['link', 'answers.json', 'link'],
    ['rename', 'status.json', 'rename'],
  ] as const) {
    verifies('Q10', `says path, step and cause, and leaves no temporary file (${file})`, async () => {
      await using world = await questionWorld();
      const { id } = await world.sessions.create(SET);
      const { fileSystem } = world.tools;
      const failing = {
        ...fileSystem,
        [call](from: string, to: string) {
          if (to.endsWith(file)) throw Object.assign(new Error('ENOSPC: no space left'), { code: 'ENOSPC' });
          fileSystem[call](from, to);
        },
      };
      const error = await world
        .other({ fileSystem: failing })
        .sessions.answer(id, SQLITE)
        .catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(AtomicWriteError);
      expect(error).toMatchObject({
        code: 'ATOMIC_WRITE_FAILED',
        path: world.path(id, file),
        step,
        fault: 'full',
        cause: { code: 'ENOSPC' },
        hint: expect.stringContaining('Free some space'),
      });
      expect(readdirSync(world.path(id)).filter((name) => name.endsWith('.tmp'))).toEqual([]);
    });
  }
});

describe('documents of a newer Holdfast', () => {
  for (const file of ['request.json', 'status.json'] as const) {
    it(`are read, and nothing of the set is changed (${file})`, async () => {
      await using world = await questionWorld();
      const { id } = await world.sessions.create(SET);
      world.write(id, file, { ...world.read(id, file), version: 2 });
      const before = { ...treeOf(world.path(id)) };
      expect((await world.sessions.get(id)).outcome.status).toBe('pending');
      for (const act of [
        () => world.sessions.answer(id, SQLITE),
        () => world.sessions.reject(id, 'no'),
        () => world.sessions.cancel(id, 'no'),
        () => world.sessions.expire(id),
        () => world.sessions.noteAsker(id, 'gone'),
      ]) {
        await expect(act()).rejects.toMatchObject({ code: 'NEWER_VERSION' });
      }
      const after = Object.fromEntries(
        Object.entries(treeOf(world.path(id))).filter(([name]) => !name.includes('session.lock.')),
      );
      expect(after).toEqual(before);
    });
  }

  it('are delivered, again and again', async () => {
    await using world = await questionWorld();
    const { id } = await world.sessions.create(SET);
    await world.sessions.answer(id, SQLITE);
    world.write(id, 'status.json', { ...world.read(id, 'status.json'), version: 2 });
    for (let time = 0; time < 2; time++) {
      using delivery = await world.sessions.collect(id);
      expect(delivery).toMatchObject({ isNew: true, outcome: { status: 'completed' } });
      delivery.confirm();
    }
    expect(world.log.named('question.delivery-not-noted')).toHaveLength(2);
  });
});

describe('ids', () => {
  const HOSTILE: readonly unknown[] = [
    '',
    '..',
    '../x',
    '../../etc/passwd',
    '/etc/passwd',
    'a/b',
    'a\0b',
    '.',
    '.holdfast',
    '__proto__',
    'constructor',
    'con',
    '00000000-0000-1000-8000-000000000000',
    'aaaaaaaa-aaaa-4aaa-7aaa-aaaaaaaaaaaa',
    `aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa/..`,
    'aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa\n',
    ' aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa',
    'x'.repeat(4_096),
    'ａａａａａａａａ-aaaa-4aaa-8aaa-aaaaaaaaaaaa',
    null,
    undefined,
    5,
    {},
    [],
    ['aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa'],
    { toString: () => 'aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa' },
  ];
  for (const id of HOSTILE) {
    const shown = JSON.stringify(id)?.slice(0, 60) ?? 'undefined';
    verifies('Q16', `${shown} is refused before any path is built`, async () => {
      await using world = await questionWorld();
      await world.sessions.create(SET);
      const before = treeOf(world.dir.path);
      const touched: string[] = [];
      const spy = new Proxy(world.tools.fileSystem, {
        get:
          (target, name) =>
          (...parameters: unknown[]) => {
            touched.push(String(name));
            return (target[name as keyof typeof target] as (...all: unknown[]) => unknown)(...parameters);
          },
      });
      const { sessions, store } = world.other({ fileSystem: spy });
      touched.length = 0;
      const given = id as string;
      for (const act of [
        () => sessions.get(given),
        () => sessions.answer(given, SQLITE),
        () => sessions.reject(given),
        () => sessions.cancel(given, 'x'),
        () => sessions.expire(given),
        () => sessions.wait(given),
        () => sessions.collect(given),
        () => sessions.noteAsker(given, 'gone'),
        () => sessions.verify(given),
        async () => store.has(given),
        async () => store.lockPath(given),
        async () => store.confirm(given),
      ]) {
        await expect(act()).rejects.toMatchObject({ code: 'INVALID_SESSION_ID' });
      }
      expect(touched).toEqual([]);
      expect(treeOf(world.dir.path)).toEqual(before);
    });
  }

  verifies('Q16', 'the refusal shows the id as visible text of bounded length', async () => {
    await using world = await questionWorld();
    const error = await world.sessions
      .get(`\u001b[2J\n${'x'.repeat(4_096)}`)
      .catch((thrown: unknown) => thrown as Error);
    const { message } = error as Error;
    expect(message).toMatch(/^Invalid session id: \^\[\[2J\\nx+… is not a UUID v4$/);
    expect(message.length).toBeLessThan(130);
  });

  it('a prefix of 4 or more characters is enough where it is unambiguous', async () => {
    await using world = await questionWorld();
    const ids = ['abcd1111-aaaa-4aaa-8aaa-aaaaaaaaaaaa', 'abcd2222-aaaa-4aaa-8aaa-aaaaaaaaaaaa'];
    for (const id of ids) mkdirSync(world.path(id), { recursive: true, mode: 0o700 });
    const { sessions } = world;
    expect(sessions.resolve('abcd1')).toBe(ids[0]);
    expect(sessions.resolve('ABCD2222')).toBe(ids[1]);
    expect(sessions.resolve(ids[1] ?? '')).toBe(ids[1]);
    expect(sessions.resolve((ids[1] ?? '').toUpperCase())).toBe(ids[1]);
    expect(() => sessions.resolve('abcd')).toThrow(
      expect.objectContaining({ code: 'AMBIGUOUS_ID', candidates: ids }),
    );
    expect(() => sessions.resolve('abce')).toThrow(expect.objectContaining({ code: 'SESSION_NOT_FOUND' }));
    for (const bad of ['', 'abc', 'abcg', '....', 'abcd*', '../abcd', 'abcd\0', 'a'.repeat(37)]) {
      expect(() => sessions.resolve(bad)).toThrow(expect.objectContaining({ code: 'INVALID_SESSION_ID' }));
    }
  });
});
