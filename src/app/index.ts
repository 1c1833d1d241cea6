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
export {
  type ChatStart,
  type ChatWishes,
  ConversationElsewhereError,
  chatStart,
  isSameProject,
  placeConversation,
} from './chat-start.js';
export {
  type Config,
  ConfigError,
  type Environment,
  processEnvironment,
  SETTINGS,
  type SettingKey,
} from './config.js';
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
export { createQuestionSessions, type OpenQuestionsOptions } from './open-questions.js';
export { CostUnknownError, openPrices } from './prices.js';
export { createProcessSessions, launchOf, type OpenProcessesOptions, openProcesses } from './processes.js';
export { createServices, type ServiceOptions, type Services } from './services.js';
export { withTemporaryHome } from './temporary-home.js';
export { type HeldScreen, mendTerminal, noteTerminal } from './terminals.js';
export { openLocks } from './unlock.js';
export { readTextFile } from './user-files.js';
