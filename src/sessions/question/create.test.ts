import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { withUmask } from '../../../test/support/plant.js';
import { firstOptions, question, questionWorld } from '../../../test/support/question-world.js';
import { verifies } from '../../../test/support/verifies.js';
import { isUuidV4, systemIds } from '../../foundation/index.js';
import { nodeFileSystem } from '../../storage/index.js';
import type { QuestionInput } from './schema.js';

function modeOf(path: string): string {
  return (lstatSync(path).mode & 0o7777).toString(8);
}

describe('creating a set', () => {
  verifies('Q01', 'the id is a UUID v4, names the directory and is returned', async () => {
    await using world = await questionWorld();
    const { id } = await world.sessions.create([question()]);
    expect(isUuidV4(id)).toBe(true);
    expect(world.store.ids()).toEqual([id]);
    expect(world.files(id)).toEqual(['request.json', 'status.json']);
  });

  verifies('Q01', 'request.json holds exactly what is specified', async () => {
    await using world = await questionWorld();
    const { id } = await world.sessions.create([question()], { callId: 'call-1' });
    expect(world.read(id, 'request.json')).toEqual({
      sessionId: id,
      questions: [question()],
      status: 'pending',
      timestamp: '2026-03-01T12:00:00.000Z',
      callId: 'call-1',
      version: 1,
    });
  });

  verifies('Q01', 'status.json holds exactly what is specified', async () => {
    await using world = await questionWorld();
    const { id } = await world.sessions.create([question(), question()], { callId: 'call-1' });
    expect(world.read(id, 'status.json')).toEqual({
      sessionId: id,
      status: 'pending',
      createdAt: '2026-03-01T12:00:00.000Z',
      lastModified: '2026-03-01T12:00:00.000Z',
      totalQuestions: 2,
      callId: 'call-1',
      rejectionReason: null,
      version: 1,
    });
  });

  verifies('Q01', 'without a call id neither file has the key', async () => {
    await using world = await questionWorld();
    const { id } = await world.sessions.create([question()]);
    expect(world.read(id, 'request.json')).not.toHaveProperty('callId');
    expect(world.read(id, 'status.json')).not.toHaveProperty('callId');
  });

  verifies('Q01', 'a question keeps prompt, title, options with descriptions, and multiSelect', async () => {
    await using world = await questionWorld();
    const asked: QuestionInput = {
      prompt: '# Markdown\n\nand *more*',
      title: 'T',
      options: [{ label: 'A', description: 'd' }, { label: 'B' }],
      multiSelect: true,
    };
    const { multiSelect: _, ...single } = asked;
    const { id } = await world.sessions.create([asked, single]);
    expect(world.read(id, 'request.json').questions).toEqual([asked, { ...single, multiSelect: false }]);
  });

  verifies('Q01', 'files are as AUQ writes them: two spaces, no final line break', async () => {
    await using world = await questionWorld();
    const { id } = await world.sessions.create([question()]);
    const text = readFileSync(world.path(id, 'request.json'), 'utf8');
    expect(text).toBe(JSON.stringify(JSON.parse(text), null, 2));
  });

  for (const umask of [0o000, 0o022, 0o077, 0o277]) {
    verifies('Q01', `directory 0700 and files 0600 under umask ${umask.toString(8).padStart(3, '0')}`, () =>
      withUmask(umask, async () => {
        await using world = await questionWorld();
        const { id } = await world.sessions.create([question()]);
        await world.sessions.answer(id, firstOptions([question()]));
        expect(modeOf(world.base)).toBe('700');
        expect(modeOf(world.path(id))).toBe('700');
        for (const file of ['request.json', 'status.json', 'answers.json']) {
          expect(`${file} ${modeOf(world.path(id, file))}`).toBe(`${file} 600`);
        }
      }),
    );
  }

  verifies('Q01', 'the directory becomes visible only when it is complete', async () => {
    const seen: string[][] = [];
    const watching = {
      ...nodeFileSystem,
      rename(from: string, to: string) {
        // Just before the rename nothing is there; what then appears is whole.
        seen.push(world.store.ids());
        nodeFileSystem.rename(from, to);
        for (const id of world.store.ids()) seen.push(readdirSync(world.path(id)).sort());
      },
    };
    await using world = await questionWorld({ fileSystem: watching });
    await world.sessions.create([question()]);
    expect(seen).toEqual([[], ['request.json', 'status.json']]);
  });

  it('two sets of the same questions are two sets', async () => {
    await using world = await questionWorld();
    const [first, second] = [
      await world.sessions.create([question()]),
      await world.sessions.create([question()]),
    ];
    expect(first.id).not.toBe(second.id);
    expect(world.store.ids()).toHaveLength(2);
  });

  verifies('Q03', 'a bad set leaves nothing behind', async () => {
    await using world = await questionWorld();
    await expect(world.sessions.create([question({ prompt: '' })])).rejects.toMatchObject({
      code: 'INVALID_INPUT',
      place: 'questions[0].prompt',
    });
    expect(world.store.ids()).toEqual([]);
  });

  const NOT_A_SET: readonly [string, unknown, string][] = [
    ['no array', 'Go?', 'questions'],
    ['null', null, 'questions'],
    ['a question that is a string', ['Go?'], 'questions[0]'],
    ['a prompt that is a number', [{ ...question(), prompt: 5 }], 'questions[0].prompt'],
    ['a missing title', [{ prompt: 'Go?', options: question().options }], 'questions[0].title'],
    ['options that are no list', [{ ...question(), options: { a: 1 } }], 'questions[0].options'],
    [
      'a label that is a number',
      [{ ...question(), options: [{ label: 1 }, { label: 'B' }] }],
      'questions[0].options[0].label',
    ],
    [
      'a description that is a list',
      [{ ...question(), options: [{ label: 'A', description: [] }, { label: 'B' }] }],
      'questions[0].options[0].description',
    ],
    ['multiSelect as a word', [{ ...question(), multiSelect: 'yes' }], 'questions[0].multiSelect'],
    ['a key that nobody knows', [{ ...question(), kind: 'x' }], 'questions[0]'],
  ];
  for (const [what, questions, place] of NOT_A_SET) {
    verifies('Q03', `a set of the wrong shape from a program: ${what} is refused at its place`, async () => {
      await using world = await questionWorld();
      await expect(world.sessions.create(questions as QuestionInput[])).rejects.toMatchObject({
        code: 'INVALID_INPUT',
        place,
      });
      expect(world.store.ids()).toEqual([]);
    });
  }

  it.each([
    ['callId', { callId: 5 }],
    ['timeoutMs', { timeoutMs: '10' }],
    ['timeoutMs', { timeoutMs: Number.NaN }],
    ['timeoutMs', { timeoutMs: Number.POSITIVE_INFINITY }],
    ['timeoutMs', { timeoutMs: 1e300 }],
    ['timeoutMs', { timeoutMs: -1 }],
    ['workingDirectory', { workingDirectory: {} }],
    ['asker.agent', { asker: { agent: 1 } }],
    ['requestId', { requestId: [] }],
    ['requestId', { requestId: '' }],
    ['requestId', { requestId: 'x'.repeat(257) }],
  ])('an option of the wrong type (%s: %j) is refused, not written', async (place, options) => {
    await using world = await questionWorld();
    await expect(world.sessions.create([question()], options as never)).rejects.toMatchObject({
      code: 'INVALID_INPUT',
      place,
    });
    expect(world.store.ids()).toEqual([]);
  });
});

