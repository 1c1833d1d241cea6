import { describe, expect } from 'vitest';
import { killWhileTelling } from '../support/notice-kills.js';
import { verifies } from '../support/verifies.js';

describe('who is killed between queued and sent', () => {
  verifies(
    'N01',
    'leaves a notice that is sent once more, under the same id, where it had arrived',
    async () => {
      expect(await killWhileTelling('arrived')).toBe(2);
    },
  );

  verifies(
    'N01',
    'leaves a notice that is sent at least once and at most twice where it was only queued',
    async () => {
      expect([1, 2]).toContain(await killWhileTelling('queued'));
    },
  );
});
