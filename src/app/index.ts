export { driverTools, openAgents, startAgent } from './agents/open-agents.js';
export { openPrices } from './agents/open-prices.js';
export { createServices, type Services } from './services.js';
export {
  cleanAutomatically,
  conversationPath,
  createConversationSessions,
  createTextFile,
  type OpenConversationsOptions,
  openConversations,
  turnTaker,
  writeTextFile,
} from './sessions/open-conversations.js';
export { openLocks } from './sessions/open-locks.js';
export { createLoopSessions, type OpenLoopsOptions, openLoops } from './sessions/open-loops.js';
export {
  createProcessSessions,
  launchOf,
  type OpenProcessesOptions,
  openProcesses,
} from './sessions/open-processes.js';
export { createQuestionSessions, type OpenQuestionsOptions } from './sessions/open-questions.js';
export { ConfigError } from './settings/parse-settings.js';
export { withTemporaryHome } from './temporary-home.js';
export { readTextFile } from './user-files.js';
