import { afterAll, beforeAll, describe, expect } from 'vitest';
import { Door } from '../../src/fleet/index.js';
import { silentLogger, systemClock } from '../../src/foundation/index.js';
import { parseAddress } from '../../src/hub/index.js';
import { nodeFileSystem } from '../../src/storage/index.js';
import { type Cluster, cluster } from '../support/postgres.js';
import { POSTGRES } from '../support/postgres-place.js';
import { until } from '../support/processes.js';
import { verifiesNeeding } from '../support/verifies-needing.js';

describe.skipIf(POSTGRES === undefined)('the way to the hub', () => {
  let db: Cluster;

  beforeAll(async () => {
    db = await cluster();
  });

  afterAll(async () => {
    await db?.[Symbol.asyncDispose]();
  });

  verifiesNeeding(
    'F05',
    { postgres: true },
    'is one connection however many ask for it at once, again after a cut, and none when it was closed',
    async () => {
      const door = new Door({
        address: parseAddress(db.url),
        passwordFile: '/nowhere',
        fileSystem: nodeFileSystem,
        clock: systemClock,
        log: silentLogger,
      });
      const ours = async () =>
        (await db.sql("select pid from pg_stat_activity where application_name = 'holdfast'")).length;
      const open = () => door.open({ isAnySchema: true });
      const [first, second] = await Promise.all([open(), open(), open()]);
      expect(first).toBe(second);
      expect(await ours()).toBe(1);
      await db.sql(
        "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'holdfast'",
      );
      await until(() => first?.connection.isOpen === false);
      const [third, fourth] = await Promise.all([open(), open()]);
      expect(third).toBe(fourth);
      expect(third).not.toBe(first);
      expect(await ours()).toBe(1);
      const late = open();
      await door.close();
      await late.catch(() => {});
      await expect(open()).rejects.toMatchObject({ code: 'FLEET_UNREACHABLE' });
      await until(async () => (await ours()) === 0);
    },
  );
});
