import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { makeFifo } from '../../../test/support/plant.js';
import { tempDir } from '../../../test/support/temp-dir.js';
import { nodeFileSystem } from '../bytes/file-system.js';
import { epochsIn, FREE, type LockOwner, lockStateAt, recordPath, serializeOwner } from './lock-record.js';
import { ownIdentity } from './process-identity.js';

const identity = ownIdentity(nodeFileSystem);
const tools = { fileSystem: nodeFileSystem, identity };
const owner: LockOwner = {
  version: 1,
  ...identity,
  token: 'f'.repeat(32),
  command: 'holdfast test',
  since: '2026-03-01T12:00:00.000Z',
};

it('recognises the records of a lock by their names, lowest first', () => {
  const names = [
    'session.lock.10',
    'session.lock.9',
    'session.lock.0',
    'session.lock.01',
    'session.lock.-1',
    'session.lock.1e3',
    'session.lock.',
    'session.lock.5.bak',
    'session.lock.99999999999999999999',
    '.session.lock.3',
    'other.lock.4',
    'session.lock',
  ];
  expect(epochsIn(names, '/some/where/session')).toEqual([9, 10]);
  expect(recordPath('/some/where/session', 9)).toBe('/some/where/session.lock.9');
});

describe('the state of a lock', () => {
  it('is free if there never was one', () => {
    expect(lockStateAt(tools, '/none', 0)).toEqual({ hold: 'free', epoch: 0, reason: 'it was never taken' });
  });

  it('is not decided by a record that is gone', async () => {
    await using dir = await tempDir();
    expect(lockStateAt(tools, dir.at('session'), 3)).toBeUndefined();
  });

  it('is held by a living owner, who is named', async () => {
    await using dir = await tempDir();
    writeFileSync(dir.at('session.lock.3'), serializeOwner(owner));
    expect(lockStateAt(tools, dir.at('session'), 3)).toEqual({
      hold: 'held',
      epoch: 3,
      owner,
      reason: `process ${process.pid} is running`,
    });
  });

  it.each([
    ['released', FREE, 'free', 'it was released'],
    ['half released', `${FREE}"version":1}\n`, 'free', 'it was released'],
    ['empty', '', 'dead', 'its owner died in a power loss'],
    ['full of NULs', '\0'.repeat(300), 'dead', 'its owner died in a power loss'],
    [
      'of a dead owner',
      serializeOwner({ ...owner, startTime: '1' }),
      'dead',
      `process ${process.pid} is gone: its number now belongs to another process`,
    ],
    ['unreadable', 'rubbish', 'held', 'its record cannot be read'],
    ['the start of a release', 'fre', 'free', 'it was released'],
    ['torn', serializeOwner(owner).slice(0, 40), 'held', 'its record cannot be read'],
    ['NULs and text', '\0\0{}', 'held', 'its record cannot be read'],
    ['null', 'null', 'held', 'its record cannot be read'],
    ['an array', '[]', 'held', 'its record cannot be read'],
    ['without a host', JSON.stringify({ ...owner, host: undefined }), 'held', 'its record cannot be read'],
    ['with pid 0', JSON.stringify({ ...owner, pid: 0 }), 'held', 'its record cannot be read'],
    ['with a negative pid', JSON.stringify({ ...owner, pid: -1 }), 'held', 'its record cannot be read'],
    ['with a pid of text', JSON.stringify({ ...owner, pid: '1' }), 'held', 'its record cannot be read'],
    [
      'with a start time of a number',
      JSON.stringify({ ...owner, startTime: 1 }),
      'held',
      'its record cannot be read',
    ],
  ])('a record that is %s', async (_what, content, hold, reason) => {
    await using dir = await tempDir();
    writeFileSync(dir.at('session.lock.3'), content);
    expect(lockStateAt(tools, dir.at('session'), 3)).toMatchObject({ hold, epoch: 3, reason });
  });

  it.each([
    ['a symbolic link', (path: string) => symlinkSync('/etc/hostname', path)],
    ['a FIFO', (path: string) => makeFifo(path)],
    ['a directory', (path: string) => mkdirSync(path)],
  ])('is not read from %s', async (_what, put) => {
    await using dir = await tempDir();
    put(dir.at('session.lock.3'));
    expect(() => lockStateAt(tools, dir.at('session'), 3)).toThrow(
      expect.objectContaining({ code: 'UNSAFE_PATH' }),
    );
  });
});

it('writes an owner as one line of JSON', () => {
  expect(serializeOwner(owner)).toBe(`${JSON.stringify(owner)}\n`);
  expect(readFileSync('/proc/self/stat', 'utf8')).toContain(String(identity.startTime));
});
