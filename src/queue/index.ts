export { type AddWishes, type DeskParts, type EditWishes, QueueDesk, type ShownEntry } from './desk.js';
export { planEntries, type QueueingPlace, type QueueWishes, type Wanted } from './enqueue.js';
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
export { arrange, type OrderFacts, type Placed, type Standing } from './order.js';
export { PlanNotQueuedError } from './plan-content.js';
export {
  type Admission,
  ALWAYS,
  type EntryChange,
  type EntryEnd,
  type NewEntry,
  NO_LIMITS,
  type PlanFiles,
  type Queue,
  type QueueContent,
  type SlotLimits,
  type Taken,
  type Taker,
} from './port.js';
export { type Entry, type EntryOptions, FAILURE_POLICIES, type FailurePolicy } from './schema.js';
export { type EntryView, type EntryWait, type QueueView, viewQueue } from './view.js';
