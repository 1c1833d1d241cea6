import { verifies } from '../support/verifies.js';
import { mutate } from './conversation-mutations.js';

verifies('C10', '20,000 files changed at random: no crash, no hang, no memory without bounds', () =>
  mutate(20_000, 2),
);
