export { driverTools, openAgents, startAgent } from './agents.js';
export {
  type ChatStart,
  type ChatWishes,
  ConversationElsewhereError,
  chatStart,
  isSameProject,
  placeConversation,
} from './chat-start.js';
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
export { createQuestionSessions, type OpenQuestionsOptions } from './open-questions.js';
export { CostUnknownError, openPrices } from './prices.js';
export { createProcessSessions, launchOf, type OpenProcessesOptions, openProcesses } from './processes.js';
export { createServices, type Services } from './services.js';
export { withTemporaryHome } from './temporary-home.js';
export { noteTerminal } from './terminals.js';
export { openLocks } from './unlock.js';
export { readTextFile } from './user-files.js';
