export { type EntryRunner, entryRunner } from './entry-runner.js';
export { listWorkers, markWorker, type WorkerView } from './marks.js';
export { EntryPlaceError } from './run-place.js';
export { type WorkerEvent, type WorkerOptions, type WorkerReport, work } from './worker.js';
