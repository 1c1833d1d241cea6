import { it } from 'vitest';
import { requestOfRun } from '../support/run-requests.js';

it('1,000 pauses of a run that works, and what a person says meanwhile: nothing is lost', async () => {
  await requestOfRun(1_000, 300, 2);
});
