export {
  closeQuietly,
  createFile,
  isTemporaryName,
  keepOutOfGit,
  readBytes,
  readFile,
  removeQuietly,
  replaceFile,
  type StorageTools,
  syncDirectory,
} from './atomic-file.js';
export { ensureDirectory, hasDirectory, listDirectory, removeTree } from './directories.js';
export {
  AtomicWriteError,
  attempt,
  DocumentDamagedError,
  DocumentRefusedError,
  lookAt,
  NewerVersionError,
  StorageError,
  type StorageFault,
  UnsafePathError,
} from './errors.js';
export { EndsReader, type FileEnds } from './file-ends.js';
export {
  type FileFacts,
  type FileSystem,
  nodeFileSystem,
  OpenFlags,
  systemCode,
  type WatchHandle,
} from './file-system.js';
export {
  DOCUMENT_VERSION,
  type DocumentSchema,
  formatChecked,
  formatDocument,
  parseDocument,
  readDocument,
  readPatiently,
  withShortWay,
  writeDocument,
} from './json-document.js';
export { JsonlLog, LogPoisonedError, type TailRepair } from './jsonl-log.js';
export {
  type LogDamage,
  type LogEntry,
  type LogTail,
  MAX_RECORD_BYTES,
  readLastRecords,
  readLog,
  scanLog,
  scanLogBackwards,
} from './jsonl-reader.js';
export {
  checksumSeed,
  encodeRecord,
  type LogRecord,
  type VerifiedRecord,
  verifyLine,
} from './jsonl-record.js';
export { type CheckLogOptions, checkLog, type SealedLine } from './jsonl-verify.js';
export {
  assertLoopPlace,
  deriveLayout,
  findLoopAbove,
  findLoopDirectory,
  isRepositoryTop,
  type Layout,
  type MovedDirectories,
  type Roots,
} from './layout.js';
export {
  type AcquireOptions,
  acquireLock,
  forceUnlock,
  inspectLock,
  Lock,
  type LockTools,
  tryAcquireLock,
} from './lock.js';
export { describeOwner, LockedError, LockLostError } from './lock-errors.js';
export type { LockOwner, LockState } from './lock-record.js';
export { judgeLife, type LifeVerdict, ownIdentity, type ProcessIdentity } from './process-identity.js';
export { keepDamagedBytes, setAside } from './quarantine.js';
export { openForAppending, replaceQuick, writeQuick } from './quick-file.js';
export {
  commitGroup,
  type FileGroup,
  type GroupChange,
  hasRedo,
  type Redo,
  readRedo,
  rollForward,
} from './redo.js';
export { closeReleased } from './released-records.js';
export { type Piece, rewriteFile } from './rewrite-file.js';
export { systemTools } from './system-tools.js';
export { Trash, type TrashEntry } from './trash.js';
export {
  readUserFile,
  removeUserFile,
  replaceUserFile,
  resolveUserPath,
  updateUserFile,
} from './user-file.js';
export { type DirectoryWatch, DirectoryWatcher, type OnHint } from './watcher.js';
