// What every command needs. The rest of this folder is exported by `index.ts`, which loads all kinds of sessions. The bundler
// splits by file and gives each command only what it imports, so the commands that start often import this file.
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
