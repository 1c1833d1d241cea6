import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { describe, expect, it } from 'vitest';
import { FailingFileSystem } from '../../../test/support/failing-file-system.js';
import { FakeClock } from '../../../test/support/fake-clock.js';
import { withUmask } from '../../../test/support/plant.js';
import { deadIdentity } from '../../../test/support/processes.js';
import { RecordingLog } from '../../../test/support/recording-log.js';
import { storageTools } from '../../../test/support/storage-tools.js';
import { tempDir } from '../../../test/support/temp-dir.js';
import { verifies } from '../../../test/support/verifies.js';
import { type FileSystem, nodeFileSystem } from '../bytes/file-system.js';
import { acquireLock, forceUnlock, inspectLock, Lock, type LockTools, tryAcquireLock } from './lock.js';
import { describeOwner } from './lock-errors.js';
import type { LockState } from './lock-record.js';
import { closeReleased } from './released-records.js';

const tools = storageTools();

function take(with_: LockTools, path: string): Lock {
  const outcome = tryAcquireLock(with_, path);
  if (outcome instanceof Lock) return outcome;
  throw new Error(`not taken: ${describeOwner(outcome)}`);
}

function stateOf(outcome: Lock | LockState): LockState {
  if (outcome instanceof Lock) throw new Error('taken, though it should be held');
  return outcome;
}

/** Tools of a process that is already dead: what it takes is left behind as a crash would leave it. */
async function deadTools(): Promise<LockTools> {
  return storageTools({ identity: await deadIdentity(), command: 'holdfast crashed' });
}

describe('a free lock', () => {
  it('is taken with a private record of who took it, and released in place', async () => {
    await using dir = await tempDir();
    const clock = new FakeClock({ now: '2026-03-01T12:00:00.000Z' });
    const lock = take({ ...tools, clock }, dir.at('session'));
    expect(readdirSync(dir.path)).toEqual(['session.lock.1']);
    expect(JSON.parse(readFileSync(dir.at('session.lock.1'), 'utf8'))).toEqual({
      version: 1,
      ...tools.identity,
      token: expect.stringMatching(/^[0-9a-f]{32}$/),
      command: 'holdfast test',
      since: '2026-03-01T12:00:00.000Z',
    });
    expect([lock.epoch, lock.takenOver, lock.isHeld()]).toEqual([1, false, true]);
    lock.release();
    expect(readFileSync(dir.at('session.lock.1'), 'utf8')).toMatch(/^free\n *$/);
    expect(lock.isHeld()).toBe(false);
    lock.release();
  });

  it('goes up by one each time it is taken, and old records are swept', async () => {
    await using dir = await tempDir();
    for (let epoch = 1; epoch <= 5; epoch++) {
      using lock = take(tools, dir.at('session'));
      expect(lock.epoch).toBe(epoch);
      expect(readdirSync(dir.path)).toEqual([`session.lock.${epoch}`]);
    }
  });

  it.each(['000', '022', '077', '777'])('has a record that is 0600 under umask %s', async (umask) => {
    await using dir = await tempDir();
    await withUmask(Number.parseInt(umask, 8), () => take(tools, dir.at('session')).release());
    expect(statSync(dir.at('session.lock.1')).mode & 0o7777).toBe(0o600);
  });

  it('is retaken by the process that released it, with the same record', async () => {
    await using dir = await tempDir();
    const path = dir.at('session');
    take(tools, path).release();
    const { ino } = statSync(`${path}.lock.1`);
    using again = take(tools, path);
    expect([again.epoch, again.takenOver, again.isHeld()]).toEqual([2, false, true]);
    expect(readdirSync(dir.path)).toEqual(['session.lock.2']);
    expect(statSync(`${path}.lock.2`).ino).toBe(ino);
    expect(inspectLock(tools, path)).toMatchObject({ hold: 'held', owner: { pid: process.pid } });
  });

  it('is not retaken with the same record if others had it meanwhile', async () => {
    await using dir = await tempDir();
    const path = dir.at('session');
    take(tools, path).release();
    const stranger = { ...tools, fileSystem: new FailingFileSystem() };
    take(stranger, path).release();
    using held = take(stranger, path);
    expect(tryAcquireLock(tools, path)).toMatchObject({ hold: 'held', epoch: 3 });
    expect(held.isHeld()).toBe(true);
  });

  it('keeps few records open for the next time', async () => {
    await using dir = await tempDir();
    const fileSystem = new FailingFileSystem();
    for (let lock = 0; lock < 30; lock++) take({ ...tools, fileSystem }, dir.at(`session-${lock}`)).release();
    expect(fileSystem.openDescriptors.size).toBe(8);
    closeReleased(fileSystem);
    expect(fileSystem.openDescriptors.size).toBe(0);
  });

  it('is released by the end of its block, also when that throws', async () => {
    await using dir = await tempDir();
    expect(() => {
      using _lock = take(tools, dir.at('session'));
      throw new Error('work failed');
    }).toThrow('work failed');
    expect(inspectLock(tools, dir.at('session')).hold).toBe('free');
  });

  it('does not get in the way of other locks in the directory', async () => {
    await using dir = await tempDir();
    using a = take(tools, dir.at('session'));
    using b = take(tools, dir.at('session-2'));
    using c = take(tools, dir.at('session.lock'));
    expect([a.isHeld(), b.isHeld(), c.isHeld()]).toEqual([true, true, true]);
  });

  it('is not inspected, taken or forced in a directory that is gone', async () => {
    await using dir = await tempDir();
    const gone = expect.objectContaining({ code: 'STORAGE_FAILED', fault: 'gone' });
    for (const act of [inspectLock, tryAcquireLock, forceUnlock]) {
      expect(() => act(tools, dir.at('gone', 'session'))).toThrow(gone);
    }
    await expect(acquireLock(tools, dir.at('gone', 'session'))).rejects.toEqual(gone);
  });
});

