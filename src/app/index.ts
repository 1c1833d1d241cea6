export {
  agentVersion,
  chooseAgent,
  describedAgents,
  driverTools,
  knownAgents,
  locateAgent,
  NoAgentError,
  type StartAgentOptions,
  startAgent,
} from './agents.js';
export {
  type Config,
  ConfigError,
  type Environment,
  processEnvironment,
  SETTINGS,
  type SettingKey,
} from './config.js';
export {
  cleanAutomatically,
  conversationPath,
  openConversations,
  turnTaker,
  writeTextFile,
} from './conversations.js';
export { loadClientSetup } from './load-client-setup.js';
export { openLoops } from './loops.js';
export { createLoopSessions, type OpenLoopsOptions } from './open-loops.js';
export { createProcessSessions, type OpenProcessesOptions } from './open-processes.js';
export { createQuestionSessions, type OpenQuestionsOptions } from './open-questions.js';
export { launchOf, openProcesses } from './processes.js';
export { createServices, type ServiceOptions, type Services } from './services.js';
export { withTemporaryHome } from './temporary-home.js';
export { findLockedSession, type LockReport, lockOf, unlock } from './unlock.js';
export { readTextFile } from './user-files.js';
