export {
  type Config,
  ConfigError,
  type Environment,
  processEnvironment,
  SETTINGS,
  type SettingKey,
} from './config.js';
export { createQuestionSessions, type OpenQuestionsOptions } from './open-questions.js';
export { createServices, type ServiceOptions, type Services } from './services.js';
export {
  CLIENT_NAMES,
  type ClientName,
  type ClientSetup,
  inspectClient,
  installClient,
  removeClient,
  type SetupPlace,
} from './setup-client.js';
export { withTemporaryHome } from './temporary-home.js';
export { type LockReport, lockOf, unlock } from './unlock.js';
export { readTextFile } from './user-files.js';
