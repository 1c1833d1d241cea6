import { verifies } from '../support/verifies.js';
import { mutate } from './conversation-mutations.js';

// In two parts, so that a busy machine has time for each of them.
for (const seed of [2, 3])
  verifies(
    'C10',
    `10,000 files changed at random by seed ${seed}: no crash, no hang, no memory without bounds`,
    () => mutate(10_000, seed),
  );
