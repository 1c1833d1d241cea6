import { verifies } from '../support/verifies.js';
import { mutate } from './conversation-mutations.js';

verifies('C10', '200 files changed at random: no crash, no hang, no memory without bounds', () =>
  mutate(200, 1),
);
