import type { ConversationSessions } from '../sessions/conversation/index.js';
import { openConversations } from './conversations.js';
import { type LibraryOptions, libraryServices } from './library-services.js';

export interface OpenConversationsOptions extends LibraryOptions {
  /** Keeps what is said as it is, secrets included. */
  readonly isRaw?: boolean | undefined;
}

/** Opens the conversations that `holdfast chat` keeps. Throws CONFIG_INVALID. */
export function createConversationSessions(options: OpenConversationsOptions = {}): ConversationSessions {
  return openConversations(libraryServices(options), { isRaw: options.isRaw === true });
}
