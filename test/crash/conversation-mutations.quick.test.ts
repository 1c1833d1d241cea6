import { verifies } from '../support/verifies.js';
import { mutate } from './conversation-mutations.js';

verifies('C10', '400 files changed at random: no crash, no hang, no memory without bounds', () =>
  mutate(400, 1),
);
