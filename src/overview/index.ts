export { AllRuns, type AllRunsParts } from './all-runs.js';
export {
  findRunAnywhere,
  RunElsewhereError,
  RunNotFoundError,
  type RunPlace,
  RunReplacedError,
} from './find-run.js';
export {
  listOverview,
  type OverviewOperationParts,
  type OverviewReader,
  type RunFacts,
  type RunFactsParts,
  type RunLogs,
  readRunLog,
  showRunAnywhere,
} from './operations.js';
export { Overview, type OverviewParts } from './overview.js';
export {
  directoryOfRow,
  type Elsewhere,
  type OverviewRow,
  type RowGroup,
  type RowQuestion,
  type RowRequest,
  type RowSource,
  type RowWorktree,
} from './row.js';
