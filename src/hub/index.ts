export {
  addressText,
  addressWithPassword,
  type HubAddress,
  type HubHost,
  isLocal,
  parseAddress,
  tlsFor,
} from './address.js';
export {
  type CheckpointRow,
  Checkpoints,
  type EndedRunRow,
  type HubFence,
  type MovedRow,
  type NewCheckpoint,
  type StandingRow,
} from './checkpoints.js';
export { type ConnectOptions, connect, HubConnection, type Listening, placeOf } from './connection.js';
export {
  FleetAddressError,
  FleetRefusedError,
  FleetRuleError,
  FleetSchemaError,
  FleetUnreachableError,
} from './errors.js';
export {
  channelOf,
  Hub,
  INBOX_CHANNEL,
  type MirroredKind,
  type MirrorRow,
  type NewRequest,
  OVERVIEW_CHANNEL,
  type SessionFilter,
} from './hub.js';
export {
  type EntryEndRow,
  HubQueue,
  type NewEntryRow,
  QUEUE_CHANNEL,
  type TakeRules,
  type Use,
} from './hub-queue.js';
export { assertFits, changedMigrations, migrate, readFleet } from './migrate.js';
export { CLIENT, MIGRATIONS } from './migrations/index.js';
export { type FleetRole, mayMakeRoles, type NewRole, newRole } from './new-role.js';
export { passwordIn, readSecretFile } from './password.js';
export type { AccountRow, EntryRow, OfferRow, QueueRow, TakenRow } from './queue-rows.js';
export type { FleetRow, MachineRow, OutRow, RequestRow, RequestState, SessionRow } from './rows.js';
