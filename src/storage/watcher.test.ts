import { mkdirSync, readdirSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { FailingFileSystem, systemError } from '../../test/support/failing-file-system.js';
import { RecordingLog } from '../../test/support/recording-log.js';
import { type TempDir, tempDir } from '../../test/support/temp-dir.js';
import { systemIds } from '../foundation/index.js';
import { type FileSystem, nodeFileSystem } from './bytes/file-system.js';
import { DirectoryWatcher } from './watcher.js';

function watcherOver(fileSystem: FileSystem, log = new RecordingLog()): DirectoryWatcher {
  return new DirectoryWatcher({ fileSystem, ids: systemIds, log });
}

/** Resolves with the first matching hint. */
function hintOf(
  watcher: DirectoryWatcher,
  path: string,
  act: () => void,
  isWanted: (name: string | null) => boolean,
) {
  return new Promise<string | null>((resolve) => {
    const watch = watcher.watch(path, (name) => {
      if (!isWanted(name)) return;
      watch.close();
      resolve(name);
    });
    act();
  });
}

describe('a real directory', () => {
  it.each([
    ['a file that comes', (dir: TempDir) => writeFileSync(dir.at('a'), '1')],
    [
      'a file that is replaced',
      (dir: TempDir) => {
        writeFileSync(dir.at('.a'), '2');
        renameSync(dir.at('.a'), dir.at('a'));
      },
    ],
    ['a file that is written in place', (dir: TempDir) => writeFileSync(dir.at('a'), '3')],
    ['a file that goes', (dir: TempDir) => rmSync(dir.at('a'))],
  ])('hints at %s', async (what, act) => {
    await using dir = await tempDir();
    if (what !== 'a file that comes') writeFileSync(dir.at('a'), '0');
    await hintOf(
      watcherOver(nodeFileSystem),
      dir.path,
      () => act(dir),
      (name) => name === 'a' || name === null,
    );
  });

  it('leaves no trace of its probe, and does not hint at it', async () => {
    await using dir = await tempDir();
    const hints: (string | null)[] = [];
    const watcher = watcherOver(nodeFileSystem);
    const watch = watcher.watch(dir.path, (name) => hints.push(name));
    await hintOf(
      watcher,
      dir.path,
      () => writeFileSync(dir.at('a'), ''),
      (name) => name === 'a',
    );
    watch.close();
    expect(hints.filter((name) => name !== 'a' && name !== null)).toEqual([]);
    expect(readdirSync(dir.path)).toEqual(['a']);
  });

  it('gives a hint when it disappears, or appears later', async () => {
    await using dir = await tempDir();
    mkdirSync(dir.at('sub'));
    await hintOf(
      watcherOver(nodeFileSystem),
      dir.at('sub'),
      () => rmSync(dir.at('sub'), { recursive: true }),
      () => true,
    );
    await hintOf(
      watcherOver(nodeFileSystem),
      dir.at('later'),
      () => mkdirSync(dir.at('later')),
      () => true,
    );
  });
});

describe('over a system that reports what the test says', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  /** A system whose watch events the test triggers; `deliver` answers the probe. */
  function scripted(options: { delivers: boolean }) {
    const watches = new Map<
      string,
      { onEvent: (name: string | null) => void; onError: (error: Error) => void }
    >();
    let closed = 0;
    let looks = 0;
    const fileSystem: FileSystem = {
      ...nodeFileSystem,
      look(path) {
        looks += 1;
        return nodeFileSystem.look(path);
      },
      open(path, flags, mode) {
        const descriptor = nodeFileSystem.open(path, flags, mode);
        const at = path.lastIndexOf('/');
        if (options.delivers) watches.get(path.slice(0, at))?.onEvent(path.slice(at + 1));
        return descriptor;
      },
      watch(path, onEvent, onError) {
        watches.set(path, { onEvent, onError });
        return { close: () => closed++ };
      },
    };
    /** Whether the timer still checks anything; only our paths count, as other tests share this process. */
    const looksOn = () => {
      const before = looks;
      vi.advanceTimersByTime(10_000);
      return looks > before;
    };
    return { fileSystem, watches, closed: () => closed, looks: () => looks, looksOn };
  }

  it('logs what a receiver throws, and goes on', async () => {
    await using dir = await tempDir();
    const { fileSystem, watches } = scripted({ delivers: true });
    const log = new RecordingLog();
    const heard: (string | null)[] = [];
    const watch = watcherOver(fileSystem, log).watch(dir.path, (name) => {
      heard.push(name);
      if (heard.length < 3) throw new Error('unsafe');
    });
    watches.get(dir.path)?.onEvent('a');
    writeFileSync(dir.at('b'), '');
    utimesSync(dir.path, 1, 1);
    vi.advanceTimersByTime(2_000);
    watches.get(dir.path)?.onEvent('c');
    watch.close();
    expect(heard).toEqual(['a', null, 'c']);
    expect(log.named('watch.hint-failed')).toHaveLength(2);
  });

  it('passes on what it hears', async () => {
    await using dir = await tempDir();
    const { fileSystem, watches, looksOn } = scripted({ delivers: true });
    const hints: (string | null)[] = [];
    const watch = watcherOver(fileSystem).watch(dir.path, (name) => hints.push(name));
    watches.get(dir.path)?.onEvent('a');
    watches.get(dir.path)?.onEvent(null);
    expect([watch.mode, hints]).toEqual(['watching', ['a', null]]);
    expect(looksOn()).toBe(true);
    watch.close();
    watch.close();
    expect(looksOn()).toBe(false);
  });

  it('checks every two seconds whether it missed something', async () => {
    await using dir = await tempDir();
    const { fileSystem } = scripted({ delivers: true });
    const onHint = vi.fn();
    const watch = watcherOver(fileSystem).watch(dir.path, onHint);
    vi.advanceTimersByTime(2_000);
    onHint.mockClear();
    vi.advanceTimersByTime(2_000);
    expect(onHint).not.toHaveBeenCalled();
    utimesSync(dir.path, 1, 1);
    vi.advanceTimersByTime(2_000);
    expect(onHint.mock.calls).toEqual([[null]]);
    vi.advanceTimersByTime(2_000);
    expect(onHint).toHaveBeenCalledTimes(1);
    watch.close();
  });

  it('checks fifty directories at a time, however many there are, and each in its turn', async () => {
    await using dir = await tempDir();
    const { fileSystem, looks } = scripted({ delivers: true });
    const watcher = watcherOver(fileSystem);
    const places = Array.from({ length: 120 }, (_, number) => dir.at(String(number)));
    const hinted = new Set<string>();
    for (const place of places) {
      mkdirSync(place);
      watcher.watch(place, () => hinted.add(place));
    }
    vi.advanceTimersByTime(6_000);
    for (const place of places) utimesSync(place, 1, 1);
    hinted.clear();
    const before = looks();
    vi.advanceTimersByTime(2_000);
    expect(looks() - before).toBe(50);
    vi.advanceTimersByTime(4_000);
    expect(hinted.size).toBe(120);
    watcher.close();
  });

  it('makes one probe on a device, however many directories are watched at once', async () => {
    await using dir = await tempDir();
    const { fileSystem } = scripted({ delivers: false });
    const open = vi.spyOn(fileSystem, 'open');
    const watcher = watcherOver(fileSystem);
    const watches = Array.from({ length: 5 }, (_, number) => {
      mkdirSync(dir.at(String(number)));
      return watcher.watch(dir.at(String(number)), () => {});
    });
    expect(open).toHaveBeenCalledTimes(1);
    vi.advanceTimersByTime(1_000);
    vi.advanceTimersByTime(1);
    expect(watches.map(({ mode }) => mode)).toEqual(Array(5).fill('polling'));
    watcher.close();
  });

  it('polls if its probe is not delivered, says so, and remembers it for the device', async () => {
    await using dir = await tempDir();
    const { fileSystem, closed, looksOn } = scripted({ delivers: false });
    const log = new RecordingLog();
    const onHint = vi.fn();
    const watcher = watcherOver(fileSystem, log);
    const first = watcher.watch(dir.path, onHint);
    expect(first.mode).toBe('watching');
    vi.advanceTimersByTime(1_001);
    expect([first.mode, closed()]).toEqual(['polling', 1]);
    expect(log.events).toEqual([
      {
        level: 'warn',
        event: 'watch.polling',
        fields: { path: dir.path, everyMs: 200, reason: 'the probe was not delivered' },
      },
    ]);
    onHint.mockClear();
    vi.advanceTimersByTime(1_000);
    expect(onHint.mock.calls).toEqual([[null], [null], [null], [null], [null]]);
    const second = watcher.watch(dir.path, onHint);
    expect(second.mode).toBe('polling');
    first.close();
    second.close();
    expect(looksOn()).toBe(false);
  });

  it.each(['EMFILE', 'EACCES'] as const)('polls if watching is refused (%s), and says so', async (fault) => {
    await using dir = await tempDir();
    const log = new RecordingLog();
    const onHint = vi.fn();
    const fileSystem = new FailingFileSystem({ fault, at: 1, only: ['watch'] });
    const watch = watcherOver(fileSystem, log).watch(dir.path, onHint);
    expect(watch.mode).toBe('polling');
    expect(log.events).toMatchObject([{ event: 'watch.polling', fields: { reason: fault } }]);
    vi.advanceTimersByTime(200);
    expect(onHint.mock.calls).toEqual([[null]]);
    watch.close();
  });

  it('polls when a watch breaks later', async () => {
    await using dir = await tempDir();
    const { fileSystem, watches } = scripted({ delivers: true });
    const onHint = vi.fn();
    const watch = watcherOver(fileSystem).watch(dir.path, onHint);
    watches.get(dir.path)?.onError(systemError('EIO', 'watch', dir.path));
    expect(watch.mode).toBe('polling');
    vi.advanceTimersByTime(200);
    expect(onHint).toHaveBeenCalledWith(null);
    watch.close();
  });

  it('returns to the slow check when nothing is polled any more', async () => {
    await using dir = await tempDir();
    const fileSystem = new FailingFileSystem(
      { fault: 'EMFILE', at: 1, only: ['watch'] },
      scripted({ delivers: true }).fileSystem,
    );
    const watcher = watcherOver(fileSystem);
    const onHint = vi.fn();
    const polling = watcher.watch(dir.path, () => {});
    const watching = watcher.watch(dir.path, onHint);
    expect([polling.mode, watching.mode]).toEqual(['polling', 'watching']);
    polling.close();
    vi.advanceTimersByTime(2_000);
    onHint.mockClear();
    utimesSync(dir.path, 1, 1);
    vi.advanceTimersByTime(1_999);
    expect(onHint).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    expect(onHint).toHaveBeenCalledTimes(1);
    watching.close();
  });

  it('concludes nothing from a probe that could not be made (full, read-only)', async () => {
    await using dir = await tempDir();
    const fileSystem = new FailingFileSystem(
      { fault: 'EROFS', at: 1, only: ['open'] },
      scripted({ delivers: false }).fileSystem,
    );
    const watch = watcherOver(fileSystem).watch(dir.path, () => {});
    vi.advanceTimersByTime(5_000);
    expect(watch.mode).toBe('watching');
    watch.close();
  });

  it('reports a directory that cannot be checked as changed, and carries on', async () => {
    await using dir = await tempDir();
    const fileSystem = new FailingFileSystem(undefined, scripted({ delivers: true }).fileSystem);
    const onHint = vi.fn();
    const watch = watcherOver(fileSystem).watch(dir.path, onHint);
    vi.advanceTimersByTime(2_000);
    onHint.mockClear();
    fileSystem.arm({ fault: 'EIO', at: 1, only: ['look'] });
    vi.advanceTimersByTime(2_000);
    expect(onHint).toHaveBeenCalledTimes(1);
    watch.close();
  });
});
