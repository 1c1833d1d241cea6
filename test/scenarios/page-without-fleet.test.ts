import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import { createServices } from '../../src/app/base.js';
import { issueCode, webPlace } from '../../src/web/server/index.js';
import { DIST, type Machine, machine } from '../support/holdfast-binary.js';
import { verifies } from '../support/verifies.js';
import { signIn } from '../support/web-world.js';

/** What V8 says it counted in, of our files. */
function loadedIn(coverage: string): string[] {
  const urls = readdirSync(coverage).flatMap((name) => {
    const { result } = JSON.parse(readFileSync(join(coverage, name), 'utf8')) as {
      result: { url: string }[];
    };
    return result.map(({ url }) => url);
  });
  const paths = urls.filter((url) => url.startsWith('file:')).map((url) => fileURLToPath(url));
  return paths.filter((path) => path.startsWith(DIST));
}

const isOfFleet = (path: string) => /SCRAM-SHA-256|holdfast\.take_requests/.test(readFileSync(path, 'utf8'));

/** Serves the page to somebody who looks once; what was loaded for it. */
async function servedOnce(home: Machine, env: Record<string, string> = {}) {
  const coverage = home.dir.at(`coverage-${Object.keys(env).length}`);
  mkdirSync(coverage);
  const web = home.start(['web', '--json'], { env: { ...env, NODE_V8_COVERAGE: coverage } });
  const [printed] = await web.printed('stdout', /^\{.*\}$/m);
  const [origin] = JSON.parse(printed).origins as [string];
  const services = createServices({ environment: home.env, workingDirectory: home.project, command: 'test' });
  const { code } = issueCode(webPlace(services), 'view');
  const browser = await signIn(origin, Number(new URL(origin).port), code);
  const { json } = await browser.get('/api/state');
  web.child.kill('SIGTERM');
  await web.ended;
  return { state: json, ofFleet: loadedIn(coverage).filter(isOfFleet) };
}

verifies(
  'F01',
  'without a fleet the page and notices load no byte of it, even where notices of other machines are wanted',
  async () => {
    await using home = await machine();
    home.configure({ notices: { fleet: true, channels: { own: { type: 'command', command: ['true'] } } } });
    const { state, ofFleet } = await servedOnce(home);
    expect([state.cards, state.fleet, ofFleet]).toEqual([[], undefined, []]);
    const set = { HOLDFAST_FLEET_URL: 'postgres://ann@127.0.0.1:1/holdfast' };
    expect((await servedOnce(home, set)).ofFleet).not.toEqual([]);
  },
);
