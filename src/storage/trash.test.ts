import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { describe, expect, it } from 'vitest';
import { FakeClock } from '../../test/support/fake-clock.js';
import { type TempDir, tempDir } from '../../test/support/temp-dir.js';
import { type FileSystem, nodeFileSystem } from './bytes/file-system.js';
import { Trash } from './trash.js';

const DAY_MS = 24 * 3_600_000;

function trashIn(dir: TempDir, clock = new FakeClock(), fileSystem: FileSystem = nodeFileSystem): Trash {
  return new Trash({ fileSystem, clock }, dir.at('trash'));
}

function session(dir: TempDir, name: string): string {
  mkdirSync(dir.at(name));
  writeFileSync(dir.at(name, 'file'), name);
  return dir.at(name);
}

/** The real file system, plus the paths that were synced, in order. */
function syncsOf(): { fileSystem: FileSystem; synced: string[] } {
  const synced: string[] = [];
  const paths = new Map<number, string>();
  const fileSystem: FileSystem = {
    ...nodeFileSystem,
    open(path, flags, mode) {
      const descriptor = nodeFileSystem.open(path, flags, mode);
      paths.set(descriptor, path);
      return descriptor;
    },
    sync(descriptor) {
      nodeFileSystem.sync(descriptor);
      synced.push(paths.get(descriptor) ?? '');
    },
  };
  return { fileSystem, synced };
}

