import { readFileSync, statSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { appWorld } from '../../../test/support/app-world.js';
import { runShelf } from '../../app/run/run-shelf.js';
import { logPath, RunLog } from './run-log.js';

const SESSION = '7b7d1682-1f0e-4c63-9c6e-3a3a5d0c6a11';

describe('the log of a run', () => {
  it('has the lines of all its starts with their times, without secrets, readable only by its owner', async () => {
    await using world = await appWorld();
    const services = runShelf(world.services());
    expect(logPath(services, SESSION)).toBeNull();
    for (const line of ['RED 1: the agent is working', `→ Bash curl -H ghp_${'a1B2'.repeat(10)}`]) {
      using log = new RunLog(services, SESSION);
      log.add([line]);
    }
    const path = logPath(services, SESSION) ?? '';
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readFileSync(path, 'utf8')).toMatch(
      /^\S+Z RED 1: the agent is working\n\S+Z → Bash curl -H \[redacted:github-token\]\n$/,
    );
  });

  it('keeps the newest lines of a run that says very much', async () => {
    await using world = await appWorld();
    const services = runShelf(world.services());
    using log = new RunLog(services, SESSION);
    for (let number = 0; number < 3_000; number++) log.add([`${number} ${'x'.repeat(1_000)}`]);
    const text = readFileSync(logPath(services, SESSION) ?? '', 'utf8');
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(1024 * 1024);
    expect(text).toMatch(/^\(earlier lines were left out\)\n\S+Z \d+ x/);
    expect(text).toMatch(/ 2999 x+\n$/);
  });

  it('makes no path from an invalid id', async () => {
    await using world = await appWorld();
    const services = runShelf(world.services());
    using log = new RunLog(services, '../../evil');
    log.add(['x']);
    expect(logPath(services, '../../evil')).toBeNull();
  });
});
