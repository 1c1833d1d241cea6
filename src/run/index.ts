export { CheckNotRunnableError, NoChecksError } from './errors.js';
export type { RunEnd, RunEvent } from './journal/events.js';
export { RunJournal } from './journal/journal.js';
export { journalPlace } from './journal/journal-place.js';
export { runTeller } from './journal/notice-events.js';
export {
  followJournal,
  type JournalEntry,
  type JournalHints,
  JournalReader,
  type ReadJournalOptions,
} from './journal/read-journal.js';
export {
  budgetOf,
  checkCostLimit,
  choosePhases,
  type FoundRun,
  findRun,
  isAskedOn,
  listUncommitted,
  type PreparedRun,
  prepareRun,
  previewState,
  type RunWishes,
  refuseSecondRun,
  settleCompleted,
} from './open/find-run.js';
export { abortRun } from './open/leave-run.js';
export { ownRun } from './open/own-run.js';
export { planRestart, type RestartOutcome, type RestartPlan, restartRun } from './open/restart-runs.js';
export { judgeRestart } from './open/restart-verdict.js';
export { type DetachedRun, startDetachedRun } from './open/run-detached.js';
export type { RunServices, RunShelf } from './open/run-services.js';
export {
  type ReportParts,
  type RunRequest,
  type RunStatus,
  type Runs,
  reportOnRun,
  type Steered,
  type SteeringParts,
  showRun,
  steerRunAnywhere,
  takeBackSteering,
} from './operations.js';
export type { StoryPlace } from './plan/plan.js';
export { openPrpPlan } from './plan/prp-plan.js';
export { AgentQuestions } from './questions/agent-questions.js';
export { isAskedHow } from './questions/ask-person.js';
export { RunLog } from './records/run-log.js';
export { recallStart } from './records/run-memory.js';
export { readGoneRun, readRunRecords } from './records/run-records.js';
export type { RunReport } from './report/report-document.js';
export { reportRun } from './report/run-report.js';
export { runLoop } from './run-loop.js';
export type {
  CheckpointFacts,
  CheckpointWait,
  ContextMode,
  RunCheckpoint,
  RunParts,
  SharedLimits,
  SkipWish,
} from './run-parts.js';
export { type Standing, type TestPoint, testHistory } from './run-standing.js';
export { typedCheck } from './turn/checks.js';
export { buildPrompt } from './turn/prompt.js';
export { type Continuation, TurnTaker, type TurnTakerOptions } from './turn/take-turn.js';
export { describeLost } from './worktree/lost-work.js';
export { worktreeName } from './worktree/names.js';
export { continueWorktree, intendWorktree, prepareWorktree, repositoryOf } from './worktree/prepare.js';
export {
  changePlanIn,
  isWorktreeThere,
  listWorktreeRecords,
  retireRun,
  retireWorktree,
  runOfWorktree,
  type WorktreeRecord,
  writeWorktree,
} from './worktree/record.js';
export { refuseWork, reportWorktree, type WorktreeReport } from './worktree/worktree-report.js';
