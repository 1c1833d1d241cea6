export type { FileSystem } from '../storage/index.js';
export { type DriverClause, type DriverSetup, driverClauses } from './driver-kit.js';
export { FakeClock } from './fake-clock.js';
export { MemoryFileSystem } from './memory-file-system.js';
export {
  PROMPT_END,
  type ScriptedPlay,
  type ScriptedStart,
  type ScriptedStep,
  type ScriptedTurn,
  scriptedStart,
} from './scripted-agent.js';
