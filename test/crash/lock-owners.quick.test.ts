import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  Lock,
  type LockOwner,
  nodeFileSystem,
  ownIdentity,
  tryAcquireLock,
} from '../../src/storage/index.js';
import { itNeeds } from '../support/it-needs.js';
import { deadIdentity, processFacts, until, zombie } from '../support/processes.js';
import { storageTools } from '../support/storage-tools.js';
import { type TempDir, tempDir } from '../support/temp-dir.js';
import { startWorker } from '../support/workers.js';
import type { StorageWorker } from './workers/storage-worker.js';

const WORKER = new URL('./workers/storage-worker.ts', import.meta.url);
const self = ownIdentity(nodeFileSystem);

describe('an owner record', () => {
  const cases: readonly {
    what: string;
    record: () => Promise<string | Partial<LockOwner>>;
    isTaken: boolean;
  }[] = [
    { what: 'of a process that is gone', record: deadIdentity, isTaken: true },
    {
      what: 'whose pid belongs to another process now',
      record: async () => ({ pid: 1, startTime: '99999999999' }),
      isTaken: true,
    },
    { what: 'of our own pid in an earlier life', record: async () => ({ startTime: '1' }), isTaken: true },
    {
      what: 'of an earlier boot',
      record: async () => ({ bootId: '00000000-0000-4000-8000-000000000000' }),
      isTaken: true,
    },
    { what: 'that is empty', record: async () => '', isTaken: true },
    { what: 'full of NULs', record: async () => '\0'.repeat(400), isTaken: true },
    { what: 'that says free', record: async () => 'free\n', isTaken: true },
    { what: 'of ourselves', record: async () => ({}), isTaken: false },
    {
      what: 'of another host',
      record: async () => ({ ...(await deadIdentity()), host: 'elsewhere' }),
      isTaken: false,
    },
    {
      what: 'of another host, earlier boot',
      record: async () => ({ host: 'elsewhere', bootId: 'x' }),
      isTaken: false,
    },
    {
      what: 'of another pid namespace',
      record: async () => ({ ...(await deadIdentity()), pidNamespace: 'pid:[1]' }),
      isTaken: false,
    },
    { what: 'that cannot be read', record: async () => '{"pid":', isTaken: false },
    { what: 'that has only a part', record: async () => '{"pid":4194305}', isTaken: false },
  ];

  it.each(cases)('$what: taken over $isTaken', async ({ record, isTaken }) => {
    await using dir = await tempDir();
    const content = await record();
    plantRecord(dir, content);
    const outcome = tryAcquireLock(storageTools(), dir.at('session'));
    expect(outcome instanceof Lock).toBe(isTaken);
    if (outcome instanceof Lock) outcome.release();
    else expect(outcome).toMatchObject({ hold: 'held', epoch: 5, reason: expect.any(String) });
  });

  it('of a zombie: taken over', async () => {
    await using dir = await tempDir();
    using ended = await zombie();
    plantRecord(dir, ended);
    const outcome = tryAcquireLock(storageTools(), dir.at('session'));
    expect(outcome).toBeInstanceOf(Lock);
    expect(processFacts(ended.pid)?.state).toBe('Z');
  });
});

describe('an owner in another pid namespace', () => {
  itNeeds({ root: true, unshare: true }, 'is not robbed, and says where it is', async () => {
    await using dir = await tempDir();
    const path = dir.at('session');
    const wrap = ['unshare', '--pid', '--fork', '--kill-child=SIGKILL', '--mount-proc'];
    await using inside = await startWorker<StorageWorker>(WORKER, { wrap });
    await using outside = await startWorker<StorageWorker>(WORKER);
    await inside.call('hold', { path });
    expect(await inside.call('pid')).toBeLessThan(10);
    expect(await outside.call('tryLock', { path })).toMatchObject({
      taken: false,
      state: { hold: 'held', reason: expect.stringContaining('another pid namespace') },
    });
    await inside.call('release');
    expect(await outside.call('tryLock', { path })).toEqual({ taken: true });
    expect(await inside.call('tryLock', { path })).toMatchObject({ taken: false, state: { hold: 'held' } });
  });

  itNeeds(
    { root: true, unshare: true },
    'that sees the /proc of the first one is not robbed by its neighbour either',
    async () => {
      await using dir = await tempDir();
      const path = dir.at('session');
      // Both run in one pid namespace of their own, whose pids mean other processes in the /proc they see.
      const script = `"$0" "$1" & wait`;
      await using first = await startWorker<StorageWorker>(WORKER, {
        wrap: ['unshare', '--pid', '--fork', '--kill-child=SIGKILL', 'sh', '-c', script],
      });
      await first.call('hold', { path });
      const outer = namespacePidOf(first.pid);
      await using second = await startWorker<StorageWorker>(WORKER, {
        wrap: ['nsenter', '--pid', `--target=${outer}`, '--'],
      });
      const attempt = await second.call('tryLock', { path });
      expect(attempt).toMatchObject({ taken: false, state: { hold: 'held' } });
      await first.call('release');
      expect(await second.call('tryLock', { path })).toEqual({ taken: true });
    },
  );
});

describe('a stopped owner', () => {
  it('is not robbed; force takes the lock, and after it goes on its commit is refused', async () => {
    await using dir = await tempDir();
    const [path, file] = [dir.at('session'), dir.at('file')];
    await using owner = await startWorker<StorageWorker>(WORKER);
    await using other = await startWorker<StorageWorker>(WORKER);
    for (let round = 0; round < 20; round++) {
      await owner.call('hold', { path });
      await owner.call('commit', { path: file, text: `owner ${round}` });
      owner.kill('SIGSTOP');
      await until(() => processFacts(owner.pid)?.state === 'T');
      expect(await other.call('tryLock', { path })).toMatchObject({ taken: false, state: { hold: 'held' } });
      expect(await other.call('force', { path })).toMatchObject({ hold: 'held', owner: { pid: owner.pid } });
      expect(await other.call('tryLock', { path })).toEqual({ taken: true });
      await other.call('commit', { path: file, text: `other ${round}` });
      const late = owner.call('commit', { path: file, text: `stale ${round}` });
      owner.kill('SIGCONT');
      await expect(late).rejects.toMatchObject({ code: 'LOCK_LOST' });
      expect(readFileSync(file, 'utf8')).toBe(`other ${round}`);
      await owner.call('release');
      expect(await other.call('inspect', { path })).toMatchObject({
        hold: 'held',
        owner: { pid: other.pid },
      });
      await other.call('release');
    }
  });
});

function plantRecord(dir: TempDir, content: string | Partial<LockOwner>): void {
  const owner: LockOwner = {
    version: 1,
    ...self,
    token: 'f'.repeat(32),
    command: 'holdfast test',
    since: '2026-03-01T12:00:00.000Z',
  };
  const text = typeof content === 'string' ? content : `${JSON.stringify({ ...owner, ...content })}\n`;
  writeFileSync(dir.at('session.lock.5'), text);
}

/** The pid, as seen from here, of a process in the namespace that `unshare` made. */
function namespacePidOf(unsharePid: number): number {
  const children = readFileSync(`/proc/${unsharePid}/task/${unsharePid}/children`, 'utf8').trim().split(' ');
  return Number(children[0]);
}
