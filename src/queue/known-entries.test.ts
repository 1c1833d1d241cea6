import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { newEntry, PLAN_FILES, entry as storedEntry, TAKER } from '../../test/support/queue-entries.js';
import { storageTools } from '../../test/support/storage-tools.js';
import { type TempDir, tempDir } from '../../test/support/temp-dir.js';
import { systemClock, systemIds } from '../foundation/index.js';
import { formatDocument, nodeFileSystem } from '../storage/index.js';
import { formatIndex, parseIndex } from './entry-index.js';
import { FileQueue } from './file-queue.js';
import { type Entry, EntryRecord } from './schema.js';

const MANY = 300;
const DONE = { outcome: 'done', reason: null, worktree: null, hasPrompted: true, question: null } as const;

interface World extends AsyncDisposable {
  readonly index: string;
  pathOf(id: string): string;
  /** What a process that starts now finds, a little later than everything before, and how many entries it opened. */
  look(): { entries: readonly Entry[]; damaged: number; opened: number };
  /** The queue as another process sees it. */
  queue(): FileQueue;
  readonly ids: readonly string[];
}

/** A queue of many entries, one third of them done, with its index. */
async function world(): Promise<World> {
  const dir: TempDir = await tempDir();
  const directory = join(dir.path, 'queue');
  const pathOf = (id: string) => join(directory, 'entries', `${id}.json`);
  mkdirSync(join(directory, 'entries'), { recursive: true });
  const ids = Array.from({ length: MANY }, (_, at) => {
    const entry = storedEntry({
      id: systemIds.uuid(),
      position: at + 1,
      ...(at % 3 === 0 ? { status: 'done' as const, endedAt: '2026-03-01T13:00:00.000Z' } : {}),
    });
    writeFileSync(pathOf(entry.id), formatDocument('', entry, EntryRecord));
    mkdirSync(join(directory, 'kept', entry.id), { recursive: true });
    return entry.id;
  });
  // Files are trusted once they are a moment old, so this clock runs a minute ahead.
  const clock = { ...systemClock, now: () => new Date(Date.now() + 60_000) };
  const made: World = {
    ids,
    pathOf,
    index: join(directory, 'entries.index'),
    queue: () => new FileQueue(storageTools({ clock }), directory),
    look() {
      let opened = 0;
      const fileSystem = {
        ...nodeFileSystem,
        open(path: string, flags: number, mode?: number) {
          if (path.includes('/entries/')) opened += 1;
          return nodeFileSystem.open(path, flags, mode);
        },
      };
      const { entries, damaged } = new FileQueue(storageTools({ clock, fileSystem }), directory).read();
      const sorted = [...entries].sort((a, b) => a.position - b.position);
      return { entries: sorted, damaged: damaged.length, opened };
    },
    [Symbol.asyncDispose]: () => dir[Symbol.asyncDispose](),
  };
  expect(made.look()).toMatchObject({ damaged: 0, opened: MANY });
  return made;
}

/** What the files themselves say. */
function truth({ ids, pathOf }: World): Entry[] {
  const read = (id: string) => EntryRecord.fromDisk(JSON.parse(readFileSync(pathOf(id), 'utf8')));
  return ids
    .filter((id) => existsSync(pathOf(id)))
    .map(read)
    .sort((a, b) => a.position - b.position);
}

