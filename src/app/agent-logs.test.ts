import { existsSync, mkdirSync, readdirSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { appWorld } from '../../test/support/app-world.js';
import { FakeClock } from '../../test/support/fake-clock.js';
import { chooseAgent, cleanAgentLogs, newAgentLog } from './index.js';

const NOW = '2026-03-20T12:00:00.000Z';
const DAY_MS = 24 * 60 * 60 * 1_000;

describe('the log of an agent', () => {
  it('has a directory of its own that nobody else can read', async () => {
    await using world = await appWorld();
    const services = world.services({ clock: new FakeClock({ now: NOW }) });
    const paths = [1, 2].map(() => newAgentLog(services, chooseAgent(services, 'scripted')));
    const pattern = /logs\/20260320T120000000Z-scripted-[0-9a-f]{8}\/output\.log$/;
    for (const path of paths) {
      expect(path).toMatch(pattern);
      expect(statSync(dirname(path)).mode & 0o777).toBe(0o700);
    }
    expect(paths[0]).not.toBe(paths[1]);
  });

  it('goes to the trash after seven days without a word, and is removed after seven more', async () => {
    await using world = await appWorld();
    const clock = new FakeClock({ now: NOW });
    const services = world.services({ clock });
    const { logs, logTrash } = services.config.layout;
    plant(logs, 'fresh', 6);
    plant(logs, 'old', 8);
    expect(cleanAgentLogs(services)).toEqual({ retired: ['old'], purged: [] });
    expect(readdirSync(logs)).toEqual(['fresh']);
    expect(readdirSync(logTrash)).toEqual(['20260320T120000000Z-old']);
    expect(existsSync(join(logTrash, '20260320T120000000Z-old', 'output.log.1'))).toBe(true);
    clock.advance(7.5 * DAY_MS);
    expect(cleanAgentLogs(services)).toEqual({ retired: ['fresh'], purged: ['old'] });
  });

  it('that is still written to stays, however old its run is', async () => {
    await using world = await appWorld();
    const services = world.services({ clock: new FakeClock({ now: NOW }) });
    const path = plant(services.config.layout.logs, 'long', 30);
    const today = new Date(NOW);
    utimesSync(join(path, 'output.log.1'), today, today);
    expect(cleanAgentLogs(services)).toEqual({ retired: [], purged: [] });
  });

  it('that cannot be moved is warned about and stops nobody', async () => {
    await using world = await appWorld();
    const services = world.services({ clock: new FakeClock({ now: NOW }) });
    plant(services.config.layout.logs, 'old', 8);
    mkdirSync(dirname(services.config.layout.logTrash), { recursive: true });
    writeFileSync(services.config.layout.logTrash, 'not a directory');
    expect(cleanAgentLogs(services)).toEqual({ retired: [], purged: [] });
    expect(world.log.named('agent.logs-not-cleaned')).toHaveLength(1);
    expect(readdirSync(services.config.layout.logs)).toEqual(['old']);
  });
});

/** The log of a run whose last word was so many days ago. */
function plant(logs: string, name: string, ageDays: number): string {
  const path = join(logs, name);
  mkdirSync(path, { recursive: true, mode: 0o700 });
  const then = new Date(Date.parse(NOW) - ageDays * DAY_MS);
  for (const file of ['output.log', 'output.log.1']) {
    writeFileSync(join(path, file), 'words\n');
    utimesSync(join(path, file), then, then);
  }
  utimesSync(path, then, then);
  return path;
}
