import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { FailingFileSystem } from '../../test/support/failing-file-system.js';
import { FakeClock } from '../../test/support/fake-clock.js';
import { newEntry, PLAN_FILES } from '../../test/support/queue-entries.js';
import { storageTools } from '../../test/support/storage-tools.js';
import { tempDir } from '../../test/support/temp-dir.js';
import { replaceFile } from '../storage/index.js';
import { FileQueue } from './file-queue.js';
import { readPrp } from './plan-content.js';
import { ALWAYS, NO_LIMITS } from './port.js';
import { viewFiles } from './view.js';

/** A queue with one entry, whose plan was written long before, or right before, it was queued. */
async function queued(agoMs: number) {
  const dir = await tempDir();
  const fileSystem = new FailingFileSystem();
  const clock = new FakeClock({ now: new Date(Date.now() + agoMs).toISOString() });
  const tools = storageTools({ fileSystem, clock });
  const source = join(dir.path, 'plan.md');
  const write = (text: string) => replaceFile(tools, source, text);
  write('# one\n');
  const { plan, content } = readPrp({ fileSystem, workingDirectory: dir.path, project: dir.path }, source);
  const queue = new FileQueue(tools, join(dir.path, 'queue'));
  await queue.add(newEntry({ plan, project: dir.path }), content);
  const facts = { now: clock.now(), limits: NO_LIMITS, admission: ALWAYS, agentOf: () => 'claude' };
  const reads = () =>
    fileSystem.calls.filter(({ name, about }) => name === 'open' && about === source).length;
  const note = () => viewFiles(queue, { fileSystem }, facts).entries[0]?.planNote;
  return { dir, fileSystem, source, write, reads, note };
}

describe('the list', () => {
  it('reads a plan again only if its file looks different', async () => {
    const { dir, fileSystem, source, write, reads, note } = await queued(60_000);
    await using _dir = dir;
    const before = reads();
    expect(note()).toBeNull();
    expect(reads()).toBe(before);
    write('# two\n');
    expect(note()).toBe('changed');
    write('# one\n');
    expect(note()).toBeNull();
    fileSystem.unlink(source);
    expect(note()).toBe('gone');
  });

  it('shows everything that an entry says', async () => {
    await using dir = await tempDir();
    const queue = new FileQueue(storageTools(), join(dir.path, 'queue'));
    const added = await queue.add(newEntry({ priority: 3 }), PLAN_FILES);
    const facts = { now: new Date(), limits: NO_LIMITS, admission: ALWAYS, agentOf: () => 'claude' };
    const [shown] = viewFiles(queue, storageTools(), facts).entries;
    expect(shown).toEqual({ ...added, standing: { is: 'next' }, planNote: 'gone' });
  });

  it('names no run of an entry that failed before there was one', async () => {
    await using dir = await tempDir();
    const tools = storageTools();
    const queue = new FileQueue(tools, join(dir.path, 'queue'));
    const facts = { now: new Date(), limits: NO_LIMITS, admission: ALWAYS, agentOf: () => 'claude' };
    const end = {
      outcome: 'failed',
      reason: 'no',
      worktree: null,
      hasPrompted: false,
      question: null,
    } as const;
    for (const report of [null, '{}']) {
      await queue.add(newEntry(), PLAN_FILES);
      await (await queue.take({ ...facts, own: new Set() }))?.finish({ ...end, report });
    }
    const [without, withRun] = viewFiles(queue, tools, facts).entries;
    expect(without).toMatchObject({ status: 'failed', runId: null });
    expect(withRun).toMatchObject({ status: 'failed', runId: expect.any(String) });
    // Its run id is kept: a retry continues in its worktree.
    expect(queue.get(without?.id ?? '')?.runId).not.toBeNull();
  });

  it('does not trust the look of a file that was just written: one time may stand for two contents', async () => {
    const { dir, reads, note } = await queued(0);
    await using _dir = dir;
    const before = reads();
    expect(note()).toBeNull();
    expect(reads()).toBeGreaterThan(before);
  });
});
