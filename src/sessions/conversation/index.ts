export { type Context, type ContextLimits, type ContextTurn, replayText, trimContext } from './context.js';
export { Conversation, type ImportedTurn, type TurnFacts } from './conversation.js';
export { ConversationExistsError, InvalidConversationIdError } from './errors.js';
export { exportJson, exportMarkdown, type ImportedConversation, parseExport } from './export.js';
export { type ConversationStatus, conversationLifecycle } from './lifecycle.js';
export type { MovedRecord } from './moved-conversation.js';
export {
  type ConversationParts,
  deleteConversation,
  listConversations,
} from './operations.js';
export { UNKNOWN_AGENT, type UsageRecord } from './schema.js';
export {
  type ConversationFilter,
  ConversationSessions,
  type ConversationSessionsOptions,
  type CreateConversation,
} from './sessions.js';
export { FileConversationStore } from './store.js';
export type { TranscriptHit } from './transcript/find-text.js';
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
  type TranscriptPlace,
  type TranscriptRecord,
  Transcripts,
} from './transcript/transcripts.js';
export { sumUsage, type UsageTotals } from './usage.js';
export {
  type AgentHandle,
  type ConversationDamage,
  type ConversationLaunch,
  type ConversationMetadata,
  type ConversationRecovery,
  type ConversationSummary,
  type ConversationView,
  contextOf,
  type Turn,
  type TurnRef,
  type VerifyReport,
} from './view.js';
