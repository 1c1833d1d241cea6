import { appendFileSync, closeSync, openSync, rmSync, writeSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  type ConversationWorld,
  conversationWorld,
  publishedFile,
  said,
} from '../../../../test/support/conversation-world.js';
import { storageTools } from '../../../../test/support/storage-tools.js';
import { verifies } from '../../../../test/support/verifies.js';
import { type FileSystem, nodeFileSystem } from '../../../storage/index.js';
import { FileConversationStore } from '../store.js';
import { findTurn } from './find-turn.js';
import { Offsets } from './offsets.js';
import { type TranscriptPage, Transcripts } from './transcripts.js';

const transcriptsOf = ({ sessions, store }: Pick<ConversationWorld, 'sessions' | 'store'>) =>
  new Transcripts({ conversations: sessions, store });

const many = (count: number, words = (index: number) => `message ${index + 1} ${'x'.repeat(300)}`) =>
  Array.from({ length: count }, (_, index) => words(index));

const numbers = ({ items }: Pick<TranscriptPage, 'items'>) =>
  items.flatMap((item) => (item.kind === 'turn' ? [item.number] : []));

function flip(path: string, offset: number): void {
  const descriptor = openSync(path, 'r+');
  writeSync(descriptor, '~', offset);
  closeSync(descriptor);
}

/** All pages from start to end, and back again. */
async function thereAndBack(transcripts: Transcripts, id: string) {
  const there = [await transcripts.read(id, { from: 'start' })];
  for (let last = there.at(-1); last?.isEnd === false; last = there.at(-1))
    there.push(await transcripts.read(id, { after: last.end }));
  const back = [await transcripts.read(id, { from: 'end' })];
  for (let first = back[0]; first?.isStart === false; first = back[0])
    back.unshift(await transcripts.read(id, { before: first.start }));
  return { there, back };
}

