import { closeSync, openSync, readdirSync, statSync, truncateSync, utimesSync, writeSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  type ConversationWorld,
  conversationWorld,
  publishedFile,
} from '../../../test/support/conversation-world.js';
import { verifies } from '../../../test/support/verifies.js';
import { type FileSystem, nodeFileSystem } from '../../storage/index.js';
import type { ConversationSessions } from './sessions.js';

const GIGABYTE = 1024 ** 3;
const BIG = 9 * 1024 * 1024;

async function said(world: ConversationWorld, id: string, texts: readonly string[]): Promise<void> {
  using conversation = await world.sessions.create({ id, agent: 'qa-test' });
  for (const text of texts) conversation.addUserTurn(text);
}

/** Changes one byte without changing the file's times, as a bad block would. */
function flip(path: string, offset: number): void {
  const { atime, mtime } = statSync(path);
  const descriptor = openSync(path, 'r+');
  writeSync(descriptor, '~', offset);
  closeSync(descriptor);
  utimesSync(path, atime, mtime);
}

/** A file system that counts the bytes it reads. */
function counting(): { fileSystem: FileSystem; bytes: () => number } {
  let bytes = 0;
  const read: FileSystem['read'] = (...args) => {
    const count = nodeFileSystem.read(...args);
    bytes += count;
    return count;
  };
  return { fileSystem: { ...nodeFileSystem, read }, bytes: () => bytes };
}

const marks = (sessions: ConversationSessions) =>
  Object.fromEntries(
    sessions.list().map(({ id, isDamaged, isChecked }) => [id, `${isDamaged} ${isChecked}`]),
  );

describe('a list', () => {
  verifies('C10', 'marks damage in the middle of a file', async () => {
    await using world = await conversationWorld();
    const texts = Array.from({ length: 400 }, (_, index) => `message ${index} ${'x'.repeat(200)}`);
    await said(world, 'long', texts);
    await said(world, 'good', texts);
    expect(marks(world.sessions)).toEqual({ long: 'false true', good: 'false true' });
    flip(world.path('long'), 50_000);
    expect(marks(world.sessions)).toEqual({ long: 'true true', good: 'false true' });
    expect(world.sessions.readLastChecked('long', 2)).toMatchObject({
      turns: [{ number: 399 }, { number: 400 }],
      damage: [
        { reason: expect.stringMatching(/^(?:checksum|not-json)$/), offset: expect.any(Number) },
        { reason: 'gap' },
      ],
    });
    await world.sessions.recover('long');
    expect(marks(world.sessions)).toEqual({ long: 'false true', good: 'false true' });
  });

  verifies('C10', 'knows of damage found earlier in a file too long to be checked', async () => {
    await using world = await conversationWorld();
    await said(world, 'huge', ['a', 'x'.repeat(BIG), 'b']);
    flip(world.path('huge'), 5_000);
    expect(marks(world.sessions)).toEqual({ huge: 'false false' });
    expect(world.sessions.verify('huge').isOk).toBe(false);
    expect(marks(world.sessions)).toEqual({ huge: 'true false' });
    expect(readdirSync(`${world.base}/.holdfast/damaged`)).toEqual(['huge']);
    await world.sessions.recover('huge');
    world.sessions.verify('huge');
    expect(marks(world.sessions)).toEqual({ huge: 'false true' });
    expect(readdirSync(`${world.base}/.holdfast/damaged`)).toEqual([]);
  });

  it('costs what the ends cost, however long a run of NUL bytes is, and counts the turns before it', async () => {
    await using world = await conversationWorld();
    await said(world, 'ours', ['a', 'b']);
    world.plant('theirs', publishedFile('theirs', [['user', 'a']]));
    world.plant('nothing', '');
    const ids = ['ours', 'theirs', 'nothing'];
    for (const id of ids) truncateSync(world.path(id), GIGABYTE);
    const { fileSystem, bytes } = counting();
    const listed = world.other({ fileSystem }).list();
    expect(
      Object.fromEntries(listed.map(({ id, turnCount, isDamaged }) => [id, [turnCount, isDamaged]])),
    ).toEqual({ ours: [2, true], theirs: [1, true], nothing: [0, true] });
    expect(bytes()).toBeLessThan(1024 * 1024);
  });

  it('does not search a whole file without lines for a record, but reads only one record length from its end', async () => {
    await using world = await conversationWorld();
    await said(world, 'junk', ['a']);
    const descriptor = openSync(world.path('junk'), 'r+');
    writeSync(descriptor, 'junk', GIGABYTE);
    closeSync(descriptor);
    const { fileSystem, bytes } = counting();
    expect(world.other({ fileSystem }).list()).toMatchObject([
      { id: 'junk', agent: 'qa-test', isDamaged: true },
    ]);
    expect(bytes()).toBeLessThan(100 * 1024 * 1024);
  });
});
