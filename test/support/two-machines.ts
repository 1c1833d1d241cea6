import { afterAll, beforeAll, expect } from 'vitest';
import { type Machine, machine } from './holdfast-binary.js';
import { type Cluster, cluster } from './postgres.js';
import { POSTGRES } from './postgres-place.js';

/** Two machines of one fleet: ann uses the laptop, agents ask on bob's workstation. */
export interface TwoMachines {
  readonly db: Cluster;
  readonly laptop: Machine;
  readonly workstation: Machine;
  /** The workstation gave no sign of life for an hour: nobody waits long for its reply. */
  quiet(): Promise<void>;
}

/** Created once for all tests of a file. */
export function twoMachines(): () => TwoMachines {
  let made: TwoMachines | undefined;
  beforeAll(async () => {
    if (POSTGRES === undefined) return;
    const db = await cluster();
    const [laptop, workstation] = await Promise.all([machine(), machine()]);
    const quiet = () =>
      db.sql("update holdfast.machine set seen_at = now() - interval '1 hour' where name = 'workstation'");
    made = { db, laptop, workstation, quiet: async () => void (await quiet()) };
    await run(laptop, ['fleet', 'init', '-', '--name', 'laptop'], db.url);
    const logins = [await invited(laptop, 'ann'), await invited(laptop, 'bob')];
    // The owner creates the schema; in everyday use the owner is a person like the others.
    await run(laptop, ['fleet', 'leave']);
    await run(laptop, ['fleet', 'join', '-', '--name', 'laptop'], logins[0]);
    await run(workstation, ['fleet', 'join', '-', '--name', 'workstation'], logins[1]);
  });
  afterAll(async () => {
    await made?.laptop[Symbol.asyncDispose]();
    await made?.workstation[Symbol.asyncDispose]();
    await made?.db[Symbol.asyncDispose]();
  });
  return () => {
    if (made === undefined) throw new Error('no fleet');
    return made;
  };
}

async function run(on: Machine, args: readonly string[], input = ''): Promise<void> {
  expect(await on.run(args, { input })).toMatchObject({ code: 0, stderr: '' });
}

async function invited(by: Machine, name: string): Promise<string> {
  const { data } = await by.json(['fleet', 'invite', name, '--role', 'person']);
  return data.url.replace('@', `:${data.password}@`);
}
