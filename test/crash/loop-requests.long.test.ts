import { it } from 'vitest';
import { SENDERS, sendWhileSaving } from './loop-requests.js';

const EACH = 500;

it(`${SENDERS * EACH} requests sent while the owner saves: all are taken, in order, once`, () =>
  sendWhileSaving(EACH));
