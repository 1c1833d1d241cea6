import { type Clock, formatAge, isHoldfastError, messageOf } from '../foundation/index.js';
import {
  assertFits,
  changedMigrations,
  channelOf,
  FleetRuleError,
  FleetUnreachableError,
  type Hub,
  placeOf,
  readFleet,
  tlsFor,
} from '../hub/index.js';
import type { Door } from './door.js';
import { machineOut, sharedIdentity } from './errors.js';
import type { OwnMachine } from './own-machine.js';

/** One thing that was checked. `warn`: it works, but a person should know something about it. */
export interface Finding {
  readonly what: string;
  readonly is: 'ok' | 'warn' | 'bad';
  readonly words: string;
  readonly hint?: string | undefined;
}

const MAX_SKEW_SECONDS = 30;
/** A machine that has given a sign within this time is up. */
const UP_SECONDS = 60;

/** Checks everything that the fleet needs, in order of dependency; stops when nothing more can be said. */
export async function examine(
  door: Door,
  facts: {
    readonly machine: OwnMachine | undefined;
    readonly bootId: string;
    readonly isLinked: boolean;
    readonly clock: Clock;
  },
): Promise<Finding[]> {
  const findings: Finding[] = [];
  let hub: Hub;
  try {
    hub = await door.open({ isAnySchema: true });
  } catch (error) {
    return [connectionFinding(door, error)];
  }
  findings.push(ok('connection', `${placeOf(hub.connection.host)} accepts writes`), tlsFinding(door, hub));
  findings.push(await schemaFinding(hub));
  if (findings.some(({ is }) => is === 'bad')) return findings;
  findings.push(await roleFinding(hub), await standbyFinding(hub), await callsFinding(door, hub, facts));
  findings.push(
    await clockFinding(hub, facts.clock),
    await machineFinding(hub, facts),
    await linkFinding(hub, facts),
  );
  return findings;
}

function ok(what: string, words: string): Finding {
  return { what, is: 'ok', words };
}

function warn(what: string, words: string, hint: string): Finding {
  return { what, is: 'warn', words, hint };
}

function bad(what: string, error: unknown): Finding {
  if (!isHoldfastError(error)) throw error;
  return { what, is: 'bad', words: messageOf(error), hint: error.hint };
}

/** Anybody who reads this has already run the doctor, so the hint does not suggest it. */
function connectionFinding({ address }: Door, error: unknown): Finding {
  const finding = bad('connection', error);
  if (!(error instanceof FleetUnreachableError)) return finding;
  const [first] = address.hosts;
  const asked = first === undefined ? '' : ` \`pg_isready -h ${first.host} -p ${first.port}\` checks it.`;
  return {
    ...finding,
    hint: `Work on this machine continues without it. Check that the server is up and can be reached from here.${asked}`,
  };
}

function tlsFinding({ address }: Door, { connection }: Hub): Finding {
  const mode = tlsFor(address, connection.host);
  if (connection.isLocal && mode === 'disable')
    return ok('TLS', 'not needed: the database is on this machine');
  if (mode === 'verify-full') return ok('TLS', 'on, and the name of the server was checked');
  return warn(
    'TLS',
    `weaker than it could be: sslmode=${mode}`,
    'Leave sslmode out of the address for verify-full.',
  );
}

async function schemaFinding({ connection }: Hub): Promise<Finding> {
  try {
    const { version } = assertFits(await readFleet(connection));
    const changed = await changedMigrations(connection);
    if (changed.length === 0) return ok('schema', `version ${version}`);
    return warn(
      'schema',
      `step ${changed.join(', ')} was not applied by this release`,
      'Compare releases before you migrate.',
    );
  } catch (error) {
    return bad('schema', error);
  }
}