describe('asking again with the same request id', () => {
  it('finds the same set', async () => {
    await using world = await questionWorld();
    const options = { requestId: 'r1', asker: { agent: 'claude' }, workingDirectory: '/p' };
    const first = await world.sessions.create([question()], options);
    const second = await world.other().sessions.create([question()], options);
    expect(second).toEqual(first);
    expect(world.store.ids()).toEqual([first.id]);
    expect(isUuidV4(first.id)).toBe(true);
  });

  it("finds it whatever the order of a question's keys", async () => {
    await using world = await questionWorld();
    const asked = {
      multiSelect: false,
      options: [{ description: 'd', label: 'A' }, { label: 'B' }],
      title: 'T',
      prompt: 'P',
    };
    const again = { prompt: 'P', title: 'T', options: [{ label: 'A', description: 'd' }, { label: 'B' }] };
    const first = await world.sessions.create([asked], { requestId: 'r1' });
    expect((await world.sessions.create([asked], { requestId: 'r1' })).id).toBe(first.id);
    expect((await world.sessions.create([again], { requestId: 'r1' })).id).toBe(first.id);
  });

  it('finds it with its answer', async () => {
    await using world = await questionWorld();
    const first = await world.sessions.create([question()], { requestId: 'r1' });
    await world.sessions.answer(first.id, firstOptions([question()]));
    const again = await world.sessions.create([question()], { requestId: 'r1' });
    expect(again.outcome).toMatchObject({ status: 'completed' });
  });

  it('makes another set for another agent or in another project', async () => {
    await using world = await questionWorld();
    const ids = [
      await world.sessions.create([question()], { requestId: 'r1' }),
      await world.sessions.create([question()], { requestId: 'r1', asker: { agent: 'codex' } }),
      await world.sessions.create([question()], { requestId: 'r1', workingDirectory: '/p' }),
      await world.sessions.create([question()], { requestId: 'r2' }),
    ].map((view) => view.id);
    expect(new Set(ids).size).toBe(4);
  });

  it('is refused for other questions', async () => {
    await using world = await questionWorld();
    const { id } = await world.sessions.create([question()], { requestId: 'r1' });
    await expect(
      world.sessions.create([question({ prompt: 'Other?' })], { requestId: 'r1' }),
    ).rejects.toMatchObject({
      code: 'REQUEST_ID_REUSED',
      message: expect.stringContaining(id),
    });
  });
});

