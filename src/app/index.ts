export { noteTerminal } from '../programs/index.js';
export { driverTools, openAgents, startAgent } from './agents.js';
export { ConfigError } from './config.js';
export {
  cleanAutomatically,
  conversationPath,
  createConversationSessions,
  createTextFile,
  type OpenConversationsOptions,
  openConversations,
  turnTaker,
  writeTextFile,
} from './conversations.js';
export { createLoopSessions, type OpenLoopsOptions, openLoops } from './loops.js';
export { openLocks } from './open-locks.js';
export { createQuestionSessions, type OpenQuestionsOptions } from './open-questions.js';
export { openPrices } from './prices.js';
export { createProcessSessions, launchOf, type OpenProcessesOptions, openProcesses } from './processes.js';
export { createServices, type Services } from './services.js';
export { withTemporaryHome } from './temporary-home.js';
export { readTextFile } from './user-files.js';
