export { ContextTracker } from './context-tracker.js';
export {
  InvalidProcessIdError,
  LaunchDiffersError,
  NotResumableError,
  ProcessIdTakenError,
  ProcessNotReadyError,
  ProcessStartError,
  PromptFailedError,
  PromptTimedOutError,
  TerminateFailedError,
  TooManyProcessesError,
} from './errors.js';
export { canExecute, isOver, type ProcessState, processLifecycle } from './lifecycle.js';
export type { Workbench } from './measure.js';
export { listProcesses, type ProcessParts, showProcess, stopProcess } from './operations.js';
export type { PromptResponse } from './response.js';
export { isProcessId, processId } from './schema.js';
export { type ExecuteOptions, type ProcessNotice, ProcessSession, type StartConnection } from './session.js';
export { type AgentLaunch, ProcessSessions, type ProcessSessionsOptions } from './sessions.js';
export { FileProcessStore } from './store.js';
export type { ProcessInfo, ProcessStanding } from './view.js';
