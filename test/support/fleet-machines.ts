import { expect } from 'vitest';
import { createServices, type Services } from '../../src/app/base.js';
import { type DetachedWorld, detachedWorld } from './detached-world.js';
import { HOLDFAST, type Json, type Machine, machine } from './holdfast-binary.js';
import { type Cluster, cluster } from './postgres.js';

/** Two machines of one fleet: `home` has a project with a plan and an agent, `away` is where the person is. */
export interface FleetMachines extends AsyncDisposable {
  readonly db: Cluster;
  readonly home: DetachedWorld;
  readonly away: Machine;
  /** The database URL that `home` uses; a login of its own. */
  readonly homeUrl: string;
  readonly awayUrl: string;
  /** The services of a process on a machine. */
  servicesOf(one: Machine, url: string): Services;
  /** The overview rows that `away` has for other machines. */
  rowsElsewhere(): Promise<Json[]>;
}

export async function fleetMachines(turns: unknown): Promise<FleetMachines> {
  const db = await cluster();
  const [home, away] = await Promise.all([detachedWorld(turns), machine()]);
  const made = await home.aside(['fleet', 'init', '-', '--name', 'workstation'], { input: db.url });
  expect(made).toMatchObject({ code: 0, stderr: '' });
  const invite = async (name: string): Promise<string> => {
    const { data } = await home.asideJson(['fleet', 'invite', name]);
    return data.url.replace('@', `:${data.password}@`);
  };
  const [homeUrl, awayUrl] = [await invite('ann'), await invite('bob')];
  await home.aside(['fleet', 'leave']);
  for (const [one, name, url] of [
    [home, 'workstation', homeUrl],
    [away, 'laptop', awayUrl],
  ] as const)
    expect(await one.aside(['fleet', 'join', '-', '--name', name], { input: url })).toMatchObject({
      code: 0,
    });
  return {
    db,
    home,
    away,
    homeUrl,
    awayUrl,
    servicesOf: (one, url) =>
      createServices({
        environment: { ...one.env, HOLDFAST_FLEET_URL: url },
        workingDirectory: one.project,
        command: 'test',
        self: { command: process.execPath, args: [HOLDFAST] },
      }),
    rowsElsewhere: async () =>
      (await away.asideJson(['top', '--once'])).data.filter((row: Json) => row.machine !== undefined),
    async [Symbol.asyncDispose]() {
      await home[Symbol.asyncDispose]();
      await away[Symbol.asyncDispose]();
      await db[Symbol.asyncDispose]();
    },
  };
}
