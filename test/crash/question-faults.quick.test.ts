import { describe, expect } from 'vitest';
import type { Fault } from '../support/failing-file-system.js';
import { DEEDS, failAt } from '../support/question-faults.js';
import { verifies } from '../support/verifies.js';

const FAULTS: readonly Fault[] = ['ENOSPC', 'EIO', 'EACCES', 'EMFILE', 'EROFS', 'SHORT'];

// The long run makes every single call fail.
describe.concurrent('every fifth call that fails is a typed error, hurts nothing and leaves nothing', () => {
  for (const deed of DEEDS.filter(({ isQuick }) => isQuick)) {
    for (const fault of FAULTS) {
      verifies('Q10', `${deed.name}: ${fault}, once and for ever`, async () => {
        let at = 1;
        for (; await failAt(deed, { fault, at }); at += 5) await failAt(deed, { fault, at, isLasting: true });
        expect(at).toBeGreaterThan(1);
      });
    }
  }
});
