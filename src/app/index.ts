export {
  agentVersion,
  chooseAgent,
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
export { loadClientSetup } from './load-client-setup.js';
export { openLoops } from './loops.js';
export { createLoopSessions, type OpenLoopsOptions } from './open-loops.js';
export { createQuestionSessions, type OpenQuestionsOptions } from './open-questions.js';
export { createServices, type ServiceOptions, type Services } from './services.js';
export { withTemporaryHome } from './temporary-home.js';
export { type LockReport, lockOf, unlock } from './unlock.js';
export { readTextFile } from './user-files.js';
