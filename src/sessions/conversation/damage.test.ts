import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  type ConversationWorld,
  conversationWorld,
  publishedFile,
} from '../../../test/support/conversation-world.js';
import { deadIdentity } from '../../../test/support/processes.js';
import { verifies } from '../../../test/support/verifies.js';
import { type FileSystem, nodeFileSystem } from '../../storage/index.js';
import type { ConversationSessions } from './sessions.js';

const TEXTS = ['one', 'two', 'three', 'four', 'five'];

/** A conversation of five turns; its lines including LF: the metadata, then the turns, then the status. */
async function fiveTurns(world: ConversationWorld): Promise<Buffer[]> {
  using conversation = await world.sessions.create({ id: 'mine', agent: 'qa-test' });
  for (const text of TEXTS) conversation.addUserTurn(text);
  conversation.setStatus('completed');
  return readFileSync(world.path('mine'), 'utf8')
    .split('\n')
    .slice(0, -1)
    .map((line) => Buffer.from(`${line}\n`));
}

const contents = (world: ConversationWorld) => world.sessions.get('mine').turns.map(({ content }) => content);

/** Writes lines in this order; a string is written as it is. */
function write(world: ConversationWorld, parts: readonly (Buffer | string | undefined)[]): Buffer {
  const bytes = Buffer.concat(parts.map((part) => Buffer.from(part ?? '')));
  writeFileSync(world.path('mine'), bytes);
  return bytes;
}