async function roleFinding({ connection }: Hub): Promise<Finding> {
  const [row] = await connection.rows(
    `select session_user::text as name,
       pg_has_role(session_user, 'holdfast_person', 'member') as is_person,
       pg_has_role(session_user, 'holdfast_worker', 'member') as is_worker,
       (select nspowner = session_user::regrole from pg_namespace where nspname = 'holdfast') as is_owner`,
  );
  const role = row?.is_person ? 'person' : row?.is_worker ? 'worker' : 'viewer';
  if (row?.is_owner === true)
    return warn(
      'role',
      `${row.name} owns the schema`,
      'Good for creating and migrating it; for everyday use, invite yourself: `holdfast fleet invite <name>`.',
    );
  return ok('role', `${row?.name}, ${role}`);
}

async function standbyFinding({ connection }: Hub): Promise<Finding> {
  const [row] = await connection.rows(
    "select current_setting('synchronous_standby_names') as names, current_setting('synchronous_commit') as commit",
  );
  if (row?.names !== '' && row?.commit !== 'local')
    return ok('standby', 'what is acknowledged is on a second server');
  return warn(
    'standby',
    'no synchronous standby',
    'In a failover, what was acknowledged in the last moments can be lost; machines send it again.',
  );
}

async function callsFinding(
  door: Door,
  hub: Hub,
  { machine }: { readonly machine: OwnMachine | undefined },
): Promise<Finding> {
  const channel = channelOf(machine?.id ?? '0');
  await hub.connection.listen(channel, () => {});
  if (await door.isHeard(hub, channel)) return ok('calls', 'NOTIFY arrives');
  return warn(
    'calls',
    'NOTIFY does not arrive: a pooler in transaction mode is in between',
    'Everything still arrives, within 5 seconds. Name the database itself in the address for milliseconds.',
  );
}

async function clockFinding({ connection }: Hub, clock: Clock): Promise<Finding> {
  const [row] = await connection.rows('select extract(epoch from clock_timestamp()) as now');
  const skew = Math.round(clock.now().getTime() / 1_000 - Number(row?.now));
  if (Math.abs(skew) <= MAX_SKEW_SECONDS) return ok('clock', 'agrees with the database');
  return warn(
    'clock',
    `${Math.abs(skew)} s ${skew > 0 ? 'ahead of' : 'behind'} the database`,
    'Nothing in the fleet depends on it, but the ages you see may be off.',
  );
}

async function machineFinding(
  hub: Hub,
  {
    machine,
    bootId,
    clock,
  }: { readonly machine: OwnMachine | undefined; readonly bootId: string; readonly clock: Clock },
): Promise<Finding> {
  if (machine === undefined)
    return { what: 'machine', is: 'bad', words: 'not joined', hint: 'Join: `holdfast fleet join`.' };
  const found = (await hub.machines()).find(({ id }) => id === machine.id);
  const last = await hub.lastSign(machine.id);
  if (found !== undefined && last.bootId !== bootId && last.quietSeconds <= UP_SECONDS)
    return { ...bad('machine', sharedIdentity(machine.name)), is: 'warn' };
  if (found !== undefined) return ok('machine', `${machine.name}, in the fleet`);
  const out = await hub.out(machine.id);
  if (out !== undefined) return bad('machine', machineOut(machine.name, out, clock.now()));
  return bad(
    'machine',
    new FleetRuleError(
      'not-your-machine',
      `${machine.name} is not in the fleet`,
      'Join again: `holdfast fleet join`.',
    ),
  );
}

async function linkFinding(
  hub: Hub,
  { machine, isLinked }: { readonly machine: OwnMachine | undefined; readonly isLinked: boolean },
): Promise<Finding> {
  const quietSeconds = machine === undefined ? 0 : (await hub.lastSign(machine.id)).quietSeconds;
  if (isLinked && quietSeconds > UP_SECONDS)
    return warn(
      'link',
      `a process on this machine has it and has given no sign for ${formatAge(quietSeconds * 1_000)}`,
      'It may be stuck, or from an older release: stop it and start it again.',
    );
  if (isLinked) return ok('link', 'a process on this machine keeps it in step');
  return warn(
    'link',
    'no process on this machine keeps it in step now',
    'What is asked here is seen elsewhere when the next command runs; `holdfast worker --slots 0` keeps the link up all the time.',
  );
}
