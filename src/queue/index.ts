export { type PlannedEntry, planEntries, type QueueingPlace, type QueueWishes } from './enqueue.js';
export { EntryNeededError, EntryNotFoundError, EntryRunningError, QueueCycleError } from './errors.js';
export { FileQueue } from './file-queue.js';
export { type EntryStatus, entryLifecycle } from './lifecycle.js';
export { nextMoment } from './moments.js';
export {
  addToQueue,
  editEntry,
  listQueue,
  moveEntry,
  pauseQueue,
  type QueueParts,
  removeEntry,
  resumeQueue,
  retryEntry,
  showEntry,
} from './operations.js';
export { arrange, type EntryStanding, findCycle, type OrderFacts, type Placed, placeAt } from './order.js';
export { hashOf, PlanNotQueuedError } from './plan-content.js';
export {
  type Admission,
  ALWAYS,
  type Awaitable,
  type EntryChange,
  type EntryEnd,
  type Move,
  type NewEntry,
  NO_LIMITS,
  type PlanFiles,
  type Queue,
  type QueueContent,
  type SlotLimits,
  type Taken,
  type TakenBefore,
  type Taker,
} from './port.js';
export {
  type AddWishes,
  type DeskParts,
  type EditWishes,
  QueueDesk,
  type SharedQueue,
  type ShownEntry,
} from './queue-desk.js';
export {
  type Entry,
  type EntryOptions,
  EntryRecord,
  FAILURE_POLICIES,
  type FailurePolicy,
  type FleetFacts,
  type FleetLease,
} from './schema.js';
export { type EntryView, type EntryWait, type QueueView, viewFiles, viewQueue } from './view.js';
