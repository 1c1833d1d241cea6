export {
  compareSnapshots,
  type RepositoryChange,
  type WorkspaceChanges,
} from './compare-snapshots.js';
export { type ChangedCounts, countChangedSince } from './count-changed-since.js';
export { countDocuments, type DocumentCount, isDocument } from './count-documents.js';
export {
  type CountedFile,
  countChangedLines,
  findStartingPoint,
  type StartingPoint,
} from './count-lines.js';
export { isGitTrouble } from './git.js';
export type { Commit } from './git-history.js';
export {
  checkRemoteUrl,
  fetchCommit,
  findRemoteRef,
  GitRemoteError,
  hasCommit,
  isInHistory,
  listRemoteRefs,
  listTreeTrouble,
  openMirror,
  pushCommit,
  type RemoteRepository,
  type RemoteTrouble,
  removeRemoteRefs,
} from './git-remote.js';
export { findRemote, isOnRemote, type NamedRemote } from './git-remotes.js';
export {
  type BasePoint,
  checkOutFiles,
  compareToBase,
  countUnmerged,
  findBase,
  findBranch,
  findCommit,
  isBranchName,
  listSubmodulePaths,
  listUntracked,
  listWorktrees,
  type RegisteredWorktree,
  registerWorktree,
  unlockWorktree,
} from './git-worktrees.js';
export { type GuessedChanges, guessChanges } from './guess-changes.js';
export { findRepositoryTop } from './nested-repositories.js';
export { ContentMemory } from './read-content.js';
export type { MeasurementNote, RepositoryState, Snapshot } from './snapshot.js';
export {
  commitSnapshot,
  type LeftOut,
  MAX_UNTRACKED_BYTES,
  placeSnapshot,
  type SnapshotCommit,
} from './snapshot-commit.js';
export { type SnapshotOptions, takeSnapshot, type WorkspaceTools } from './take-snapshot.js';
export {
  type CountedTestResults,
  parseTestResults,
  type TestFramework,
  type TestResults,
  type UncountedTestResults,
} from './test-results/parse-test-results.js';
