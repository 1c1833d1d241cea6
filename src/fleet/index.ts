export { type BootClock, bootClock } from './boot-clock.js';
export { type DeskOptions, FleetDesk, type FleetReport, type MachineReport } from './desk.js';
export type { Finding } from './doctor.js';
export { Door } from './door.js';
export {
  DecidedElsewhereError,
  EntryLostError,
  FleetNotJoinedError,
  RemoteRefusedError,
  RequestNotFoundError,
} from './errors.js';
export { FleetQuestions } from './fleet-questions.js';
export { FleetQueue, type FleetQueueOptions, type FleetTaken, leaseTimes } from './fleet-queue.js';
export { fleetRunner } from './fleet-runner.js';
export { holdLink, linkLock } from './hold-link.js';
export { JoinedQueue } from './joined-queue.js';
export { KnownQuestions } from './known-questions.js';
export {
  type Fence,
  LeaseHolder,
  type LeaseHolderOptions,
  type LeaseLoss,
  type LeaseTimes,
} from './lease.js';
export { type LeaseRecord, listLeases, readLease } from './lease-file.js';
export { type LeftBehind, listLeftBehind, settleLeftBehind } from './left-behind.js';
export { Link, type LinkState } from './link.js';
export { MovingPlace } from './moving-place.js';
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
export { MACHINE_NAME, machineNameFrom, type OwnMachine, readOwnMachine } from './own-machine.js';
export type { FleetPlace } from './place.js';
export { RemoteQuestions } from './remote-questions.js';
export { openRepository, repositoryPlace } from './repository.js';
export { FleetCheckpoint } from './run-checkpoint.js';
export { FleetElsewhere } from './runs/elsewhere.js';
export type { OwnRuns } from './runs/own-runs.js';
export {
  type RemoteRequest,
  type RemoteRun,
  RemoteRuns,
  type SteeredElsewhere,
} from './runs/remote-runs.js';
export { SentRequests } from './sent-requests.js';
export type { FleetAccounts, FleetDay, WorkerRules } from './worker-rules.js';
