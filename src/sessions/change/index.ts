export {
  ChangeGoneError,
  ChangeLockedError,
  ChangeNotHeldError,
  ChangeSessionEndedError,
  ChangeSessionNotFoundError,
  InvalidChangeSessionIdError,
  NoTasksError,
  SessionElsewhereError,
  SessionIdTakenError,
  SessionRequiredError,
  StoryRequiredError,
  TaskOutOfScopeError,
} from './errors.js';
export { type ChangeSessionStatus, changeLifecycle } from './lifecycle.js';
export {
  type ChangeServices,
  completeTask,
  flushChange,
  initChange,
  listChangeSessions,
  listTasks,
  recordLearning,
  recoverChange,
  releaseChange,
  showChangeSession,
  showProgress,
  showStoryContext,
  takeNextStory,
  undoTask,
} from './operations.js';
export type { ChangeDetail, ChangeSessionSummary, ChangeSummary } from './overview.js';
export type { ChangeRecovery } from './recover.js';
export type {
  ChangeDetailReport,
  ChangeReport,
  ContextReport,
  ProgressReport,
  StartedReport,
} from './report.js';
export type { ChangeState, Learning } from './schema.js';
export type { Progress } from './scope.js';
export {
  ChangeSessions,
  type CompletedTask,
  type Scope,
  type StartedSession,
  type StoryContext,
} from './sessions.js';
