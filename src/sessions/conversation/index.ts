export { replayText, trimContext } from './context.js';
export { Conversation } from './conversation.js';
export { ConversationElsewhereError, ConversationExistsError, InvalidConversationIdError } from './errors.js';
export { exportJson, exportMarkdown, parseExport } from './export.js';
export { type ConversationStatus, conversationLifecycle } from './lifecycle.js';
export { deleteConversation, listConversations } from './operations.js';
export { UNKNOWN_AGENT, type UsageRecord } from './schema.js';
export { ConversationSessions } from './sessions.js';
export { FileConversationStore } from './store.js';
export type { TranscriptItem } from './transcript/items.js';
export {
  findInTranscript,
  readTranscript,
  showRecord,
  showTranscript,
  type TranscriptParts,
} from './transcript/operations.js';
export {
  type TranscriptFacts,
  type TranscriptHits,
  type TranscriptPage,
  type TranscriptRecord,
  Transcripts,
} from './transcript/transcripts.js';
export { sumUsage, type UsageTotals } from './usage.js';
export type { ConversationDamage, ConversationSummary, ConversationView, Turn, TurnRef } from './view.js';
export { isSameProject, placeConversation } from './where-to-resume.js';