describe('a held lock', () => {
  verifies('Q11', 'a living owner keeps it, and is named', async () => {
    await using dir = await tempDir();
    using _lock = take(tools, dir.at('session'));
    expect(stateOf(tryAcquireLock(tools, dir.at('session')))).toMatchObject({
      hold: 'held',
      epoch: 1,
      owner: { pid: process.pid },
    });
    await expect(acquireLock(tools, dir.at('session'), { waitMs: 0 })).rejects.toMatchObject({
      code: 'LOCKED',
      path: dir.at('session'),
      state: { hold: 'held' },
      message: expect.stringMatching(
        /is locked by process \d+ on .+ \(holdfast test\) since 20.+; process \d+ is running$/,
      ),
    });
  });

  it('is waited for, and taken as soon as it is free: the release itself wakes the waiter', async () => {
    await using dir = await tempDir();
    const first = take(tools, dir.at('session'));
    // Its time stands still and its watch has no safety check, so only the event can wake it.
    const clock = new FakeClock();
    const watch = (path: string, onHint: (name: string | null) => void) =>
      nodeFileSystem.watch(path, onHint, () => {});
    const watcher = { watch } as unknown as LockTools['watcher'];
    const waiting = acquireLock({ ...tools, clock, watcher }, dir.at('session'), { waitMs: 60_000 });
    await clock.untilAsleep();
    // Past the short pauses at the start, to where only the watch and the recheck are left.
    clock.advance(1_000);
    await clock.untilAsleep();
    first.release();
    using second = await waiting;
    expect([second.epoch, second.takenOver]).toEqual([2, false]);
  });

  it('is passed on to many waiters, one after another', async () => {
    await using dir = await tempDir();
    let inside = 0;
    const work = async () => {
      using _lock = await acquireLock(tools, dir.at('session'), { waitMs: 60_000 });
      expect(++inside).toBe(1);
      await new Promise((resolve) => setImmediate(resolve));
      inside -= 1;
    };
    await Promise.all(Array.from({ length: 20 }, work));
    expect(inspectLock(tools, dir.at('session'))).toMatchObject({ hold: 'free', epoch: 20 });
  });

  it('is checked now and then, because a dying owner causes no event', async () => {
    await using dir = await tempDir();
    const clock = new FakeClock();
    const watcher = { watch: () => ({ mode: 'watching', close() {} }) } as unknown as LockTools['watcher'];
    const first = take(tools, dir.at('session'));
    const waiting = acquireLock({ ...tools, clock, watcher }, dir.at('session'), { waitMs: 5_000 });
    await clock.untilAsleep();
    writeFileSync(
      dir.at('session.lock.1'),
      `${JSON.stringify({ ...JSON.parse(readFileSync(dir.at('session.lock.1'), 'utf8')), startTime: '1' })}\n`,
    );
    clock.advance(250);
    using second = await waiting;
    expect(second.takenOver).toBe(true);
    first.release();
  });

  it('is given up on after the wait, and the owner is named', async () => {
    await using dir = await tempDir();
    using _lock = take(tools, dir.at('session'));
    const clock = new FakeClock({ autoAdvance: true });
    await expect(
      acquireLock({ ...tools, clock }, dir.at('session'), { waitMs: 2_100 }),
    ).rejects.toMatchObject({
      code: 'LOCKED',
    });
    const pauses = clock.slept.filter((ms) => ms <= 20);
    const rechecks = clock.slept.slice(pauses.length);
    expect(pauses.length).toBeGreaterThan(4);
    expect(rechecks.slice(0, 3)).toEqual([250, 250, 250]);
    expect(clock.slept.reduce((sum, ms) => sum + ms, 0)).toBeCloseTo(2_100);
  });

  it('is not waited for once the wait is called off', async () => {
    await using dir = await tempDir();
    using _lock = take(tools, dir.at('session'));
    const clock = new FakeClock();
    const controller = new AbortController();
    const waiting = acquireLock({ ...tools, clock }, dir.at('session'), { signal: controller.signal });
    await clock.untilAsleep();
    controller.abort();
    await expect(waiting).rejects.toMatchObject({ code: 'ABORTED' });
    await expect(
      acquireLock(tools, dir.at('session'), { signal: AbortSignal.abort() }),
    ).rejects.toMatchObject({
      code: 'ABORTED',
    });
  });
});