describe('the limit of pending sets', () => {
  verifies('Q17', 'one more than the limit is refused with a clear error', async () => {
    await using world = await questionWorld({ maxSessions: 2 });
    await world.sessions.create([question()]);
    await world.sessions.create([question()]);
    await expect(world.sessions.create([question()])).rejects.toMatchObject({
      code: 'TOO_MANY_SESSIONS',
      message: '2 question sets are pending already, which is the limit',
      hint: expect.stringContaining('question.maxSessions'),
    });
    expect(world.store.ids()).toHaveLength(2);
  });

  verifies('Q17', 'only pending sets count', async () => {
    await using world = await questionWorld({ maxSessions: 1 });
    const settle: ((id: string) => Promise<unknown>)[] = [
      (id) => world.sessions.answer(id, firstOptions([question()])),
      (id) => world.sessions.reject(id),
      (id) => world.sessions.cancel(id, 'x'),
      (id) => world.sessions.expire(id),
    ];
    for (const act of settle) {
      const { id } = await world.sessions.create([question()]);
      await act(id);
    }
    await world.sessions.create([question()], { timeoutMs: 1_000 });
    world.clock.advance(1_000);
    await world.sessions.create([question()]);
    expect(world.store.ids()).toHaveLength(6);
  });

  verifies('Q17', 'asking again with a request id needs no room', async () => {
    await using world = await questionWorld({ maxSessions: 1 });
    const { id } = await world.sessions.create([question()], { requestId: 'r1' });
    expect((await world.sessions.create([question()], { requestId: 'r1' })).id).toBe(id);
  });

  verifies('Q17', 'unreadable sets neither count nor get in the way', async () => {
    await using world = await questionWorld({ maxSessions: 3 });
    const { id } = await world.sessions.create([question()]);
    writeFileSync(join(world.base, systemIds.uuid()), 'a file');
    symlinkSync('/nowhere', join(world.base, systemIds.uuid()));
    mkdirSync(join(world.base, systemIds.uuid()));
    const linked = world.path(systemIds.uuid());
    mkdirSync(linked, { mode: 0o700 });
    symlinkSync(world.path(id, 'request.json'), join(linked, 'request.json'));
    await world.sessions.create([question()]);
    await world.sessions.create([question()]);
    await expect(world.sessions.create([question()])).rejects.toMatchObject({ code: 'TOO_MANY_SESSIONS' });
  });
});

describe('leftovers of a dead creator', () => {
  it('are swept by the next creator and were never a set', async () => {
    await using world = await questionWorld();
    await world.sessions.create([question()]);
    const staged = join(world.base, '.holdfast', `${systemIds.uuid()}.staged`);
    mkdirSync(staged, { mode: 0o700 });
    writeFileSync(join(staged, 'request.json'), '{}');
    expect(world.store.ids()).toHaveLength(1);
    await world.sessions.create([question()]);
    expect(readdirSync(join(world.base, '.holdfast')).filter((name) => name.endsWith('.staged'))).toEqual([]);
  });

  it('a base directory that others may write to is refused', async () => {
    await using world = await questionWorld();
    await world.sessions.create([question()]);
    chmodSync(join(world.base, '.holdfast'), 0o777);
    await expect(world.sessions.create([question()])).rejects.toMatchObject({ code: 'UNSAFE_PATH' });
  });
});
