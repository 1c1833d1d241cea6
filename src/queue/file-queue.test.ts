import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { newEntry, PLAN_FILES } from '../../test/support/queue-entries.js';
import { storageTools } from '../../test/support/storage-tools.js';
import { tempDir } from '../../test/support/temp-dir.js';
import { nodeFileSystem } from '../storage/index.js';
import { FileQueue } from './file-queue.js';
import { ALWAYS, NO_LIMITS, type Taker } from './port.js';

const TAKER: Taker = { limits: NO_LIMITS, admission: ALWAYS, agentOf: () => 'claude', own: new Set() };

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
    await taken?.finish({
      outcome: 'done',
      reason: null,
      worktree: null,
      hasPrompted: true,
      report: '{}',
      question: null,
    });
    expect(written).toEqual([
      '/queue/entries/id.json',
      '/queue/kept/id/report.json',
      '/queue/entries/id.json',
    ]);
  });

  it('leaves what cannot be read where it is, and goes on with the rest', async () => {
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