describe('a lock whose owner is gone', () => {
  verifies('Q11', 'is taken over on proof of death, at the first try', async () => {
    await using dir = await tempDir();
    const crashed = await deadTools();
    take(crashed, dir.at('session'));
    const log = new RecordingLog();
    expect(inspectLock(tools, dir.at('session'))).toMatchObject({
      hold: 'dead',
      owner: { command: 'holdfast crashed' },
    });
    using lock = take({ ...tools, log }, dir.at('session'));
    expect([lock.epoch, lock.takenOver]).toEqual([2, true]);
    expect(log.named('lock.taken-over')).toEqual([
      {
        level: 'info',
        event: 'lock.taken-over',
        fields: {
          path: dir.at('session'),
          epoch: 2,
          previousPid: crashed.identity.pid,
          reason: `process ${crashed.identity.pid} is gone`,
        },
      },
    ]);
  });

  it('is not taken over by age, however old it is', async () => {
    await using dir = await tempDir();
    using _lock = take(tools, dir.at('session'));
    utimesSync(dir.at('session.lock.1'), 0, 0);
    const clock = new FakeClock({ now: '2099-01-01T00:00:00.000Z' });
    expect(stateOf(tryAcquireLock({ ...tools, clock }, dir.at('session'))).hold).toBe('held');
  });

  it('leaves records of killed takers, which are swept once they are a minute old', async () => {
    await using dir = await tempDir();
    const names = ['.session.lock.aa.candidate', '.session.lock.bb.candidate', '.other.lock.cc.candidate'];
    for (const name of names) writeFileSync(dir.at(name), '');
    utimesSync(
      dir.at('.session.lock.aa.candidate'),
      new Date(Date.now() - 61_000),
      new Date(Date.now() - 61_000),
    );
    utimesSync(dir.at('.other.lock.cc.candidate'), 0, 0);
    using _lock = take(tools, dir.at('session'));
    expect(readdirSync(dir.path).sort()).toEqual([
      '.other.lock.cc.candidate',
      '.session.lock.bb.candidate',
      'session.lock.1',
    ]);
  });

  it('survives the sweep of its own candidate by a clock that jumped', async () => {
    await using dir = await tempDir();
    let isSwept = false;
    const fileSystem: FileSystem = {
      ...nodeFileSystem,
      link(existing, added) {
        if (!isSwept) nodeFileSystem.unlink(existing);
        isSwept = true;
        nodeFileSystem.link(existing, added);
      },
    };
    using lock = take({ ...tools, fileSystem }, dir.at('session'));
    expect([isSwept, lock.epoch]).toEqual([true, 1]);
  });
});

