export {
  createConversationSessions,
  createLoopSessions,
  createProcessSessions,
  createQuestionSessions,
  type OpenConversationsOptions,
  type OpenLoopsOptions,
  type OpenProcessesOptions,
  type OpenQuestionsOptions,
} from './app/index.js';
export {
  type OpenQueueOptions,
  openQueue,
  type StartedWorker,
  type StartWorkerOptions,
  startWorker,
} from './app/queue/open-queue.js';
export { type OpenRunOptions, openRun, type Run, type RunStartOptions } from './app/run/open-run.js';
export { createChangeSessions, type OpenChangesOptions } from './app/sessions/open-changes.js';
export { cleanOldQuestions } from './catalog/index.js';
export {
  type Clock,
  HoldfastError,
  type Ids,
  isHoldfastError,
  type Logger,
  VERSION,
  visibleBlock,
  visibleLine,
} from './foundation/index.js';
export { type PrpCriterion, type PrpPlan, parsePrp, type Story, type Task } from './plans/index.js';
export type {
  AddWishes,
  Admission,
  EditWishes,
  Entry,
  EntryStanding,
  EntryView,
  QueueDesk,
  QueueView,
  ShownEntry,
} from './queue/index.js';
export type { RunEnd, RunEvent } from './run/index.js';
export type {
  ChangeDetail,
  ChangeRecovery as RecoverReport,
  ChangeSessionStatus,
  ChangeSessionSummary,
  ChangeSessions,
  ChangeState,
  ChangeSummary,
  CompletedTask,
  Learning,
  Progress,
  Scope,
  StartedSession,
  StoryContext,
} from './sessions/change/index.js';
export type {
  Conversation,
  ConversationSessions,
  ConversationStatus,
  ConversationSummary,
  ConversationView,
  Turn,
} from './sessions/conversation/index.js';
export {
  type Budget,
  type CreateLoopOptions,
  type Decision,
  type Detection,
  type HeldLoop,
  type IterationOutcome,
  type LoopDocuments,
  type LoopReport,
  type LoopRequest,
  type LoopRequestInput,
  type LoopSessions,
  type LoopState,
  type LoopStatus,
  type LoopView,
  type Measurement,
  parseStatus,
  type ResumeOptions,
  type SelfReport as Claim,
  selfReportOf as claimOf,
} from './sessions/loop/index.js';
export type {
  AgentLaunch,
  ExecuteOptions,
  ProcessInfo,
  ProcessNotice,
  ProcessSession,
  ProcessSessions,
  ProcessStanding as Standing,
  ProcessState,
  PromptResponse,
} from './sessions/process/index.js';
export {
  type AnswerInput,
  type Asker,
  type CreateQuestionOptions as CreateOptions,
  type Delivery,
  formatAnswers,
  type Option,
  type Question,
  type QuestionInput,
  type QuestionOutcome,
  type QuestionReport,
  type QuestionSessions,
  type QuestionStatus,
  type QuestionView,
  type UserAnswer,
  type WaitOptions,
} from './sessions/question/index.js';
export type { WorkerEvent, WorkerReport } from './worker/index.js';
