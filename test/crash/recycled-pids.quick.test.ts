import { expect } from 'vitest';
import { itNeeds } from '../support/it-needs.js';
import { tempDir } from '../support/temp-dir.js';
import { startWorker } from '../support/workers.js';
import type { ProgramWorker } from './workers/program-worker.js';

const WORKER = new URL('./workers/program-worker.ts', import.meta.url);

itNeeds(
  { root: true, unshare: true },
  'a foreign process that got the pid of an ended program is never signalled',
  async () => {
    await using dir = await tempDir();
    await using worker = await startWorker<ProgramWorker>(WORKER, {
      wrap: ['unshare', '--pid', '--fork', '--mount-proc'],
    });
    for (let round = 0; round < 20; round++) {
      const outcome = await worker.call('stopRecycled', dir.at('programs'));
      expect(outcome).toEqual({ isRecycled: true, isForeignAlive: true });
    }
  },
);
