import type { Logger } from '../foundation/index.js';
import type { ConversationSessions } from '../sessions/conversation/index.js';
import { processEnvironment } from './config.js';
import { openConversations } from './conversations.js';
import { createServices } from './services.js';

export interface OpenConversationsOptions {
  /** Where Holdfast keeps its files; the platform's directories, or HOLDFAST_HOME, if absent. */
  readonly home?: string | undefined;
  /** Keeps what is said as it is, secrets included. */
  readonly isRaw?: boolean | undefined;
  /** What owner records say you are doing; the name of your program. */
  readonly command?: string | undefined;
  readonly log?: Logger | undefined;
}

/** Opens the conversations that `holdfast chat` keeps. Throws CONFIG_INVALID. */
export function createConversationSessions(options: OpenConversationsOptions = {}): ConversationSessions {
  const environment = processEnvironment();
  const services = createServices({
    environment: options.home === undefined ? environment : { ...environment, HOLDFAST_HOME: options.home },
    workingDirectory: process.cwd(),
    command: options.command ?? 'holdfast library',
    log: options.log,
  });
  return openConversations(services, { isRaw: options.isRaw === true });
}
