import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect } from 'vitest';
import { DIST, type Machine, machine } from '../support/holdfast-binary.js';
import { verifies } from '../support/verifies.js';

/** The files of the package that were loaded, by what V8 says it counted in. */
async function loadedBy(home: Machine, args: readonly string[], env: Record<string, string> = {}) {
  const coverage = home.dir.at(`coverage-${args.join('-')}-${Object.keys(env).length}`);
  mkdirSync(coverage);
  await home.run(args, { env: { ...env, NODE_V8_COVERAGE: coverage } });
  const urls = readdirSync(coverage).flatMap((name) => {
    const { result } = JSON.parse(readFileSync(join(coverage, name), 'utf8')) as {
      result: { url: string }[];
    };
    return result.map(({ url }) => url);
  });
  return urls.filter((url) => url.startsWith('file:')).map((url) => fileURLToPath(url));
}

const isOfFleet = (path: string) =>
  path.startsWith(DIST) && /SCRAM-SHA-256|holdfast\.take_requests/.test(readFileSync(path, 'utf8'));

describe('a machine without a fleet', () => {
  verifies('F01', 'loads no byte of the driver or of the hub, and one with a fleet does', async () => {
    await using home = await machine();
    for (const args of [
      ['questions', 'list'],
      ['waiting'],
      ['fleet', '--help'],
      ['inbox', '--json'],
      ['top', '--once'],
      ['status', '--all'],
      ['pause', '3f2a'],
      ['logs', '3f2a'],
    ])
      expect((await loadedBy(home, args)).filter(isOfFleet), args.join(' ')).toEqual([]);
    const set = { HOLDFAST_FLEET_URL: 'postgres://ann@127.0.0.1:1/holdfast' };
    expect((await loadedBy(home, ['fleet', 'doctor'], set)).filter(isOfFleet)).not.toEqual([]);
  });

  verifies(
    'F01',
    'says so, with the way to one; and no password is taken where it could be read',
    async () => {
      await using home = await machine();
      const status = await home.aside(['fleet', 'status']);
      expect(status.code).toBe(2);
      expect(status.stderr).toContain('holdfast fleet join');
      const typed = await home.aside(['fleet', 'join', 'postgres://ann:hunter2@db.lan/holdfast']);
      expect(typed).toMatchObject({ code: 2, stderr: expect.stringContaining('can be read by everybody') });
      const config = await home.aside([
        'config',
        'set',
        'fleet.url',
        'postgres://ann:hunter2@db.lan/holdfast',
      ]);
      expect(config.code).toBe(2);
      expect(`${typed.stderr}${config.stderr}`).not.toContain('hunter2');
      expect((await home.aside(['worker', '--slots', '0'])).stderr).toContain('in none');
    },
  );
});