describe('a damaged conversation', () => {
  verifies('C09', 'is reported with line, offset and what is wrong', async () => {
    await using world = await conversationWorld();
    const [metadata = Buffer.alloc(0), ...rest] = await fiveTurns(world);
    write(world, [
      metadata,
      '{"type": "turn", "role"\n',
      '{"type":"turn","role":"nobody","content":"x"}\n',
      ...rest,
    ]);
    const damage = [
      { reason: 'not-json', line: 2, offset: metadata.length, length: 23, detail: 'not a JSON record' },
      {
        reason: 'record',
        line: 3,
        offset: metadata.length + 24,
        length: 45,
        detail: 'a turn with an unknown role',
      },
    ];
    expect(world.sessions.get('mine').damage).toEqual(damage);
    expect(world.sessions.verify('mine')).toMatchObject({ isOk: false, damage });
  });

  const TIME = '"timestamp":"2026-03-01T12:00:00.000Z"';
  it.each([
    ['names its content twice', `"content":"six",${TIME},"tokens":1,"role":"user","content":"dfe6"`],
    ['has a word for its tokens', `"content":"six",${TIME},"tokens":"turn"`],
  ])('invents no turn of a line without a checksum that %s', async (_what, keys) => {
    await using world = await conversationWorld();
    write(world, [...(await fiveTurns(world)), `{"type":"turn","role":"user",${keys}}\n`]);
    expect(contents(world)).toEqual(TEXTS);
    expect(world.sessions.get('mine').damage).toHaveLength(1);
  });

  it.each<[string, (sessions: ConversationSessions) => boolean]>([
    ['read', (sessions) => sessions.get('mine').damage.length > 0],
    ['read from its end', (sessions) => sessions.readLast('mine', 2).damage.length > 0],
    ['verified', (sessions) => !sessions.verify('mine').isOk],
    ['listed', (sessions) => sessions.list()[0]?.isDamaged !== false],
  ])('is none when its owner wrote the rest and left while it was %s', async (_how, isDamaged) => {
    await using world = await conversationWorld();
    const whole = Buffer.concat(await fiveTurns(world));
    const half = whole.subarray(0, -20);
    // Simulates a reader that sleeps between reading the file and looking up its owner.
    const fileSystem: FileSystem = {
      ...nodeFileSystem,
      list(path) {
        if (path.includes('mine')) write(world, [whole]);
        return nodeFileSystem.list(path);
      },
    };
    write(world, [half]);
    expect(isDamaged(world.other({ fileSystem }))).toBe(false);
    // If nothing writes the rest, the record is damaged.
    write(world, [half]);
    expect(isDamaged(world.sessions)).toBe(true);
  });

  verifies('C10', 'gives every intact turn, is listed and marked, and can be continued', async () => {
    await using world = await conversationWorld();
    const lines = await fiveTurns(world);
    write(world, [lines[0], lines[1], lines[2], 'gar\0bage\n', lines[4], lines[5], lines[6], 'rubbish\n']);
    expect(contents(world)).toEqual(['one', 'two', 'four', 'five']);
    expect(world.sessions.list()).toMatchObject([{ id: 'mine', turnCount: 5, isDamaged: true }]);
    using conversation = await world.sessions.hold('mine');
    expect(conversation.view.damage).toHaveLength(3);
    expect(conversation.addUserTurn('six').turn).toBe(6);
    expect(contents(world)).toEqual(['one', 'two', 'four', 'five', 'six']);
  });

  verifies(
    'C10',
    'recovers with every intact record byte for byte, the rest set aside, and continues',
    async () => {
      await using world = await conversationWorld();
      const lines = await fiveTurns(world);
      const before = write(world, [
        lines[0],
        lines[1],
        lines[2],
        'gar\0bage\n',
        lines[4],
        lines[5],
        lines[6],
        '{"torn',
      ]);
      const report = await world.sessions.recover('mine');
      expect(report).toMatchObject({
        id: 'mine',
        kept: 6,
        isMetadataRebuilt: false,
        damage: [{ line: 4, reason: 'not-json' }, { reason: 'gap' }, { line: 8, reason: 'torn' }],
      });
      const after = readFileSync(world.path('mine'));
      const intact = Buffer.concat(
        [lines[0], lines[1], lines[2], lines[4], lines[5], lines[6]].map((line) => line ?? Buffer.alloc(0)),
      );
      expect(after.subarray(0, intact.length)).toEqual(intact);
      expect(readFileSync(report.setAside ?? '')).toEqual(before);
      expect(world.sessions.verify('mine')).toMatchObject({
        isOk: true,
        damage: [],
        records: 7,
        bytes: after.length,
      });
      expect(world.sessions.get('mine')).toMatchObject({ damage: [], turnCount: 5, status: 'completed' });
      using conversation = await world.sessions.hold('mine');
      expect(conversation.addUserTurn('six')).toMatchObject({ turn: 6 });
      expect(world.sessions.verify('mine')).toMatchObject({ isOk: true });
      expect(world.sessions.list()).toMatchObject([{ turnCount: 6, isDamaged: false }]);
    },
  );

  it('that is whole is left alone by recover', async () => {
    await using world = await conversationWorld();
    await fiveTurns(world);
    const before = readFileSync(world.path('mine'));
    expect(await world.sessions.recover('mine')).toEqual({
      id: 'mine',
      kept: 7,
      damage: [],
      setAside: null,
      isMetadataRebuilt: false,
    });
    expect(readFileSync(world.path('mine'))).toEqual(before);
  });

  it('is damaged again when records of a recovered one get lost', async () => {
    await using world = await conversationWorld();
    const lines = await fiveTurns(world);
    write(world, [...lines.slice(0, 2), ...lines.slice(3)]);
    await world.sessions.recover('mine');
    const recovered = readFileSync(world.path('mine'), 'utf8').split('\n');
    write(world, [recovered.toSpliced(3, 1).join('\n')]);
    expect(world.sessions.verify('mine')).toMatchObject({
      isOk: false,
      damage: [{ reason: 'gap' }, { reason: 'gap' }],
    });
    await world.sessions.recover('mine');
    expect(world.sessions.verify('mine').isOk).toBe(true);
  });

  it('whose blocks changed places is read in order, each turn once, and put in order', async () => {
    await using world = await conversationWorld();
    const lines = await fiveTurns(world);
    write(world, [lines[0], lines[3], lines[4], lines[1], lines[2], lines[3], lines[5], lines[6]]);
    expect(contents(world)).toEqual(TEXTS);
    expect(world.sessions.get('mine').damage.every(({ reason }) => reason === 'gap')).toBe(true);
    await world.sessions.recover('mine');
    expect(readFileSync(world.path('mine')).subarray(0, Buffer.concat(lines).length)).toEqual(
      Buffer.concat(lines),
    );
    expect(world.sessions.verify('mine').isOk).toBe(true);
  });

  it('in which the last numbers come first still counts on from the highest', async () => {
    await using world = await conversationWorld();
    const lines = await fiveTurns(world);
    write(world, [lines[0], lines[5], lines[1], lines[2], lines[3], lines[4]]);
    using conversation = await world.sessions.hold('mine');
    expect(conversation.addUserTurn('six')).toMatchObject({ turn: 6, seq: 6 });
    expect(contents(world)).toEqual([...TEXTS, 'six']);
  });

  it('without its first line keeps its turns, and gets a new first line', async () => {
    await using world = await conversationWorld();
    const lines = await fiveTurns(world);
    write(world, ['\0\0\0\0\n', ...lines.slice(1)]);
    expect(world.sessions.list()).toMatchObject([{ agent: 'unknown', turnCount: 5, isDamaged: true }]);
    expect(contents(world)).toEqual(TEXTS);
    expect(await world.sessions.recover('mine')).toMatchObject({ kept: 6, isMetadataRebuilt: true });
    expect(world.records('mine')[0]).toEqual({
      type: 'metadata',
      session_id: 'mine',
      agent: 'unknown',
      created_at: '2026-03-01T12:00:00.000Z',
      status: 'completed',
      version: 1,
    });
    expect(world.sessions.verify('mine')).toMatchObject({ isOk: true });
    expect(world.sessions.list()).toMatchObject([{ turnCount: 5, status: 'completed', isDamaged: false }]);
  });

  it.each(['', '\n', 'garbage\n', '\0\0\0\0', '{"type":"turn"'])(
    'of which nothing is left (%j) is reported and left alone',
    async (content) => {
      await using world = await conversationWorld();
      world.plant('mine', content);
      await expect(world.sessions.recover('mine')).rejects.toMatchObject({ code: 'DOCUMENT_DAMAGED' });
      await expect(world.sessions.hold('mine')).rejects.toMatchObject({ code: 'DOCUMENT_DAMAGED' });
      expect(readFileSync(world.path('mine'), 'utf8')).toBe(content);
      expect(world.files()).toEqual(['mine.jsonl']);
      expect(world.sessions.verify('mine').isOk).toBe(false);
      expect(world.sessions.list()).toMatchObject([{ id: 'mine', isDamaged: true }]);
      expect(world.sessions.get('mine').turns).toEqual([]);
    },
  );

  it('written by hand recovers too', async () => {
    await using world = await conversationWorld();
    const content = publishedFile('mine', [
      ['user', 'a'],
      ['assistant', 'b'],
    ]);
    const [first, second, third] = content.split('\n');
    world.plant('mine', `${first}\n${second}\nhalf a li\n${third}\n`);
    await world.sessions.recover('mine');
    expect(readFileSync(world.path('mine'), 'utf8').startsWith(content)).toBe(true);
    expect(contents(world)).toEqual(['a', 'b']);
    using conversation = await world.sessions.hold('mine');
    expect(conversation.addUserTurn('c').turn).toBe(3);
    expect(world.sessions.verify('mine').isOk).toBe(true);
  });

  it('with a torn end is repaired by the next owner, the torn bytes kept', async () => {
    await using world = await conversationWorld();
    const lines = await fiveTurns(world);
    write(world, [...lines, '{"type":"turn","role":"us']);
    expect(world.sessions.get('mine').damage).toMatchObject([{ reason: 'torn', line: 8 }]);
    expect(world.sessions.list()).toMatchObject([{ isDamaged: true, turnCount: 5 }]);
    using conversation = await world.sessions.hold('mine');
    expect(conversation.repairs).toMatchObject([{ action: 'cut', length: 25 }]);
    expect(readFileSync(conversation.repairs[0]?.keptAt ?? '', 'utf8')).toBe('{"type":"turn","role":"us');
    expect(conversation.view.damage).toEqual([]);
  });

  it('says that its owner died when it is recovered', async () => {
    await using world = await conversationWorld();
    const dead = await world.other({ identity: await deadIdentity() }).create({ id: 'mine', agent: 'a' });
    dead.addUserTurn('said');
    writeFileSync(world.path('mine'), 'garbage\n', { flag: 'a' });
    await world.sessions.recover('mine');
    expect(world.sessions.get('mine')).toMatchObject({ status: 'interrupted', damage: [] });
  });

  it('of another session spliced in is not trusted', async () => {
    await using world = await conversationWorld();
    const lines = await fiveTurns(world);
    using other = await world.sessions.create({ id: 'other', agent: 'a' });
    other.addUserTurn('not mine');
    const foreign = readFileSync(world.path('other'), 'utf8').split('\n')[1];
    write(world, [...lines.slice(0, 3), `${foreign}\n`, ...lines.slice(3)]);
    expect(contents(world)).toEqual(TEXTS);
    expect(world.sessions.verify('mine').damage).toMatchObject([{ reason: 'checksum', line: 4 }]);
  });
});
