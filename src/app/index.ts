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
  createConversationSessions,
  createTextFile,
  type OpenConversationsOptions,
  openConversations,
  turnTaker,
  writeTextFile,
} from './conversations.js';
export { createLoopSessions, type OpenLoopsOptions, openLoops } from './loops.js';
export { CostUnknownError, openPrices } from './prices.js';
export { createProcessSessions, launchOf, type OpenProcessesOptions, openProcesses } from './processes.js';
export { openLocks } from './unlock.js';
