import { createHash } from 'node:crypto';
import type { HubConnection } from './connection.js';
import { FleetRefusedError, FleetSchemaError } from './errors.js';
import { CLIENT, MIGRATIONS, type Migration } from './migrations/index.js';
import { FleetRow } from './rows.js';

/** Any number that nothing else in this database uses. */
const LOCK = 4_815_162_342;

/**
 * Brings the schema up to date: each step in its own transaction, and one machine at a time in the whole fleet. Returns
 * the steps that were applied. Throws FLEET_SCHEMA, FLEET_REFUSED.
 */
export async function migrate(
  connection: HubConnection,
  migrations: readonly Migration[] = MIGRATIONS,
): Promise<number[]> {
  await assertMayMakeRoles(connection);
  const taken: number[] = [];
  for (const { n, sql } of migrations) {
    await connection.script('begin');
    try {
      await connection.rows('select pg_advisory_xact_lock($1)', [LOCK]);
      if (n <= ((await readFleet(connection))?.version ?? 0)) {
        await connection.script('rollback');
        continue;
      }
      await connection.script(sql);
      await connection.rows('insert into holdfast.migration (n, checksum) values ($1, $2)', [
        n,
        checksumOf(sql),
      ]);
      await connection.rows('update holdfast.fleet set version = $1', [n]);
      await connection.script('commit');
      taken.push(n);
    } catch (error) {
      if (connection.isOpen) await connection.script('rollback');
      throw error;
    }
  }
  return taken;
}

/** What the schema says about itself; undefined if there is none. */
export async function readFleet(connection: HubConnection): Promise<FleetRow | undefined> {
  const [there] = await connection.rows("select to_regclass('holdfast.fleet') is not null as is_there");
  if (there?.is_there !== true) return undefined;
  const [row] = await connection.rows('select version, min_client, incarnation from holdfast.fleet');
  return row === undefined ? undefined : FleetRow.parse(row);
}

/**
 * Checks whether this program can work with the schema. A newer schema is used as long as it says that this is
 * possible: the functions are the contract, and a release adds before it removes. Throws FLEET_SCHEMA with a way out.
 */
export function assertFits(fleet: FleetRow | undefined, known = MIGRATIONS.length): FleetRow {
  if (fleet === undefined)
    throw new FleetSchemaError('there is none in this database', 'Make it: `holdfast fleet init`.');
  if (fleet.min_client > CLIENT)
    throw new FleetSchemaError(
      `it requires a newer Holdfast than this one (${fleet.min_client}, and this one speaks ${CLIENT})`,
      'Update Holdfast on this machine. Until then, work here continues without the fleet.',
    );
  if (fleet.version < known)
    throw new FleetSchemaError(
      `it is older than this program (${fleet.version}, and ${known} is needed)`,
      'Its owner brings it up to date: `holdfast fleet migrate`. Machines with the previous release keep working.',
    );
  return fleet;
}

/** Steps whose text differs from the one that was applied. */
export async function changedMigrations(connection: HubConnection): Promise<number[]> {
  const rows = await connection.rows('select n, checksum from holdfast.migration');
  const applied = new Map(rows.map(({ n, checksum }) => [Number(n), String(checksum)]));
  return MIGRATIONS.filter(({ n, sql }) => applied.has(n) && applied.get(n) !== checksumOf(sql)).map(
    ({ n }) => n,
  );
}

/** The role groups belong to the cluster: not every owner of a database has the right to create them. */
async function assertMayMakeRoles(connection: HubConnection): Promise<void> {
  const [facts] = await connection.rows(
    `select (select count(*) from pg_roles where rolname in ('holdfast_viewer', 'holdfast_worker', 'holdfast_person')) = 3
       or (select rolcreaterole or rolsuper from pg_roles where rolname = current_user) as is_allowed`,
  );
  if (facts?.is_allowed === true) return;
  throw new FleetRefusedError(
    'this role may not make the three groups that the fleet needs',
    `Have somebody who may do so run this once, then try again: ${GROUPS_SQL}`,
  );
}

const GROUPS_SQL =
  'create role holdfast_viewer nologin; create role holdfast_worker nologin in role holdfast_viewer; create role holdfast_person nologin in role holdfast_worker;';

function checksumOf(sql: string): string {
  return createHash('sha256').update(sql).digest('hex');
}
