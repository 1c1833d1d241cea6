import { Transcripts } from '../../sessions/conversation/index.js';
import type { Services } from '../services.js';
import { conversationStore, openConversations } from './open-conversations.js';

/** The conversations of this user, to be read a page at a time. It keeps its index in memory only. */
export function openTranscripts(services: Services): Transcripts {
  return new Transcripts({
    conversations: openConversations(services),
    store: conversationStore(services),
  });
}
