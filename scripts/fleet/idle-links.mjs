// Links of many machines in one process, each with a home of its own: for scale.mjs.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadOurs } from './lib.mjs';

const [url, first, count] = process.argv.slice(2);
const SETS = 10;
const QUESTIONS = [{ title: 'Store', prompt: 'Which?', options: [{ label: 'A' }, { label: 'B' }] }];
const { createServices, holdFleetLink, openFleet, parseAddress } = await loadOurs();
const directory = mkdtempSync(join(tmpdir(), 'hf-links-'));
process.on('disconnect', () => {
  rmSync(directory, { recursive: true, force: true });
  process.exit(0);
});

for (let at = Number(first); at < Number(first) + Number(count); at++) {
  const home = join(directory, String(at));
  const services = createServices({
    environment: { HOLDFAST_HOME: home, HOME: home, HOLDFAST_FLEET_URL: url },
    workingDirectory: directory,
    command: 'scale',
  });
  await openFleet(services).join(parseAddress(url), `link-${at}`);
  for (let set = 0; set < SETS; set++) {
    const { id } = await services.questions.create(QUESTIONS);
    if (set > 0) await services.questions.answer(id, [{ questionIndex: 0, selectedOption: 'A' }]);
  }
  await new Promise((resolve) => holdFleetLink(services, resolve));
}
process.send('ready');
