import { ConversationSessions } from '../sessions/conversation/sessions.js';
import { FileConversationStore } from '../sessions/conversation/store.js';
import { type SystemOptions, systemTools } from '../storage/index.js';

// The specification publishes files and commands, but no operations: these names are ours.
export { Conversation } from '../sessions/conversation/conversation.js';
export { ConversationExistsError, InvalidConversationIdError } from '../sessions/conversation/errors.js';
export type { ConversationStatus } from '../sessions/conversation/lifecycle.js';
export {
  type ConversationFilter,
  ConversationSessions,
  type CreateConversation,
} from '../sessions/conversation/sessions.js';
export type { ConversationSummary, ConversationView, Turn, TurnRef } from '../sessions/conversation/view.js';

/** Where conversations are kept. */
export interface ConversationConfig {
  /** The directory of the `<id>.jsonl` files. */
  readonly directory: string;
}

/** The conversations of a directory, whatever is configured elsewhere. */
export function openConversationSessions(
  { directory }: ConversationConfig,
  options: SystemOptions = {},
): ConversationSessions {
  const tools = systemTools('holdfast/conversation', options);
  return new ConversationSessions({ ...tools, store: new FileConversationStore(tools, { directory }) });
}
