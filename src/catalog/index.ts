export {
  describeGone,
  listProjects,
  listWithProjects,
  type ProjectSession,
  type RememberedProject,
} from './all-projects.js';
export { type BrowsedSessions, browseSessions } from './browse.js';
export { Catalog, type CatalogFilter, type TrashedRef } from './catalog.js';
export { changeKind } from './change.js';
export { cleanOldConversations, cleanOldQuestions } from './clean-old.js';
export { conversationKind } from './conversation.js';
export { InvalidCatalogIdError, RestoreBlockedError, type SessionRef } from './errors.js';
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
export { type LockedKind, locksOf } from './locks.js';
export { loopKind } from './loop.js';
export {
  type CatalogParts,
  cleanSessions,
  deleteSession,
  type EverySession,
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
export { type RetainOptions, type RetainReport, retain } from './retain.js';
export { retainDaily } from './retain-daily.js';
export { severalPlaces } from './several.js';
export { type KeptWorktree, worktreeLoopKind } from './worktree-loop.js';
