export { CheckNotRunnableError, NoChecksError, RunBusyError } from './errors.js';
export { questionEvent, type RunEnd, type RunEvent } from './journal/events.js';
export { type JournalLimits, RunJournal } from './journal/journal.js';
export { type RunTeller, runTeller } from './journal/notice-events.js';
export { journalPlace } from './journal/place.js';
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
  countUncommitted,
  type FoundRun,
  findRun,
  isAskedOn,
  type PreparedRun,
  prepareRun,
  previewState,
  type RunWishes,
  refuseSecondRun,
  settleCompleted,
} from './open/find-run.js';
export { abortRun } from './open/leave-run.js';
export { type OwnedRun, ownRun, type StartRunOptions } from './open/own-run.js';
export { planRestart, type RestartOutcome, type RestartPlan, restartRun } from './open/restart-runs.js';
export { judgeRestart } from './open/restart-verdict.js';
export { type DetachedRun, startDetachedRun } from './open/run-detached.js';
export type { RunGuardian, RunServices, RunShelf } from './open/run-services.js';
export { findStoppedRun, needsReset, resumeStopped, type StoppedRun } from './open/stopped-run.js';
export {
  type ReportParts,
  type RunRequest,
  type RunStatus,
  type Runs,
  type RunsParts,
  type RunWait,
  reportOnRun,
  type ShownRun,
  type Steered,
  type SteeringParts,
  showRun,
  steerRunAnywhere,
  takeBackSteering,
} from './operations.js';
export { type Standing, type TestPoint, testHistory } from './phases/standing.js';
export type { Assignment, RunPlan, StoryPlace, StoryProgress } from './plan/plan.js';
export { openPrpPlan } from './plan/prp-plan.js';
export { AgentQuestions } from './questions/agent-questions.js';
export { isAskedByRun, isAskedHow, isEnd, isToldToGoOn } from './questions/ask-person.js';
export { RunLog } from './records/run-log.js';
export { recallStart } from './records/run-memory.js';
export { readGoneRun, readRunRecords } from './records/run-records.js';
export type {
  AskedQuestion,
  PhaseReport,
  ReportedIteration,
  ReportedPermission,
  ReportGap,
  RunReport,
  TestNumbers,
} from './report/report-document.js';
export { reportRun } from './report/run-report.js';
export type { UsedReport } from './report/used.js';
export { runLoop } from './run-loop.js';
export {
  type CheckpointFacts,
  type CheckpointWait,
  CONTEXT_MODES,
  type ContextMode,
  type RunCheckpoint,
  type RunParts,
  type SharedLimits,
  type SkipWish,
} from './run-parts.js';
export { type Check, guessedCheck, typedCheck } from './turn/checks.js';
export { buildPrompt, type PromptFacts } from './turn/prompt.js';
export {
  type Continuation,
  type TurnOptions,
  type TurnOutcome,
  TurnTaker,
  type TurnTakerOptions,
} from './turn/take-turn.js';
export { describeLost } from './worktree/lost-work.js';
export { worktreeName } from './worktree/names.js';
export {
  continueWorktree,
  intendWorktree,
  type PrepareOptions,
  prepareWorktree,
  repositoryOf,
  type WorktreeWish,
} from './worktree/prepare.js';
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
