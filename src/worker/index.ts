export { type EntryRunner, entryRunner, type Prepare, runnerIn } from './entry-runner.js';
export { listWorkers, markWorker, type WorkerView } from './marks.js';
export { type EntryPlace, EntryPlaceError, preparePlace } from './run-place.js';
export { type WorkerEvent, type WorkerOptions, type WorkerReport, work } from './worker.js';
