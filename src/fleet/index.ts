export type { Finding } from './doctor.js';
export { Door } from './door.js';
export {
  DecidedElsewhereError,
  EntryLostError,
  FleetNotJoinedError,
  NotStoredError,
  RemoteRefusedError,
  RequestNotFoundError,
  RunMayHaveMovedError,
} from './errors.js';
export { type DeskOptions, FleetDesk, type FleetReport, type MachineReport } from './fleet-desk.js';
export { holdLink, linkLock } from './link/hold-link.js';
export { Link, type LinkState } from './link/link.js';
export { SentRequests } from './link/sent-requests.js';
export { assertLeaseHolds, type LeaseRecord, listLeases, readLease, writeLease } from './move/lease-file.js';
export { type LeftBehindRun, listLeftBehind, settleLeftBehind } from './move/left-behind.js';
export { MovingPlace } from './move/moving-place.js';
export { keepRefsTidy, removeOldRefs } from './move/old-refs.js';
export { baseRef, openRepository, repositoryPlace } from './move/repository.js';
export { FleetCheckpoint } from './move/run-checkpoint.js';
export {
  examineFleet,
  type FleetParts,
  initFleet,
  inviteToFleet,
  joinFleet,
  leaveFleet,
  migrateFleet,
  noteRestored,
  removeMachine,
  showFleet,
  takeBackRequest,
} from './operations.js';
export {
  type IdentityWatch,
  MACHINE_NAME,
  machineNameFrom,
  type OwnMachine,
  readOwnMachine,
  watchIdentity,
} from './own-machine.js';
export { FleetQuestions } from './questions/fleet-questions.js';
export { KnownQuestions } from './questions/known-questions.js';
export { RemoteQuestions } from './questions/remote-questions.js';
export { type BootClock, bootClock } from './queue/boot-clock.js';
export type { FleetPlace } from './queue/fleet-place.js';
export { FleetQueue, type FleetQueueOptions, type FleetTaken, leaseTimes } from './queue/fleet-queue.js';
export { fleetRunner } from './queue/fleet-runner.js';
export { JoinedQueue } from './queue/joined-queue.js';
export {
  type Fence,
  LeaseHolder,
  type LeaseHolderOptions,
  type LeaseLoss,
  type LeaseTimes,
} from './queue/lease.js';
export type { FleetAccounts, FleetDay, WorkerRules } from './queue/worker-rules.js';
export { FleetElsewhere } from './runs/elsewhere.js';
export type { OwnRuns } from './runs/own-runs.js';
export {
  type RemoteRequest,
  type RemoteRun,
  RemoteRuns,
  type SteeredElsewhere,
} from './runs/remote-runs.js';