describe('a transcript', () => {
  it('is read in pages from either end, with the same content', async () => {
    await using world = await conversationWorld();
    await said(world, 'long', many(217));
    const { there, back } = await thereAndBack(transcriptsOf(world), 'long');
    const all = Array.from({ length: 217 }, (_, index) => index + 1);
    expect(there.flatMap(numbers)).toEqual(all);
    expect(back.flatMap(numbers)).toEqual(all);
    const bare = (pages: TranscriptPage[]) =>
      pages.flatMap(({ items }) => items.map((item) => ({ ...item, line: null })));
    expect(bare(back)).toEqual(bare(there));
    expect(there.length).toBe(6);
    expect(there.every(({ turns, size }) => turns === 217 && size === world.store.size('long'))).toBe(true);
  });

  it.each([1, 2, 40, 41, 150, 399, 400])('is opened at turn %i', async (turn) => {
    await using world = await conversationWorld();
    await said(world, 'long', many(400));
    const page = await transcriptsOf(world).read('long', { turn });
    expect(numbers(page)[0]).toBe(turn);
  });

  it('is opened at a line, and beyond the last turn at the last one', async () => {
    await using world = await conversationWorld();
    await said(world, 'long', many(100));
    const transcripts = transcriptsOf(world);
    const lines = world.lines('long');
    const line = lines.findIndex((text) => text.includes('message 57 ')) + 1;
    const [first] = (await transcripts.read('long', { line })).items;
    expect(first).toMatchObject({ kind: 'turn', number: 57, line });
    expect(numbers(await transcripts.read('long', { turn: 5_000 }))).toEqual([100]);
  });

  verifies('C10', 'damage in the middle is shown where it is, and every turn around it', async () => {
    await using world = await conversationWorld();
    await said(world, 'hurt', many(60));
    const at = world.lines('hurt').slice(0, 30).join('\n').length + 100;
    flip(world.path('hurt'), at);
    const { there, back } = await thereAndBack(transcriptsOf(world), 'hurt');
    for (const pages of [there, back]) {
      const items = pages.flatMap(({ items }) => items);
      const damaged = items.findIndex(({ kind }) => kind === 'damage');
      expect(items.slice(damaged - 1, damaged + 3)).toMatchObject([
        { kind: 'turn', number: 29 },
        { kind: 'damage', reason: 'checksum', length: expect.any(Number), missing: null },
        { kind: 'damage', reason: 'gap', missing: 1 },
        { kind: 'turn', number: 31 },
      ]);
      expect(items.filter(({ kind }) => kind === 'turn')).toHaveLength(59);
    }
  });

  it('reports a gap between two pages once', async () => {
    await using world = await conversationWorld();
    await said(world, 'cut', many(80));
    const lines = world.lines('cut');
    const first = await transcriptsOf(world).read('cut', { from: 'start' });
    const border = lines.findIndex((text) => text.includes('message 41 '));
    world.plant('cut', `${lines.filter((_, index) => index !== border).join('\n')}\n`);
    const { there } = await thereAndBack(transcriptsOf(world), 'cut');
    expect(first.items.length).toBeGreaterThan(0);
    expect(there.flatMap(({ items }) => items).filter(({ kind }) => kind === 'damage')).toMatchObject([
      { reason: 'gap', missing: 1 },
    ]);
  });

  it('grows while it is read: the next page has what was added, and never half of it', async () => {
    await using world = await conversationWorld();
    using conversation = await world.sessions.create({ id: 'live', agent: 'qa' });
    conversation.addUserTurn('one');
    const transcripts = transcriptsOf(world);
    const first = await transcripts.read('live', { from: 'end' });
    expect(await transcripts.read('live', { after: first.end })).toMatchObject({ items: [], isEnd: true });
    conversation.addAssistantTurn('two');
    const next = await transcripts.read('live', { after: first.end });
    expect(next.items).toMatchObject([{ kind: 'turn', number: 2, text: 'two' }]);
    appendFileSync(world.path('live'), '{"type":"turn","role":"us');
    const torn = await transcripts.read('live', { after: next.end });
    expect(torn).toMatchObject({ items: [], end: next.end, file: first.file });
    expect(await transcripts.read('live', { from: 'end' })).toMatchObject({ end: next.end });
    expect(transcripts.facts('live')).toMatchObject({ isLive: true, turns: 2, isOfRun: false });
  });

  it('that was removed, or became another file, is reported', async () => {
    await using world = await conversationWorld();
    await said(world, 'gone', many(50));
    const transcripts = transcriptsOf(world);
    const before = await transcripts.read('gone', { turn: 25 });
    flip(world.path('gone'), 900);
    await world.sessions.recover('gone');
    expect((await transcripts.read('gone', { from: 'end' })).file).not.toBe(before.file);
    expect(numbers(await transcripts.read('gone', { turn: 25 }))[0]).toBe(25);
    rmSync(world.path('gone'));
    await expect(transcripts.read('gone', { from: 'end' })).rejects.toMatchObject({
      code: 'SESSION_NOT_FOUND',
    });
  });

  it('cannot be read from the middle of a record', async () => {
    await using world = await conversationWorld();
    await said(world, 'one', ['a', 'b']);
    const transcripts = transcriptsOf(world);
    await expect(transcripts.read('one', { after: 7 })).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    await expect(transcripts.find('one', 'a', 10 ** 9)).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    expect(() => transcripts.record('one', 7)).toThrow(expect.objectContaining({ code: 'INVALID_INPUT' }));
  });

  it('whose writer does not number turns is counted', async () => {
    await using world = await conversationWorld();
    const turns = many(90).map((text, index): [string, string] => [
      index % 2 === 0 ? 'user' : 'assistant',
      text,
    ]);
    world.plant('theirs', publishedFile('theirs', turns).replaceAll(/T10:0\d+/g, 'T10:00'));
    const { there, back } = await thereAndBack(transcriptsOf(world), 'theirs');
    const all = Array.from({ length: 90 }, (_, index) => index + 1);
    expect(there.flatMap(numbers)).toEqual(all);
    expect(back.flatMap(numbers)).toEqual(all);
    expect(there[0]?.turns).toBe(90);
    expect(numbers(await transcriptsOf(world).read('theirs', { turn: 70 }))[0]).toBe(70);
  });

  it('has long turns cut, and in full on demand', async () => {
    await using world = await conversationWorld();
    await said(world, 'wide', ['short', `${'é'.repeat(50_000)} the end`]);
    const transcripts = transcriptsOf(world);
    const page = await transcripts.read('wide', { from: 'start' });
    const wide = page.items.find((item) => item.kind === 'turn' && item.number === 2);
    expect(wide).toMatchObject({ characters: 50_008, text: 'é'.repeat(16_384) });
    const record = transcripts.record('wide', wide?.offset ?? 0);
    expect(record.text).toMatch(/the end$/);
    expect(JSON.parse(record.raw)).toMatchObject({ type: 'turn', turn: 2 });
  });

  it('is searched from a place onwards, with the text around each hit', async () => {
    await using world = await conversationWorld();
    await said(
      world,
      'long',
      many(200, (index) => (index % 3 === 0 ? `has the Needle ${index}, needle` : 'hay')),
    );
    const transcripts = transcriptsOf(world);
    const first = await transcripts.find('long', 'NEEDLE');
    expect(first.hits).toHaveLength(50);
    expect(first.hits[1]).toMatchObject({ turn: 4, before: 'has the ', words: 'Needle', count: 2 });
    const second = await transcripts.find('long', 'needle', first.next ?? 0);
    expect(second.hits).toHaveLength(17);
    expect(second.next).toBeNull();
    expect([...first.hits, ...second.hits].map(({ turn }) => turn)).toEqual(
      Array.from({ length: 67 }, (_, index) => index * 3 + 1),
    );
    expect(await transcripts.find('long', 'nothing of this')).toMatchObject({ hits: [], next: null });
  });
});

