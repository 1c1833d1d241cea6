import { describe, expect, it } from 'vitest';
import { systemError } from '../../test/support/failing-file-system.js';
import { AtomicWriteError, attempt, faultOf, StorageError, UnsafePathError } from './errors.js';

describe('a failed call', () => {
  it.each([
    ['ENOSPC', 'full', 'Free some space'],
    ['EDQUOT', 'full', 'Free some space'],
    ['EFBIG', 'full', 'Free some space'],
    ['EROFS', 'read-only', 'read-only'],
    ['EACCES', 'denied', 'owner and mode'],
    ['EPERM', 'denied', 'owner and mode'],
    ['EMFILE', 'exhausted', 'ran out'],
    ['ENFILE', 'exhausted', 'ran out'],
    ['EIO', 'broken', 'disk'],
    ['ENOENT', 'gone', 'again'],
    ['EXDEV', 'other', 'report it'],
  ])('%s is classified as %s, with a remedy', (code, fault, remedy) => {
    const cause = systemError(code, 'open', '/x');
    expect(faultOf(cause)).toBe(fault);
    expect(new StorageError('Could not open /x', { path: '/x', step: 'open', cause })).toMatchObject({
      code: 'STORAGE_FAILED',
      fault,
      cause,
      hint: expect.stringContaining(remedy),
    });
  });

  it('is classified as other if the system gives no code', () => {
    expect(
      [new Error('x'), 'text', undefined, Object.assign(new Error('x'), { code: 5 })].map(faultOf),
    ).toEqual(['other', 'other', 'other', 'other']);
  });

  it('is a StorageError, also when it was an atomic write', () => {
    const error = new AtomicWriteError({ path: '/x', step: 'sync', cause: new Error('why') });
    expect(error).toBeInstanceOf(StorageError);
    expect(error).toMatchObject({ code: 'ATOMIC_WRITE_FAILED', name: 'AtomicWriteError', step: 'sync' });
  });
});

describe('attempt', () => {
  it('returns what the action returns', () => {
    expect(attempt('/x', 'read', () => 5)).toBe(5);
  });

  it('names path and step of what the action throws', () => {
    const cause = systemError('EIO', 'read', '/x');
    expect(() =>
      attempt('/x', 'read', () => {
        throw cause;
      }),
    ).toThrow(expect.objectContaining({ code: 'STORAGE_FAILED', path: '/x', step: 'read', cause }));
  });

  it('passes our own errors on unchanged', () => {
    const ours = new UnsafePathError('/x', 'it is a trap');
    expect(() =>
      attempt('/y', 'read', () => {
        throw ours;
      }),
    ).toThrow(ours);
  });
});
