export { bootTimeMs } from './boot-time.js';
export { ProgramInputClosedError, ProgramNotStartedError } from './errors.js';
export type { LeftProcess } from './escapes.js';
export type { KnownProcess } from './family.js';
export { findProgram } from './find-program.js';
export { GUARD_NAME } from './guard/messages.js';
export { Guard, type GuardEnd, type GuardSpec, startGuard } from './guard/start-guard.js';
export { watchGuard } from './guard/watch-guard.js';
export { mendTerminal, terminalNotes } from './held-terminal.js';
export { LineSplitter, type OversizedLine } from './line-splitter.js';
export { OutputLog } from './output-log.js';
export {
  commandLineOf,
  findMarked,
  findProcess,
  isRunning,
  isStill as isStillRunning,
  MARKER_NAME,
  type ProcessEntry,
  runningChildren,
} from './process-table.js';
export {
  Program,
  type ProgramExit,
  type ProgramSpec,
  type ProgramTools,
  type StopOptions,
  startProgram,
} from './program.js';
export { type LeftBehindProgram, type OrphanReport, ProgramRegistry } from './registry.js';
export { type ProgramResult, runProgram } from './run-program.js';
export { type DetachedProgram, startDetached } from './start-detached.js';