describe('Trash', () => {
  it('takes a session and gives it back as it was', async () => {
    await using dir = await tempDir();
    const trash = trashIn(dir, new FakeClock({ now: '2026-03-01T12:34:56.789Z' }));
    const entry = trash.take('id-1', session(dir, 'a'));
    expect(entry).toEqual({
      id: 'id-1',
      trashedAt: new Date('2026-03-01T12:34:56.789Z'),
      path: dir.at('trash', '20260301T123456789Z-id-1'),
    });
    expect(existsSync(dir.at('a'))).toBe(false);
    expect(statSync(dir.at('trash')).mode & 0o7777).toBe(0o700);
    expect(trash.entries()).toEqual([entry]);
    expect(trash.restore(entry, dir.at('a'))).toBe(true);
    expect(readFileSync(dir.at('a', 'file'), 'utf8')).toBe('a');
    expect(trash.entries()).toEqual([]);
  });

  it('is durable on both sides: where a session went, and then where it left', async () => {
    await using dir = await tempDir();
    const { fileSystem, synced } = syncsOf();
    const trash = trashIn(dir, new FakeClock(), fileSystem);
    mkdirSync(dir.at('trash'), { mode: 0o700 });
    const entry = trash.take('id-1', session(dir, 'a'));
    expect(synced.splice(0)).toEqual([dir.at('trash'), dir.path]);
    trash.restore(entry, dir.at('a'));
    expect(synced.splice(0)).toEqual([dir.path, dir.at('trash')]);
  });

  it('takes files as well, and the same id twice in one millisecond', async () => {
    await using dir = await tempDir();
    const trash = trashIn(dir);
    writeFileSync(dir.at('one'), '1');
    writeFileSync(dir.at('two'), '2');
    const entries = [trash.take('id', dir.at('one')), trash.take('id', dir.at('two'))];
    expect(entries.map((entry) => readFileSync(entry.path, 'utf8'))).toEqual(['1', '2']);
    expect(trash.entries()).toEqual(entries);
  });

  it('lists its entries oldest first, whatever order they came in', async () => {
    await using dir = await tempDir();
    const clock = new FakeClock({ now: '2026-03-01T00:00:00.000Z' });
    const trash = trashIn(dir, clock);
    trash.take('late', session(dir, 'a'));
    clock.jumpTo('2025-01-01T00:00:00.000Z');
    trash.take('early', session(dir, 'b'));
    expect(trash.entries().map((entry) => entry.id)).toEqual(['early', 'late']);
  });

  it('is empty if there is no directory yet', async () => {
    await using dir = await tempDir();
    expect(trashIn(dir).entries()).toEqual([]);
    expect(trashIn(dir).purge(0)).toEqual([]);
  });

  it('leaves alone what is not its own', async () => {
    await using dir = await tempDir();
    mkdirSync(dir.at('trash'), { mode: 0o700 });
    const names = [
      'notes.txt',
      '20260301-id',
      '20261399T999999999Z-no-date',
      '20260230T000000000Z-no-such-day',
      '20260301T123456789Z-',
    ];
    for (const name of names) writeFileSync(dir.at('trash', name), '');
    const trash = trashIn(dir, new FakeClock({ now: '2099-01-01T00:00:00.000Z' }));
    expect(trash.entries()).toEqual([]);
    expect(trash.purge(0)).toEqual([]);
    expect(readdirSync(dir.at('trash')).sort()).toEqual([...names].sort());
  });

  it('does not restore over an existing file', async () => {
    await using dir = await tempDir();
    const trash = trashIn(dir);
    const entry = trash.take('id', session(dir, 'a'));
    for (const put of [() => session(dir, 'a'), () => symlinkSync('/nowhere', dir.at('b'))]) put();
    expect(trash.restore(entry, dir.at('a'))).toBe(false);
    expect(trash.restore(entry, dir.at('b'))).toBe(false);
    expect(trash.entries()).toEqual([entry]);
  });

  it('does not replace a file that appears at the last moment', async () => {
    await using dir = await tempDir();
    writeFileSync(dir.at('a'), 'old');
    const entry = trashIn(dir).take('id', dir.at('a'));
    const fileSystem: FileSystem = {
      ...nodeFileSystem,
      look(path) {
        const facts = nodeFileSystem.look(path);
        if (path === dir.at('a')) writeFileSync(path, 'new');
        return facts;
      },
    };
    expect(trashIn(dir, new FakeClock(), fileSystem).restore(entry, dir.at('a'))).toBe(false);
    expect(readFileSync(dir.at('a'), 'utf8')).toBe('new');
    expect(readFileSync(entry.path, 'utf8')).toBe('old');
    expect(trashIn(dir).restore(entry, dir.at('b'))).toBe(true);
    expect(readFileSync(dir.at('b'), 'utf8')).toBe('old');
    expect(trashIn(dir).entries()).toEqual([]);
  });

  it('purges what has been here for longer, and says what', async () => {
    await using dir = await tempDir();
    const clock = new FakeClock();
    const trash = trashIn(dir, clock);
    const old = trash.take('old', session(dir, 'a'));
    clock.advance(DAY_MS);
    const young = trash.take('young', session(dir, 'b'));
    clock.advance(6 * DAY_MS + 1);
    expect(trash.purge(7 * DAY_MS)).toEqual([old]);
    expect(trash.entries()).toEqual([young]);
  });

  it('purges nothing when the clock was set back', async () => {
    await using dir = await tempDir();
    const clock = new FakeClock({ now: '2026-03-01T00:00:00.000Z' });
    const trash = trashIn(dir, clock);
    trash.take('id', session(dir, 'a'));
    clock.jumpTo('2020-01-01T00:00:00.000Z');
    expect(trash.purge(7 * DAY_MS)).toEqual([]);
  });

  it('never follows a link out of an entry', async () => {
    await using dir = await tempDir();
    const clock = new FakeClock();
    const trash = trashIn(dir, clock);
    session(dir, 'precious');
    const path = session(dir, 'a');
    symlinkSync(dir.at('precious'), dir.at('a', 'link'));
    trash.take('id', path);
    clock.advance(1);
    trash.purge(0);
    expect(trash.entries()).toEqual([]);
    expect(readFileSync(dir.at('precious', 'file'), 'utf8')).toBe('precious');
  });

  it('purges the rest when one entry cannot be removed, and then reports it', async () => {
    await using dir = await tempDir();
    const clock = new FakeClock();
    const fileSystem: FileSystem = {
      ...nodeFileSystem,
      unlink(path) {
        if (path.includes('-stuck')) throw Object.assign(new Error('EPERM'), { code: 'EPERM' });
        nodeFileSystem.unlink(path);
      },
    };
    const trash = trashIn(dir, clock, fileSystem);
    trash.take('stuck', session(dir, 'a'));
    clock.advance(1);
    trash.take('fine', session(dir, 'b'));
    clock.advance(1);
    expect(() => trash.purge(0)).toThrow(
      expect.objectContaining({ code: 'STORAGE_FAILED', fault: 'denied' }),
    );
    expect(trash.entries().map((entry) => entry.id)).toEqual(['stuck']);
  });

  it('refuses a planted link in its place', async () => {
    await using dir = await tempDir();
    mkdirSync(dir.at('elsewhere'));
    symlinkSync(dir.at('elsewhere'), dir.at('trash'));
    expect(() => trashIn(dir).take('id', session(dir, 'a'))).toThrow(
      expect.objectContaining({ code: 'UNSAFE_PATH' }),
    );
    expect(existsSync(dir.at('a'))).toBe(true);
    mkdirSync(dir.at('elsewhere', '20260301T123456789Z-id'));
    expect(() => trashIn(dir).purge(Number.NEGATIVE_INFINITY)).toThrow(
      expect.objectContaining({ code: 'UNSAFE_PATH' }),
    );
    expect(readdirSync(dir.at('elsewhere'))).toHaveLength(1);
  });

  it('reports what it cannot take', async () => {
    await using dir = await tempDir();
    expect(() => trashIn(dir).take('id', dir.at('gone'))).toThrow(
      expect.objectContaining({ code: 'STORAGE_FAILED', step: 'move to trash', fault: 'gone' }),
    );
  });
});
