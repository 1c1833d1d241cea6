export { Catalog, type KindFailure, type TrashedRef, type VerifiedSession } from './catalog.js';
export { changeKind } from './change.js';
export { conversationKind } from './conversation.js';
export {
  InvalidCatalogIdError,
  RestoreBlockedError,
  type SessionRef,
} from './errors.js';
export { findSession } from './find.js';
export {
  type CatalogKind,
  type ExportFormat,
  SESSION_KINDS,
  type SessionDetail,
  type SessionFault,
  type SessionKind,
  type SessionSummary,
} from './kind.js';
export { loopKind } from './loop.js';
export {
  type CatalogParts,
  cleanSessions,
  deleteSession,
  emptyTrash,
  exportSession,
  type LockReport,
  listSessions,
  listTrash,
  recoverSession,
  restoreSession,
  type SessionLocks,
  showSession,
  unlockSession,
  verifySessions,
} from './operations.js';
export { processKind } from './process.js';
export { questionKind } from './question.js';