describe('a lock taken by force', () => {
  it('is lost to its owner, who may no longer commit', async () => {
    await using dir = await tempDir();
    using lock = take(tools, dir.at('session'));
    lock.assertHeld();
    expect(forceUnlock(tools, dir.at('session'))).toMatchObject({
      hold: 'held',
      epoch: 1,
      owner: { pid: process.pid },
    });
    expect(lock.isHeld()).toBe(false);
    expect(() => lock.assertHeld()).toThrow(expect.objectContaining({ code: 'LOCK_LOST' }));
    expect(inspectLock(tools, dir.at('session'))).toMatchObject({ hold: 'free', epoch: 2 });
    expect(readdirSync(dir.path).sort()).toEqual(['session.lock.1', 'session.lock.2']);
  });

  it('stays lost to its owner after others took it and swept', async () => {
    await using dir = await tempDir();
    using loser = take(tools, dir.at('session'));
    forceUnlock(tools, dir.at('session'));
    using winner = take(tools, dir.at('session'));
    expect(readdirSync(dir.path)).toEqual(['session.lock.3']);
    expect([loser.isHeld(), winner.isHeld()]).toEqual([false, true]);
    loser.release();
    expect(winner.isHeld()).toBe(true);
    expect(JSON.parse(readFileSync(dir.at('session.lock.3'), 'utf8'))).toMatchObject({ pid: process.pid });
  });

  it('stays lost at every moment of the sweep', async () => {
    await using dir = await tempDir();
    const held: boolean[] = [];
    using loser = take(tools, dir.at('session'));
    forceUnlock(tools, dir.at('session'));
    const fileSystem: FileSystem = {
      ...nodeFileSystem,
      unlink(path) {
        nodeFileSystem.unlink(path);
        held.push(loser.isHeld());
      },
    };
    using _winner = take({ ...tools, fileSystem }, dir.at('session'));
    expect(held).toEqual([false, false, false]);
  });

  it('stays lost to an owner whose candidate could not be removed', async () => {
    await using dir = await tempDir();
    const fileSystem = new FailingFileSystem({ fault: 'EIO', at: 1, only: ['unlink'] });
    using loser = take({ ...tools, fileSystem }, dir.at('session'));
    expect(readdirSync(dir.path)).toHaveLength(2);
    forceUnlock(tools, dir.at('session'));
    using _winner = take(tools, dir.at('session'));
    expect(loser.isHeld()).toBe(false);
  });

  it('is left alone if it is free', async () => {
    await using dir = await tempDir();
    expect(forceUnlock(tools, dir.at('session'))).toEqual({
      hold: 'free',
      epoch: 0,
      reason: 'it was never taken',
    });
    take(tools, dir.at('session')).release();
    expect(forceUnlock(tools, dir.at('session'))).toMatchObject({ hold: 'free', epoch: 1 });
    expect(readdirSync(dir.path)).toEqual(['session.lock.1']);
  });

  it('is freed even if its record cannot be read', async () => {
    await using dir = await tempDir();
    writeFileSync(dir.at('session.lock.7'), 'rubbish');
    expect(stateOf(tryAcquireLock(tools, dir.at('session')))).toMatchObject({
      hold: 'held',
      reason: 'its record cannot be read',
    });
    forceUnlock(tools, dir.at('session'));
    using lock = take(tools, dir.at('session'));
    expect(lock.epoch).toBe(9);
  });

  it('is told apart from one whose files are gone, and nobody is said to have run unlock', async () => {
    await using dir = await tempDir();
    mkdirSync(dir.at('own'), { mode: 0o700 });
    using gone = take(tools, dir.at('own', 'session'));
    rmSync(dir.at('own'), { recursive: true });
    expect(() => gone.assertHeld()).toThrow(
      expect.objectContaining({
        message: expect.stringContaining('is gone: its files were removed'),
        hint: expect.not.stringContaining('unlock'),
      }),
    );
    using planted = take(tools, dir.at('planted'));
    writeFileSync(dir.at('planted.lock.2'), 'free\n', { mode: 0o600 });
    expect(() => planted.assertHeld()).toThrow(
      expect.objectContaining({
        message: expect.stringContaining('was taken away'),
        hint: expect.stringMatching(/A higher record.*unlock --force` leaves one, and so may any program/),
      }),
    );
  });

  it('is reported to its owner by a signal; a release is not', async () => {
    await using dir = await tempDir();
    const lost = take(tools, dir.at('lost'));
    const released = take(tools, dir.at('released'));
    const [lostSignal, releasedSignal] = [lost.lossSignal(), released.lossSignal()];
    released.release();
    forceUnlock(tools, dir.at('lost'));
    await new Promise((resolve) => lostSignal.addEventListener('abort', resolve, { once: true }));
    expect(lostSignal.reason).toMatchObject({ code: 'LOCK_LOST' });
    expect(releasedSignal.aborted).toBe(false);
    lost.release();
  });

  it('is reported by a signal that has already fired if it was lost before', async () => {
    await using dir = await tempDir();
    using lock = take(tools, dir.at('session'));
    forceUnlock(tools, dir.at('session'));
    expect(lock.lossSignal().aborted).toBe(true);
  });

  it('does not fire the signal, nor end the process, when looking fails', async () => {
    await using dir = await tempDir();
    const fileSystem = new FailingFileSystem();
    using lock = take({ ...tools, fileSystem }, dir.at('session'));
    fileSystem.arm({ fault: 'EIO', at: 1, isLasting: true, only: ['look'] });
    expect(lock.lossSignal().aborted).toBe(false);
    expect(() => lock.assertHeld()).toThrow(
      expect.objectContaining({ code: 'STORAGE_FAILED', step: 'check the lock' }),
    );
  });
});

describe('a failing disk', () => {
  it.each([
    ['a release that cannot be written', { fault: 'EIO', at: 1, only: ['write'] }],
    ['a release that is written in part', { fault: 'SHORT', at: 1 }],
  ] as const)('%s causes a warning, and the lock is still free to take', async (_what, plan) => {
    await using dir = await tempDir();
    const fileSystem = new FailingFileSystem();
    const log = new RecordingLog();
    const lock = take({ ...tools, fileSystem, log }, dir.at('session'));
    fileSystem.arm(plan);
    lock.release();
    expect(log.events).toMatchObject([{ level: 'warn', event: 'lock.release-failed' }]);
    expect(fileSystem.openDescriptors.size).toBe(0);
    using next = take(tools, dir.at('session'));
    expect(next.epoch).toBe(2);
  });

  it('keeps a taken lock when sweeping fails', async () => {
    await using dir = await tempDir();
    take(tools, dir.at('session')).release();
    const fileSystem = new FailingFileSystem({ fault: 'EIO', at: 2, isLasting: true, only: ['unlink'] });
    using lock = take({ ...tools, fileSystem }, dir.at('session'));
    expect([lock.epoch, lock.isHeld()]).toEqual([2, true]);
  });
});

describe('things that were planted', () => {
  it('in place of a record are refused, not followed', async () => {
    await using dir = await tempDir();
    writeFileSync(dir.at('victim'), 'free\n');
    symlinkSync(dir.at('victim'), dir.at('session.lock.1'));
    expect(() => tryAcquireLock(tools, dir.at('session'))).toThrow(
      expect.objectContaining({ code: 'UNSAFE_PATH' }),
    );
    mkdirSync(dir.at('other.lock.1'));
    expect(() => tryAcquireLock(tools, dir.at('other'))).toThrow(
      expect.objectContaining({ code: 'UNSAFE_PATH' }),
    );
    expect(readFileSync(dir.at('victim'), 'utf8')).toBe('free\n');
  });

  it('in an owner’s text are made harmless when shown', async () => {
    await using dir = await tempDir();
    using _lock = take({ ...tools, command: '\x1b[2Jevil\nline' }, dir.at('session'));
    const state = stateOf(tryAcquireLock(tools, dir.at('session')));
    expect(describeOwner(state)).toContain('^[[2Jevil\\nline');
  });
});

describe('a lock whose directory is moved away', () => {
  it('is no longer held, nor is one in a directory that takes its place', async () => {
    await using dir = await tempDir();
    mkdirSync(dir.at('a'));
    const lock = take(tools, dir.at('a', 'session'));
    renameSync(dir.at('a'), dir.at('trash'));
    expect(lock.isHeld()).toBe(false);
    mkdirSync(dir.at('a'));
    using other = take(tools, dir.at('a', 'session'));
    expect([lock.epoch, other.epoch, lock.isHeld(), other.isHeld()]).toEqual([1, 1, false, true]);
    lock.release();
    expect(other.isHeld()).toBe(true);
    expect(existsSync(dir.at('trash', 'session.lock.1'))).toBe(true);
    chmodSync(dir.at('trash'), 0o700);
  });
});
