export { AgentQuestions } from './agent-questions.js';
export { isAskedByRun, isAskedHow, isEnd, isToldToGoOn } from './ask-person.js';
export { type Check, guessedCheck, typedCheck } from './checks.js';
export { CheckNotRunnableError, NoChecksError, PlanNotFoundError, RunBusyError } from './errors.js';
export { questionEvent, type RunEnd, type RunEvent } from './events.js';
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
} from './find-run.js';
export { type JournalLimits, RunJournal } from './journal/journal.js';
export { journalPlace } from './journal/place.js';
export {
  followJournal,
  type JournalEntry,
  type JournalHints,
  JournalReader,
  type ReadJournalOptions,
} from './journal/read-journal.js';
export { abortRun } from './leave-run.js';
export {
  type RunStatus,
  type Runs,
  type RunsParts,
  type RunWait,
  reportOnRun,
  type ShownRun,
  showRun,
} from './operations.js';
export { type OwnedRun, ownRun, type StartRunOptions } from './own-run.js';
export type { Assignment, RunPlan, StoryPlace, StoryProgress } from './plan.js';
export { buildPrompt, type PromptFacts } from './prompt.js';
export { openPrpPlan } from './prp-plan.js';
export { type DetachedRun, startDetachedRun } from './run-detached.js';
export { RunLog } from './run-log.js';
export { runLoop } from './run-loop.js';
export { CONTEXT_MODES, type ContextMode, type RunParts, type SkipWish } from './run-parts.js';
export { type RunRecords, readRunRecords } from './run-records.js';
export { type PhaseReport, type RunReport, reportRun } from './run-report.js';
export type { RunServices, RunShelf } from './run-services.js';
export { type Standing, type TestPoint, testHistory } from './standing.js';
export {
  type Continuation,
  type TurnOptions,
  type TurnOutcome,
  TurnTaker,
  type TurnTakerOptions,
} from './take-turn.js';
