import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { newEntry, PLAN_FILES } from '../../test/support/queue-entries.js';
import { storageTools } from '../../test/support/storage-tools.js';
import { tempDir } from '../../test/support/temp-dir.js';
import { FileQueue } from './file-queue.js';
import { ALWAYS, NO_LIMITS } from './port.js';
import { QueueDesk } from './queue-desk.js';

describe('trying again', () => {
  it('puts a failed entry back with its run and its worktree, and nothing else', async () => {
    await using dir = await tempDir();
    const tools = storageTools();
    const queue = new FileQueue(tools, join(dir.path, 'queue'));
    const rules = { limits: NO_LIMITS, admission: ALWAYS, agentOf: () => 'claude' };
    const desk = new QueueDesk({
      ...rules,
      queue,
      clock: tools.clock,
      place: () => {
        throw new Error('nobody queues here');
      },
      checkAgent: () => {},
      checkCost: async () => {},
      waitOf: async () => null,
    });
    const { id } = await queue.add(newEntry(), PLAN_FILES);
    await expect(desk.retry(id.slice(0, 8))).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    const taken = await queue.take({ ...rules, own: new Set() });
    await taken?.finish({
      outcome: 'failed',
      reason: 'it broke',
      worktree: '/w',
      hasPrompted: true,
      report: '{}',
      question: null,
    });
    expect(await desk.retry(id.slice(0, 8))).toMatchObject({
      status: 'queued',
      runId: taken?.entry.runId,
      worktree: '/w',
      endedAt: null,
    });
    await expect(desk.retry('ffffffff')).rejects.toMatchObject({ code: 'ENTRY_NOT_FOUND' });
  });
});