describe('a queue of many entries', () => {
  it('is read from one file by the next process, with the same outcome to the byte', async () => {
    await using one = await world();
    expect(statSync(one.index).mode & 0o777).toBe(0o600);
    const { entries, opened } = one.look();
    expect(opened).toBe(0);
    expect(JSON.stringify(entries)).toBe(JSON.stringify(truth(one)));
  });

  it('an index that is damaged, foreign or gone is ignored and made again', async () => {
    await using one = await world();
    const damages: Record<string, (index: string) => void> = {
      deleted: (index) => rmSync(index),
      empty: (index) => truncateSync(index, 0),
      torn: (index) => truncateSync(index, Math.floor(statSync(index).size / 2)),
      zeros: (index) => writeFileSync(index, Buffer.alloc(statSync(index).size)),
      'changed by hand': (index) => edit(index, (text) => text.replace('"priority":0', '"priority":9')),
      'another version': (index) => edit(index, (text) => text.replace(/^(\S+) \d+/, '$1 999')),
      'not one of ours': (index) => writeFileSync(index, '{"alike":[],"columns":{}}'),
    };
    for (const [what, damage] of Object.entries(damages)) {
      damage(one.index);
      expect({ what, ...one.look() }).toEqual({ what, entries: truth(one), damaged: 0, opened: MANY });
      expect({ what, opened: one.look().opened }).toEqual({ what, opened: 0 });
    }
  });

  it('an index of other files is not believed', async () => {
    await using one = await world();
    await using other = await world();
    // As if somebody had copied the state of another machine: the same names, other files.
    for (const id of other.ids) rmSync(other.pathOf(id));
    for (const id of one.ids) writeFileSync(other.pathOf(id), readFileSync(one.pathOf(id)));
    const [id = ''] = one.ids.slice(1);
    edit(other.pathOf(id), (text) => text.replace('"priority": 0', '"priority": 7'));
    writeFileSync(other.index, readFileSync(one.index));
    expect(other.look().entries.find((entry) => entry.id === id)?.priority).toBe(7);
  });

  it('shows at once what another process changed, added, ended or removed', async () => {
    await using one = await world();
    const [, changed = '', removed = ''] = one.ids;
    const reader = one.queue();
    reader.read();
    const other = one.queue();
    await other.edit(changed, () => ({ priority: 5 }));
    await other.remove(removed);
    const added = await other.add(newEntry(), PLAN_FILES);
    const taken = await other.take(TAKER);
    expect(taken?.entry.id).toBe(changed);
    await taken?.finish({ ...DONE, report: null });
    for (const { entries } of [reader.read(), one.look()]) {
      const byId = new Map(entries.map((entry) => [entry.id, entry]));
      expect(byId.get(changed)).toMatchObject({ priority: 5, status: 'done' });
      expect(byId.has(removed)).toBe(false);
      expect(byId.get(added.id)).toEqual(added);
      expect(byId.size).toBe(MANY);
    }
  });

  it('reads an entry again that was overwritten in place with the same length', async () => {
    await using one = await world();
    const [, id = ''] = one.ids;
    edit(one.pathOf(id), (text) => text.replace('"priority": 0', '"priority": 3'));
    const { entries, opened } = one.look();
    expect(entries).toEqual(truth(one));
    expect(entries.find((entry) => entry.id === id)?.priority).toBe(3);
    expect(opened).toBe(1);
  });

  it('reports one that can no longer be read, although the index knows it', async () => {
    await using one = await world();
    truncateSync(one.pathOf(one.ids[1] ?? ''), 10);
    expect(one.look()).toMatchObject({ damaged: 1 });
  });

  it('does not trust a file written a moment ago to look different when it is written again', async () => {
    await using dir = await tempDir();
    const directory = join(dir.path, 'queue');
    mkdirSync(join(directory, 'entries'), { recursive: true });
    for (let made = 0; made < MANY; made++) {
      const entry = storedEntry({ id: systemIds.uuid() });
      writeFileSync(join(directory, 'entries', `${entry.id}.json`), formatDocument('', entry, EntryRecord));
    }
    new FileQueue(storageTools(), directory).read();
    expect(existsSync(join(directory, 'entries.index'))).toBe(false);
  });

  it('makes no index in a directory that cannot be written, and the list is the same', async () => {
    await using one = await world();
    rmSync(one.index);
    mkdirSync(one.index); // root may write anywhere, but cannot replace a directory
    expect(one.look().entries).toEqual(truth(one));
    chmodSync(one.index, 0o700);
  });

  it('never takes by the index: what another worker has ended meanwhile stays ended', async () => {
    await using one = await world();
    const late = one.queue();
    const [, first = ''] = one.ids;
    const taken = await one.queue().take(TAKER);
    expect(taken?.entry.id).toBe(first);
    const before = late.read().entries;
    await taken?.finish({ ...DONE, report: null });
    // It saw the entry running and gets to its lock once that is free.
    late.read = () => ({ entries: before.filter(({ id }) => id === first), pausedAt: null, damaged: [] });
    expect(await late.take(TAKER)).toBeUndefined();
    expect(late.get(first)?.status).toBe('done');
  });
});

describe('the file of an index', () => {
  it('returns every entry unchanged, including keys that are not ours', () => {
    const entries = [
      storedEntry({ status: 'failed', reason: 'it broke\nhere', worktree: '/w', runId: systemIds.uuid() }),
      storedEntry({
        after: [systemIds.uuid()],
        options: { verify: ['a'], isUnattended: true, isDirtyTaken: true },
      }),
      { ...storedEntry(), foreign: { deep: ['é', null] } },
    ];
    const known = new Map(
      entries.map((entry, at) => [entry.id, { inode: at, size: at, changedMs: at + 0.123, entry }]),
    );
    expect(parseIndex(Buffer.from(formatIndex(known)))).toEqual(known);
  });

  /** If this changes, an index of an older version no longer means the same: raise FORMAT in entry-index.ts. */
  it('has entries of this shape', () => {
    const disk = JSON.parse(formatDocument('', storedEntry({ id: systemIds.uuid() }), EntryRecord));
    const { plan, options, ...rest } = EntryRecord.fromDisk(disk);
    expect(
      [Object.keys(rest), Object.keys(plan), Object.keys(options)].map((keys) => keys.join(' ')),
    ).toEqual([
      'version id status project repository base continues isInPlace after notBefore priority position onFailure retriesLeft ' +
        'addedAt runId worker startedAt endedAt reason worktree question',
      'kind name source hash files',
      'verify isUnattended isDirtyTaken',
    ]);
  });
});

function edit(path: string, change: (text: string) => string): void {
  const text = readFileSync(path, 'utf8');
  expect(change(text)).not.toBe(text);
  writeFileSync(path, change(text));
}
