import { existsSync } from 'node:fs';
import { expect, it } from 'vitest';
import { iterationEnd } from '../../../test/support/run-events.js';
import { storageTools } from '../../../test/support/storage-tools.js';
import { tempDir } from '../../../test/support/temp-dir.js';
import { RunJournal } from './journal.js';
import { KeptJournals } from './keep-journals.js';
import { JournalReader } from './read-journal.js';

const ID = '0b54a6e5-4c1e-4b5a-9a2c-0d5c5b1f6e77';
const OTHER = '5b1f6e77-4c1e-4b5a-9a2c-0b54a6e50d5c';

it('a journal goes to the trash with its session, comes back with it, and is gone with it', async () => {
  await using dir = await tempDir();
  const tools = storageTools();
  const runs = dir.at('runs');
  for (const sessionId of [ID, OTHER]) {
    using journal = RunJournal.open(tools, { runs, sessionId, lock: { assertHeld() {} } });
    journal.record(iterationEnd());
  }
  const path = dir.at('runs', ID, 'events.jsonl');
  const journals = new KeptJournals(tools, { runs, trash: dir.at('trash') });
  journals.remove(ID);
  expect(existsSync(path)).toBe(false);
  journals.restore(ID);
  expect(new JournalReader({ ...tools, path, sessionId: ID }).read()).toHaveLength(1);
  journals.remove(ID);
  journals.purge([OTHER]);
  journals.purge([ID]);
  journals.restore(ID);
  expect(existsSync(path)).toBe(false);
  expect(existsSync(dir.at('runs', OTHER, 'events.jsonl'))).toBe(true);
  journals.remove('loop');
});
