export { AllRuns, type AllRunsParts } from './all-runs.js';
export {
  findRunAnywhere,
  type LocatedRun,
  RunElsewhereError,
  RunNotFoundError,
  RunReplacedError,
} from './find-run.js';
export {
  listOverview,
  type OverviewReader,
  type RunFacts,
  type RunFactsParts,
  type RunLogs,
  readRunLog,
  showRunAnywhere,
} from './operations.js';
export { Overview } from './overview.js';
export { directoryOfRow, type Elsewhere, type OverviewRow, type RowGroup, type RowSource } from './row.js';
