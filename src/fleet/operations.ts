import * as z from 'zod';
import { defineOperation } from '../foundation/index.js';
import type { FleetRole, HubAddress } from '../hub/index.js';
import type { Finding } from './doctor.js';
import type { FleetDesk, FleetReport } from './fleet-desk.js';

/** What the operations need: the desk, opened on first use. */
export interface FleetParts {
  readonly fleet: () => Promise<FleetDesk>;
}

const facts = { capability: 'admin', surfaces: ['cli'] } as const;

/** An address that was parsed before: it may contain a password, which no input check may repeat. */
const Address = () => z.custom<HubAddress>();
const Name = () =>
  z
    .string()
    .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/, 'a name is letters, digits, dots, dashes and underscores')
    .optional();

export interface JoinReport {
  readonly machine: string;
  readonly address: string;
  readonly keptIn: string;
}

export const initFleet = defineOperation({
  ...facts,
  name: 'fleet.init',
  summary: 'Make a fleet in a PostgreSQL database, with this machine in it',
  effect: 'write',
  get input() {
    return z.strictObject({ address: Address(), name: Name() });
  },
  get output() {
    return z.custom<JoinReport & { readonly steps: readonly number[] }>();
  },
  run: async ({ fleet }: FleetParts, { address, name }) => (await fleet()).init(address, name),
});

export const joinFleet = defineOperation({
  ...facts,
  name: 'fleet.join',
  summary: 'Let this machine join a fleet: one inbox for all of them',
  effect: 'write',
  get input() {
    return z.strictObject({ address: Address(), name: Name(), isNew: z.boolean().optional() });
  },
  get output() {
    return z.custom<JoinReport>();
  },
  run: async ({ fleet }: FleetParts, { address, name, isNew }) =>
    (await fleet()).join(address, name, { isNew: isNew ?? false }),
});

export const inviteToFleet = defineOperation({
  ...facts,
  name: 'fleet.invite',
  summary: 'Make a login for another person or machine',
  effect: 'write',
  get input() {
    return z.strictObject({
      name: z.string(),
      role: z.enum(['person', 'worker', 'viewer']).default('person'),
    });
  },
  get output() {
    return z.custom<{
      readonly name: string;
      readonly role: FleetRole;
      readonly isMade: boolean;
      readonly url: string;
      readonly password: string;
      readonly sql: string | null;
    }>();
  },
  run: async ({ fleet }: FleetParts, { name, role }) => (await fleet()).invite(name, role),
});

export const showFleet = defineOperation({
  ...facts,
  name: 'fleet.status',
  summary: 'Show the machines, their runs, what is waiting on each, what is on its way',
  effect: 'read',
  get input() {
    return z.strictObject({});
  },
  get output() {
    return z.custom<FleetReport>();
  },
  run: async ({ fleet }: FleetParts) => (await fleet()).status(),
});

export const examineFleet = defineOperation({
  ...facts,
  name: 'fleet.doctor',
  summary: 'Check everything that the fleet needs',
  effect: 'read',
  get input() {
    return z.strictObject({});
  },
  get output() {
    return z.custom<readonly Finding[]>();
  },
  run: async ({ fleet }: FleetParts) => (await fleet()).doctor(),
});

export const takeBackRequest = defineOperation({
  ...facts,
  name: 'fleet.take-back',
  summary: 'Take back an answer or a request that is on its way to another machine',
  effect: 'write',
  get input() {
    return z.strictObject({ request: z.string() });
  },
  get output() {
    return z.custom<{
      readonly request: string;
      readonly isBack: boolean;
      readonly machine: string;
      readonly session: string;
      readonly kind: string;
    }>();
  },
  run: async ({ fleet }: FleetParts, { request }) => (await fleet()).takeBack(request),
});

export const leaveFleet = defineOperation({
  ...facts,
  name: 'fleet.leave',
  summary: 'Leave the fleet; everything on this machine stays as it is',
  effect: 'write',
  get input() {
    return z.strictObject({ isHandedOver: z.boolean().default(false) });
  },
  get output() {
    return z.custom<{ readonly machine: string }>();
  },
  run: async ({ fleet }: FleetParts, { isHandedOver }, caller) =>
    (await fleet()).leave({ isHandedOver, signal: caller?.signal }),
});

export const removeMachine = defineOperation({
  ...facts,
  name: 'fleet.remove-machine',
  summary: 'Remove a machine that will not come back',
  effect: 'write',
  get input() {
    return z.strictObject({ name: z.string() });
  },
  get output() {
    return z.custom<{ readonly machine: string }>();
  },
  run: async ({ fleet }: FleetParts, { name }) => (await fleet()).removeMachine(name),
});

export const migrateFleet = defineOperation({
  ...facts,
  name: 'fleet.migrate',
  summary: 'Bring the schema of the fleet up to date with this program',
  effect: 'write',
  get input() {
    return z.strictObject({});
  },
  get output() {
    return z.custom<{ readonly steps: readonly number[] }>();
  },
  run: async ({ fleet }: FleetParts) => (await fleet()).migrate(),
});

export const noteRestored = defineOperation({
  ...facts,
  name: 'fleet.restored',
  summary: 'Say that the database was restored from a backup',
  effect: 'write',
  get input() {
    return z.strictObject({});
  },
  get output() {
    return z.custom<Record<string, never>>();
  },
  run: async ({ fleet }: FleetParts) => (await fleet()).restored(),
});

/** Every action on the fleet, for the registry. */
export const fleetOperations = [
  initFleet,
  inviteToFleet,
  joinFleet,
  showFleet,
  examineFleet,
  takeBackRequest,
  leaveFleet,
  removeMachine,
  migrateFleet,
  noteRestored,
] as const;
