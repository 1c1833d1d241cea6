import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { FailingFileSystem } from '../../test/support/failing-file-system.js';
import { DONE, newEntry, PLAN_FILES, TAKER } from '../../test/support/queue-entries.js';
import { storageTools } from '../../test/support/storage-tools.js';
import { tempDir } from '../../test/support/temp-dir.js';
import { type LockTools, nodeFileSystem, type OnHint } from '../storage/index.js';
import { FileQueue } from './file-queue.js';

describe('the queue on files', () => {
  it('writes durably three times for claim, report and end', async () => {
    await using dir = await tempDir();
    const written: string[] = [];
    const fileSystem = {
      ...nodeFileSystem,
      rename(from: string, to: string) {
        written.push(to.replace(dir.path, '').replaceAll(/[0-9a-f-]{36}/g, 'id'));
        nodeFileSystem.rename(from, to);
      },
    };
    const queue = new FileQueue(storageTools({ fileSystem }), join(dir.path, 'queue'));
    await queue.add(newEntry(), PLAN_FILES);
    const taken = await queue.take(TAKER);
    await taken?.finish(DONE);
    expect(written).toEqual([
      '/queue/entries/id.json',
      '/queue/kept/id/report.json',
      '/queue/entries/id.json',
    ]);
  });

  it('leaves what cannot be read where it is, and continues with the rest', async () => {
    await using dir = await tempDir();
    const tools = storageTools();
    const queue = new FileQueue(tools, join(dir.path, 'queue'));
    const [broken, whole] = [
      await queue.add(newEntry(), PLAN_FILES),
      await queue.add(newEntry(), PLAN_FILES),
    ];
    const path = join(dir.path, 'queue', 'entries', `${broken.id}.json`);
    const descriptor = nodeFileSystem.open(path, 1);
    nodeFileSystem.truncate(descriptor, 3);
    nodeFileSystem.close(descriptor);
    expect(queue.read().damaged).toMatchObject([{ path }]);
    expect((await queue.take(TAKER))?.entry.id).toBe(whole.id);
  });

  it('wakes a worker for changes, but never for the locks that it takes itself', async () => {
    await using dir = await tempDir();
    const watched = new Map<string, OnHint>();
    const watcher = {
      watch(path: string, onHint: OnHint) {
        watched.set(path, onHint);
        return { mode: 'watching' as const, close() {} };
      },
    };
    const tools = { ...storageTools(), watcher: watcher as unknown as LockTools['watcher'] };
    const directory = join(dir.path, 'queue');
    const queue = new FileQueue(tools, directory);
    await queue.add(newEntry({ notBefore: '2999-01-01T00:00:00.000Z' }), PLAN_FILES);
    let woken = 0;
    queue.watch(() => {
      woken += 1;
    });
    // What the watcher's safety check reports: the directory has changed, but not how.
    const look = () => watched.get(directory)?.(null);
    await queue.take(TAKER);
    look();
    expect(woken).toBe(0);
    await queue.pause();
    look();
    look();
    expect(woken).toBe(1);
    watched.get(join(directory, 'entries'))?.('a.json');
    expect(woken).toBe(2);
  });

  it.each(['add', 'take', 'finish'] as const)(
    'a full disk at %s: an error, and afterwards all is as before',
    async (step) => {
      await using dir = await tempDir();
      const fileSystem = new FailingFileSystem();
      const queue = new FileQueue(storageTools({ fileSystem }), join(dir.path, 'queue'));
      const { id } = await queue.add(newEntry(), PLAN_FILES);
      const full = () => fileSystem.arm({ fault: 'ENOSPC', at: 1, isLasting: true });
      const end = {
        outcome: 'done',
        reason: null,
        worktree: null,
        hasPrompted: true,
        question: null,
      } as const;
      const taken = step === 'finish' ? await queue.take(TAKER) : undefined;
      full();
      const tried =
        step === 'add'
          ? queue.add(newEntry(), PLAN_FILES)
          : step === 'take'
            ? queue.take(TAKER)
            : taken?.finish({ ...end, report: '{}' });
      await expect(tried).rejects.toMatchObject({ code: expect.stringMatching(/FAILED$/) });
      fileSystem.arm(undefined);
      expect(queue.read()).toMatchObject({ entries: [{ id }], damaged: [] });
      if (step === 'finish') await taken?.finish({ ...end, report: '{}' });
      else await (await queue.take(TAKER))?.finish({ ...end, report: '{}' });
      expect(queue.get(id)?.status).toBe('done');
    },
  );

  it('removes an entry durably: first where it is kept, then where it was', async () => {
    await using dir = await tempDir();
    const fileSystem = new FailingFileSystem();
    const queue = new FileQueue(storageTools({ fileSystem }), dir.at('queue'));
    const { id } = await queue.add(newEntry(), PLAN_FILES);
    const before = fileSystem.calls.length;
    await queue.remove(id);
    const steps = fileSystem.calls
      .slice(before)
      .filter(({ name }) => name === 'rename' || name === 'sync')
      .map(({ name, about }) => `${name} ${about.replace(dir.path, '').replace(id, 'id')}`);
    expect(steps).toEqual(['rename /queue/entries/id.json', 'sync /queue/kept/id', 'sync /queue/entries']);
    expect(readdirSync(dir.at('queue', 'kept', id))).toContain('entry.json');
  });

  it('keeps nothing of an entry that it refuses', async () => {
    await using dir = await tempDir();
    const queue = new FileQueue(storageTools(), dir.at('queue'));
    const unknown = '3f2a0000-0000-4000-8000-000000000000';
    await expect(queue.add(newEntry({ after: [unknown] }), PLAN_FILES)).rejects.toMatchObject({
      code: 'ENTRY_NOT_FOUND',
    });
    expect(existsSync(dir.at('queue', 'kept'))).toBe(false);
  });

  it('keeps a new plan beside the old one, and runs the new one', async () => {
    await using dir = await tempDir();
    const queue = new FileQueue(storageTools(), join(dir.path, 'queue'));
    const before = await queue.add(newEntry(), PLAN_FILES);
    const plan = { ...before.plan, hash: 'b'.repeat(64) };
    const content = { files: new Map([['plan.md', Buffer.from('# new\n')]]) };
    const after = await queue.updatePlan(before.id, plan, content);
    expect(queue.planPath(after, 'plan.md')).not.toBe(queue.planPath(before, 'plan.md'));
  });
});
