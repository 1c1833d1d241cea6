export {
  agentVersion,
  chooseAgent,
  chooseInstalledAgent,
  describedAgents,
  driverTools,
  knownAgents,
  locateAgent,
  NoAgentError,
  type StartAgentOptions,
  startAgent,
} from './agents.js';
export { settingsFromAurora } from './aurora-config.js';
export * from './base.js';
export {
  type ChatStart,
  type ChatWishes,
  ConversationElsewhereError,
  chatStart,
  isSameProject,
  placeConversation,
} from './chat-start.js';
export {
  type AutomaticCleaning,
  cleanAutomatically,
  conversationPath,
  createTextFile,
  openConversations,
  turnTaker,
  writeTextFile,
} from './conversations.js';
export { openLoops } from './loops.js';
export { createConversationSessions, type OpenConversationsOptions } from './open-conversations.js';
export { createLoopSessions, type OpenLoopsOptions } from './open-loops.js';
export { createProcessSessions, type OpenProcessesOptions } from './open-processes.js';
export { CostUnknownError, openPrices } from './prices.js';
export { launchOf, openProcesses } from './processes.js';
export { lastWords } from './run-words.js';
export { openLocks } from './unlock.js';
