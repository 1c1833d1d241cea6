import { describe, expect } from 'vitest';
import { verifies } from '../support/verifies.js';
import { killInQueue } from './queue-kills.js';

describe('kill -9 of workers, runs and agents at random', () => {
  verifies(
    'O05',
    'each entry runs exactly once to its end, in order, alone in its worktree, and leaves its report',
    async () => {
      const entries = Number(process.env.HOLDFAST_TEST_QUEUE_ENTRIES ?? 40);
      const kills = Math.ceil(entries * 1.5);
      const found = await killInQueue({ workers: 8, entries, kills, seed: 20, pauseMs: 500 });
      process.stdout.write(`${entries} entries, killed: ${JSON.stringify(found.kills)}\n`);
      expect(found.entries.filter(({ status }) => status !== 'done').map(({ reason }) => reason)).toEqual([]);
      // A run that was killed between its last commit and the journal line about it never reports completion.
      expect(found.completions.filter((times) => times > 1)).toEqual([]);
      const { tooEarly, together, withoutReport } = found;
      expect({ tooEarly, together, withoutReport }).toEqual({
        tooEarly: [],
        together: [],
        withoutReport: [],
      });
      expect(found.kills.worker + found.kills.run + found.kills.agent).toBeGreaterThan(entries / 4);
    },
  );
});
