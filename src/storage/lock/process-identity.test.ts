import { hostname } from 'node:os';
import { describe, expect, it } from 'vitest';
import { systemError } from '../../../test/support/failing-file-system.js';
import { deadIdentity, processFacts, zombie } from '../../../test/support/processes.js';
import { type FileSystem, nodeFileSystem } from '../bytes/file-system.js';
import { judgeLife, ownIdentity } from './process-identity.js';

const self = ownIdentity(nodeFileSystem);

/** The real file system, except for the content of some paths in /proc. */
function withProc(stats: Record<string, string | (() => never)>): FileSystem {
  const opened = new Map<number, string | (() => never)>();
  return {
    ...nodeFileSystem,
    look: (path) => (path in stats ? nodeFileSystem.look('/proc/self/stat') : nodeFileSystem.look(path)),
    open(path, flags, mode) {
      const stat = stats[path];
      const descriptor = nodeFileSystem.open(stat === undefined ? path : '/proc/self/stat', flags, mode);
      if (stat !== undefined) opened.set(descriptor, stat);
      return descriptor;
    },
    readText(descriptor) {
      const stat = opened.get(descriptor);
      if (stat === undefined) return nodeFileSystem.readText(descriptor);
      return typeof stat === 'function' ? stat() : stat;
    },
    close(descriptor) {
      opened.delete(descriptor);
      nodeFileSystem.close(descriptor);
    },
  };
}

function statOf(pid: number, name: string, state: string, startTime: string | null): string {
  return `${pid} (${name}) ${state}${' 0'.repeat(18)} ${startTime} 0 0\n`;
}

describe('ownIdentity', () => {
  it('distinguishes this process from every other', () => {
    expect(self).toEqual({
      pid: process.pid,
      startTime: processFacts(process.pid)?.startTime,
      bootId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      pidNamespace: expect.stringMatching(/^pid:\[\d+\]$/),
      timeNamespace: expect.stringMatching(/^time:\[\d+\]$/),
      host: hostname(),
    });
  });

  it('gives null if the system does not say', () => {
    const fileSystem: FileSystem = {
      ...nodeFileSystem,
      look: () => undefined,
      open(path) {
        throw systemError('ENOENT', 'open', path);
      },
      readLink(path) {
        throw systemError('ENOENT', 'readlink', path);
      },
    };
    expect(ownIdentity(fileSystem)).toEqual({
      pid: process.pid,
      startTime: null,
      bootId: null,
      pidNamespace: null,
      timeNamespace: null,
      host: hostname(),
    });
  });
});

