import { mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { plant } from '../../../test/support/plant.js';
import { question, questionWorld } from '../../../test/support/question-world.js';
import { verifies } from '../../../test/support/verifies.js';
import { systemIds } from '../../foundation/index.js';
import type { AnswerInput } from './schema.js';

const SET = [question()];

const POSTGRES: AnswerInput[] = [{ questionIndex: 0, selectedOption: 'PostgreSQL' }];

const SQLITE: AnswerInput[] = [{ questionIndex: 0, selectedOption: 'SQLite' }];

describe('listing', () => {
  it('is oldest first', async () => {
    await using world = await questionWorld();
    const ids: string[] = [];
    for (let count = 0; count < 4; count++) {
      ids.push((await world.sessions.create(SET)).id);
      world.clock.advance(1);
    }
    expect((await world.sessions.list()).map((view) => view.id)).toEqual(ids);
  });

  it('goes on over everything that is half-made, damaged or not ours, and shows it', async () => {
    await using world = await questionWorld();
    const { id: whole } = await world.sessions.create(SET);
    const uuid = () => systemIds.uuid();
    const faults = new Map<string, string[]>();
    const half = uuid();
    mkdirSync(world.path(half), { mode: 0o700 });
    faults.set(half, ['request.json missing', 'status.json missing']);
    const noStatus = uuid();
    world.write(noStatus, 'request.json', { ...world.read(whole, 'request.json'), sessionId: noStatus });
    faults.set(noStatus, ['status.json missing']);
    const torn = (await world.sessions.create(SET)).id;
    world.write(torn, 'request.json', '{"sessionId":');
    faults.set(torn, ['request.json damaged']);
    const foreign = (await world.sessions.create(SET)).id;
    world.write(foreign, 'status.json', { ...world.read(foreign, 'status.json'), sessionId: whole });
    faults.set(foreign, ['status.json damaged']);
    const badAnswer = (await world.sessions.create(SET)).id;
    world.write(badAnswer, 'answers.json', '[]');
    faults.set(badAnswer, ['answers.json damaged']);
    for (const what of ['symbolic link', 'directory'] as const) {
      const id = (await world.sessions.create(SET)).id;
      rmSync(world.path(id, 'status.json'));
      plant(what, world.path(id, 'status.json'), world.dir.at(`victim of ${id}`));
      faults.set(id, ['status.json unsafe']);
    }
    // Not sets: neither listed nor in the way.
    writeFileSync(join(world.base, 'README'), 'x');
    writeFileSync(join(world.base, uuid()), 'x');
    symlinkSync(world.path(whole), join(world.base, uuid()));
    mkdirSync(join(world.base, 'AAAAAAAA-not-an-id'));
    const views = await world.sessions.list();
    const found = new Map(
      views
        .filter((view) => view.faults.length > 0)
        .map((view) => [view.id, view.faults.map((fault) => `${fault.file} ${fault.kind}`)]),
    );
    expect(Object.fromEntries(found)).toEqual(Object.fromEntries(faults));
    expect(views).toHaveLength(faults.size + 1);
    expect(world.log.named('question.unreadable')).toHaveLength(2);
  });

  it('an empty or missing directory has no sets', async () => {
    await using world = await questionWorld();
    expect(await world.sessions.list()).toEqual([]);
    expect(world.sessions.ids()).toEqual([]);
  });
});

describe('damage', () => {
  it('an answer that does not parse is set aside by the next change, and the set is pending again', async () => {
    await using world = await questionWorld();
    const { id } = await world.sessions.create(SET);
    await world.sessions.answer(id, SQLITE);
    world.write(id, 'answers.json', '{"sessionId":"');
    expect((await world.sessions.get(id)).outcome.status).toBe('pending');
    const view = await world.sessions.answer(id, POSTGRES);
    expect(view.outcome).toMatchObject({ status: 'completed', answers: [{ selectedOption: 'PostgreSQL' }] });
    expect(world.files(id)).toEqual([
      'answers.json',
      expect.stringMatching(/^answers\.json\.damaged-20260301T/),
      'request.json',
      'status.json',
    ]);
    expect(world.log.named('question.damaged-file-set-aside')).toHaveLength(1);
  });

  const UNFIT: readonly [string, unknown[]][] = [
    ['no entries', []],
    ['a label that is not there', [{ questionIndex: 0, selectedOption: 'MySQL' }]],
    ['an index that is not there', [{ questionIndex: 4, selectedOption: 'SQLite' }]],
    ['nothing in an entry', [{ questionIndex: 0 }]],
  ];
  for (const [what, answers] of UNFIT) {
    verifies(
      'Q21',
      `an unchecked answer by AUQ (${what}) is no answer: the set waits on, and the file is kept aside`,
      async () => {
        await using world = await questionWorld();
        const { id } = await world.sessions.create(SET);
        const timestamp = '2026-03-01T12:00:00.000Z';
        world.write(id, 'answers.json', {
          sessionId: id,
          answers: answers.map((answer) => ({ ...(answer as object), timestamp })),
          timestamp,
        });
        world.write(id, 'status.json', { ...world.read(id, 'status.json'), status: 'completed' });
        const view = await world.sessions.get(id);
        expect(view.outcome.status).toBe('pending');
        expect(view.faults).toMatchObject([{ file: 'answers.json', kind: 'damaged' }]);
        expect(await world.sessions.verify(id)).toHaveLength(1);
        await world.sessions.answer(id, SQLITE);
        expect(world.files(id)).toContainEqual(expect.stringMatching(/^answers\.json\.damaged-20260301T/));
      },
    );
  }

  it('a damaged status is set aside and made anew', async () => {
    await using world = await questionWorld();
    const { id } = await world.sessions.create(SET);
    world.write(id, 'status.json', '');
    await world.sessions.reject(id, 'no');
    expect(world.read(id, 'status.json')).toMatchObject({
      status: 'rejected',
      rejectionReason: 'no',
      totalQuestions: 1,
    });
    expect(world.files(id).filter((name) => name.startsWith('status.json.damaged-'))).toHaveLength(1);
  });

  it('a damaged request stays where it is: the set is abandoned with the reason', async () => {
    await using world = await questionWorld();
    const { id } = await world.sessions.create(SET);
    world.write(id, 'request.json', 'null');
    expect((await world.sessions.get(id)).outcome).toEqual({
      status: 'abandoned',
      reason: 'request.json no longer verifies',
    });
    await world.sessions.reject(id, 'no');
    expect(world.files(id)).toEqual(['request.json', 'status.json']);
  });

  it('a link in place of a file is refused by a change and not followed', async () => {
    await using world = await questionWorld();
    const { id } = await world.sessions.create(SET);
    rmSync(world.path(id, 'status.json'));
    plant('symbolic link', world.path(id, 'status.json'), world.dir.at('victim'));
    await expect(world.sessions.answer(id, SQLITE)).rejects.toMatchObject({ code: 'UNSAFE_PATH' });
    expect(world.files(id)).toEqual(['request.json', 'status.json']);
  });

  it('temporary files of a dead writer are gone after the next write', async () => {
    await using world = await questionWorld();
    const { id } = await world.sessions.create(SET);
    writeFileSync(world.path(id, `.status.json.${'a'.repeat(32)}.tmp`), '{');
    await world.sessions.answer(id, SQLITE);
    expect(readdirSync(world.path(id)).filter((name) => name.endsWith('.tmp'))).toEqual([]);
  });

  it('a key __proto__ is dropped and other unknown keys survive', async () => {
    await using world = await questionWorld();
    const { id } = await world.sessions.create(SET);
    const text = JSON.stringify({ ...world.read(id, 'status.json'), constructor: 'x' }).replace(
      '{',
      '{"__proto__":{"polluted":1},',
    );
    world.write(id, 'status.json', text);
    await world.sessions.reject(id, 'no');
    const status = world.read(id, 'status.json');
    expect(Object.hasOwn(status, '__proto__')).toBe(false);
    expect(status.constructor).toBe('x');
  });
});

describe('verifying', () => {
  verifies('Q15', 'a whole set has no faults, answered or not', async () => {
    await using world = await questionWorld();
    const { id } = await world.sessions.create(SET);
    expect(await world.sessions.verify(id)).toEqual([]);
    await world.sessions.answer(id, SQLITE);
    expect(await world.sessions.verify(id)).toEqual([]);
  });

  verifies('Q15', 'a missing directory is not found', async () => {
    await using world = await questionWorld();
    await expect(world.sessions.verify(systemIds.uuid())).rejects.toMatchObject({
      code: 'SESSION_NOT_FOUND',
    });
  });

  verifies('Q15', 'missing files are named', async () => {
    await using world = await questionWorld();
    const { id } = await world.sessions.create(SET);
    rmSync(world.path(id, 'request.json'));
    rmSync(world.path(id, 'status.json'));
    expect(await world.sessions.verify(id)).toEqual([
      'request.json: the file is missing',
      'status.json: the file is missing',
    ]);
  });

  verifies('Q15', 'ids that do not match are named', async () => {
    await using world = await questionWorld();
    const { id } = await world.sessions.create(SET);
    const other = (await world.sessions.create(SET)).id;
    world.write(id, 'status.json', world.read(other, 'status.json'));
    expect(await world.sessions.verify(id)).toEqual([`status.json: it belongs to session ${other}`]);
  });

  verifies('Q15', 'counts that do not match are named', async () => {
    await using world = await questionWorld();
    const { id } = await world.sessions.create(SET);
    world.write(id, 'status.json', { ...world.read(id, 'status.json'), totalQuestions: 3 });
    expect(await world.sessions.verify(id)).toEqual(['status.json counts 3 questions, request.json has 1']);
  });

  verifies(
    'Q15',
    'every fault is named: what does not parse, what is missing in it, answers that do not fit',
    async () => {
      await using world = await questionWorld();
      const { id } = await world.sessions.create(SET);
      world.write(id, 'request.json', { ...world.read(id, 'request.json'), timestamp: 'yesterday' });
      world.write(id, 'status.json', 'not json');
      world.write(id, 'answers.json', { sessionId: id });
      const faults = await world.sessions.verify(id);
      expect(faults).toHaveLength(3);
      expect(faults[0]).toMatch(/^request\.json: timestamp: /);
      expect(faults[1]).toBe('status.json: it is not JSON');
      expect(faults[2]).toMatch(/^answers\.json: answers: /);
    },
  );

  verifies('Q15', 'an odd thing in place of a file is a fault like any other', async () => {
    await using world = await questionWorld();
    const { id } = await world.sessions.create(SET);
    plant('symbolic link', world.path(id, 'answers.json'), world.dir.at('victim'));
    expect(await world.sessions.verify(id)).toEqual([
      expect.stringMatching(/^answers\.json: .*symbolic link/),
    ]);
  });
});