describe('a turn of a long transcript', () => {
  const long = (world: ConversationWorld) =>
    said(
      world,
      'big',
      many(300, (index) => `${index} ${'y'.repeat(40_000)}`),
    );

  it('is found without reading what comes before it', async () => {
    await using world = await conversationWorld();
    await long(world);
    let bytes = 0;
    const read: FileSystem['read'] = (...args) => {
      const count = nodeFileSystem.read(...args);
      bytes += count;
      return count;
    };
    const tools = storageTools({ fileSystem: { ...nodeFileSystem, read } });
    const store = new FileConversationStore(tools, { directory: world.base });
    const size = store.size('big');
    for (const turn of [1, 2, 37, 150, 151, 298, 299, 300]) {
      bytes = 0;
      const start = findTurn(store, 'big', turn, size);
      expect(bytes).toBeLessThan(7_000_000);
      const [found] = [...store.scanPart('big', { start: start ?? 0 })].filter(
        ({ kind }) => kind === 'record',
      );
      expect(found).toMatchObject({ value: { turn } });
    }
    expect([findTurn(store, 'big', 0, size), findTurn(store, 'big', 301, size)]).toEqual([null, null]);
  });

  it('is found next to damage, and shown with what follows', async () => {
    await using world = await conversationWorld();
    await long(world);
    flip(world.path('big'), Math.floor(world.store.size('big') / 2));
    const transcripts = transcriptsOf(world);
    for (const turn of [140, 160, 300]) {
      const page = await transcripts.read('big', { turn });
      expect(numbers(page)[0]).toBe(turn);
      expect(page.turns).toBe(300);
    }
    expect(numbers(await transcripts.read('big', { turn: 9_999 }))).toEqual([300]);
  });

  it('is counted if another program wrote the file', async () => {
    await using world = await conversationWorld();
    const turns = many(130, (index) => `${index} ${'y'.repeat(40_000)}`).map((text): [string, string] => [
      'user',
      text,
    ]);
    world.plant('theirs', publishedFile('theirs', turns).replaceAll(/T10:0\d+/g, 'T10:00'));
    expect(numbers(await transcriptsOf(world).read('theirs', { turn: 100 }))[0]).toBe(100);
  });
});

describe('the places of turns', () => {
  it('are read no further than needed, from where reading stopped, each once', async () => {
    await using world = await conversationWorld();
    await said(
      world,
      'big',
      many(300, (index) => `${index} ${'y'.repeat(200_000)}`),
    );
    let bytes = 0;
    const read: FileSystem['read'] = (...args) => {
      const count = nodeFileSystem.read(...args);
      bytes += count;
      return count;
    };
    const tools = storageTools({ fileSystem: { ...nodeFileSystem, read } });
    const offsets = new Offsets(new FileConversationStore(tools, { directory: world.base }), 'big');
    const early = await offsets.lastWhere(({ turns }) => turns < 40);
    expect(early.turns).toBeGreaterThan(15);
    expect(early.turns).toBeLessThan(40);
    expect(bytes).toBeLessThan(20_000_000);
    await offsets.lastWhere(() => true);
    const once = bytes;
    expect(offsets.reached).toMatchObject({ offset: world.store.size('big'), turns: 300 });
    expect(once).toBeLessThan(world.store.size('big') * 1.1);
    await offsets.lastWhere(({ turns }) => turns < 290);
    expect(bytes - once).toBeLessThan(1_000_000);
    expect(offsets.marks.length).toBeLessThan(25);
  });

  it('stay few, however many records there are', async () => {
    await using world = await conversationWorld();
    await said(world, 'first', ['a']);
    const line = world.lines('first')[1] ?? '';
    const foreign = JSON.stringify({
      type: 'turn',
      role: 'user',
      content: 'x',
      timestamp: '2026-01-14T10:00:00Z',
      tokens: 1,
    });
    world.plant('many', `${world.lines('first')[0]}\n${`${foreign}\n`.repeat(150_000)}`);
    const offsets = new Offsets(world.store, 'many');
    await offsets.lastWhere(() => true);
    expect(line).not.toBe('');
    expect(offsets.reached).toMatchObject({ turns: 150_000, line: 150_002 });
    expect(offsets.marks.length).toBeLessThanOrEqual(4096);
  });
});
