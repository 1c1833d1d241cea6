// What every command needs. The rest of this folder is in `index.ts`, which loads all kinds of sessions: a bundler that
// splits by file gives each command only what it imports, so the commands that start often import this one.
export { retain } from '../catalog/index.js';
export type { SetupFile, SetupInstead } from '../client-settings/index.js';
export { mendTerminal, terminalNotes } from '../programs/index.js';
export { loadClientSetup } from './agents/load-client-setup.js';
export { type Config, type Environment, processEnvironment } from './config.js';
export { createServices, type ServiceOptions, type Services } from './services.js';
export { createQuestionSessions, type OpenQuestionsOptions } from './sessions/open-questions.js';
export { SETTINGS, type SettingKey } from './settings/config-keys.js';
export { ConfigError } from './settings/parse-settings.js';
export { withTemporaryHome } from './temporary-home.js';
export { readTextFile } from './user-files.js';
