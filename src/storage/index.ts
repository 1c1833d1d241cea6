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
} from './bytes/atomic-file.js';
export { ensureDirectory, hasDirectory, listDirectory, removeTree } from './bytes/directories.js';
export { EndsReader, type FileEnds } from './bytes/file-ends.js';
export {
  type FileFacts,
  type FileSystem,
  nodeFileSystem,
  OpenFlags,
  systemCode,
  type WatchHandle,
} from './bytes/file-system.js';
export {
  DOCUMENT_VERSION,
  formatDocument,
  fromDisk,
  parseDocument,
  parseJson,
  readDocument,
  readPatiently,
  writeDocument,
} from './bytes/json-document.js';
export { openForAppending, replaceQuick, writeQuick } from './bytes/quick-file.js';
export { type Piece, rewriteFile } from './bytes/rewrite-file.js';
export {
  readUserFile,
  removeUserFile,
  replaceUserFile,
  resolveUserPath,
  updateUserFile,
} from './bytes/user-file.js';
export {
  AtomicWriteError,
  attempt,
  DocumentDamagedError,
  DocumentRefusedError,
  lookAt,
  NewerVersionError,
  StorageError,
  UnsafePathError,
} from './errors.js';
export { gitCommonDirectory, realPath } from './git-directory.js';
export { commitGroup, type FileGroup, hasRedo, type Redo, readRedo, rollForward } from './group/redo.js';
export {
  assertLoopPlace,
  deriveLayout,
  findLoopAbove,
  findLoopDirectory,
  isRepositoryTop,
  type Layout,
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
} from './lock/lock.js';
export { describeOwner, LockedError, LockLostError } from './lock/lock-errors.js';
export type { LockOwner, LockState } from './lock/lock-record.js';
export {
  judgeLife,
  type LifeVerdict,
  ownIdentity,
  type ProcessIdentity,
  ProcessRecord,
} from './lock/process-identity.js';
export { closeReleased } from './lock/released-records.js';
export { JsonlLog, type TailRepair } from './log/jsonl-log.js';
export {
  type LogDamage,
  type LogEntry,
  type LogTail,
  MAX_RECORD_BYTES,
  readLastRecords,
  readLog,
  readRange,
  scanLog,
  scanLogBackwards,
} from './log/jsonl-reader.js';
export {
  checksumSeed,
  encodeRecord,
  type LogRecord,
  type VerifiedRecord,
  verifyLine,
} from './log/jsonl-record.js';
export { type CheckLogOptions, checkLog, type SealedLine } from './log/jsonl-verify.js';
export { keepDamagedBytes, setAside } from './quarantine.js';
export { type SystemOptions, systemTools } from './system-tools.js';
export { Trash, type TrashEntry } from './trash.js';
export { type DirectoryWatch, DirectoryWatcher, type OnHint } from './watcher.js';