describe('judgeLife', () => {
  it('finds our own process alive', () => {
    expect(judgeLife(nodeFileSystem, self, self)).toEqual({
      life: 'alive',
      reason: `process ${self.pid} is running`,
    });
  });

  it('finds a process that is gone dead', async () => {
    const gone = await deadIdentity();
    expect(judgeLife(nodeFileSystem, gone, self)).toEqual({
      life: 'dead',
      reason: `process ${gone.pid} is gone`,
    });
  });

  it('finds a process dead if its pid was given to another', () => {
    const recycled = { ...self, startTime: '1' };
    expect(judgeLife(nodeFileSystem, recycled, self)).toEqual({
      life: 'dead',
      reason: `process ${self.pid} is gone: its number now belongs to another process`,
    });
  });

  it.each([
    ['another time namespace', { timeNamespace: 'time:[1]' }, {}, 'unknown'],
    [
      'none, read where times are shifted',
      { timeNamespace: undefined },
      { timeNamespace: 'time:[1]' },
      'unknown',
    ],
    ['none, read where they are not', { timeNamespace: undefined }, {}, 'dead'],
    ['none that the kernel knows', { timeNamespace: null }, { timeNamespace: null }, 'dead'],
  ])('compares start times only if both see the same ones: a record with %s', (_what, other, own, life) => {
    const shifted = { ...self, startTime: '1', ...other };
    expect(
      judgeLife(nodeFileSystem, shifted, { ...self, timeNamespace: 'time:[4026531834]', ...own }).life,
    ).toBe(life);
  });

  it('finds a zombie dead', async () => {
    using ended = await zombie();
    expect(judgeLife(nodeFileSystem, ended, self)).toEqual({
      life: 'dead',
      reason: `process ${ended.pid} has ended`,
    });
  });

  it('finds a process of an earlier boot dead, even if its pid is in use', () => {
    const other = { ...self, bootId: '00000000-0000-4000-8000-000000000000' };
    expect(judgeLife(nodeFileSystem, other, self)).toEqual({
      life: 'dead',
      reason: 'the machine was restarted',
    });
  });

  it('does not judge another host, not even one that was restarted', () => {
    const other = { ...self, pid: 4_194_305, host: 'elsewhere', bootId: 'other' };
    expect(judgeLife(nodeFileSystem, other, self)).toMatchObject({
      life: 'unknown',
      reason: expect.stringContaining('elsewhere'),
    });
  });

  it.each([{ pidNamespace: 'pid:[1]' }, { pidNamespace: null }])(
    'does not judge another pid namespace (%j)',
    (other) => {
      expect(judgeLife(nodeFileSystem, { ...self, pid: 4_194_305, ...other }, self).life).toBe('unknown');
    },
  );

  it('does not mistake a missing boot id for an earlier boot', () => {
    expect(judgeLife(nodeFileSystem, { ...self, bootId: null }, self).life).toBe('alive');
    expect(judgeLife(nodeFileSystem, self, { ...self, bootId: null }).life).toBe('alive');
  });

  it('counts a process without a start time as alive while its pid is in use', () => {
    expect(judgeLife(nodeFileSystem, { ...self, startTime: null }, self).life).toBe('alive');
  });

  it('only asks the system if there is no /proc', async () => {
    const plain = { startTime: null, bootId: null, pidNamespace: null };
    const gone = { ...(await deadIdentity()), ...plain };
    expect(judgeLife(nodeFileSystem, gone, { ...self, ...plain }).life).toBe('dead');
    expect(judgeLife(nodeFileSystem, { ...self, ...plain }, { ...self, ...plain }).life).toBe('unknown');
  });

  it('does not trust a death shown by a /proc of another namespace', () => {
    // As in `unshare --pid` without its own /proc: our pid, and the owner's, belong to other processes there.
    const owner = { ...self, pid: self.pid + 1, startTime: '4711' };
    const foreign = {
      [`/proc/${self.pid}/stat`]: statOf(self.pid, 'kthreadd', 'S', '2'),
      [`/proc/${owner.pid}/stat`]: statOf(owner.pid, 'kworker', 'S', '3'),
    };
    expect(judgeLife(withProc(foreign), owner, self).life).toBe('unknown');
    const zombies = { ...foreign, [`/proc/${owner.pid}/stat`]: statOf(owner.pid, 'kworker', 'Z', '4711') };
    expect(judgeLife(withProc(zombies), owner, self).life).toBe('unknown');
  });

  it('finds a process dead if it ends during the check, without an error', async () => {
    const gone = await deadIdentity();
    const fileSystem = withProc({
      [`/proc/${gone.pid}/stat`]: () => {
        throw systemError('ESRCH', 'read', `/proc/${gone.pid}/stat`);
      },
    });
    expect(judgeLife(fileSystem, gone, self).life).toBe('dead');
  });

  it('does not judge a process that we may not look at', () => {
    const fileSystem = withProc({
      '/proc/1/stat': () => {
        throw systemError('EPERM', 'read', '/proc/1/stat');
      },
    });
    expect(judgeLife(fileSystem, { ...self, pid: 1 }, self).life).toBe('unknown');
  });

  it.each(['node', 'a b', 'x) S 1 (y', ') Z', '((('])('reads the facts of a process named %j', (name) => {
    const other = { ...self, pid: self.pid + 1, startTime: '4711' };
    const fileSystem = withProc({ [`/proc/${other.pid}/stat`]: statOf(other.pid, name, 'S', '4711') });
    expect(judgeLife(fileSystem, other, self).life).toBe('alive');
  });
});
