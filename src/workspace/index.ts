export {
  compareSnapshots,
  type RepositoryChange,
  type WorkspaceChanges,
} from './compare-snapshots.js';
export { countChangedSince } from './count-changed-since.js';
export { countDocuments, type DocumentCount } from './count-documents.js';
export type { Commit } from './git-history.js';
export { type GuessedChanges, guessChanges } from './guess-changes.js';
export { ContentMemory } from './read-content.js';
export type { MeasurementNote, RepositoryState, Snapshot } from './snapshot.js';
export { type SnapshotOptions, takeSnapshot, type WorkspaceTools } from './take-snapshot.js';
export {
  type CountedTestResults,
  parseTestResults,
  type TestFramework,
  type TestResults,
  type UncountedTestResults,
} from './test-results/parse-test-results.js';
