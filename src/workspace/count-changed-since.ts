import { join } from 'node:path';
import { isDocument } from './count-documents.js';
import { type SnapshotOptions, takeSnapshot, type WorkspaceTools } from './take-snapshot.js';

/** Files that were written, and the documents among them. */
export interface ChangedCounts {
  readonly files: number;
  readonly documents: number;
  readonly paths: readonly string[];
}

/**
 * Finds the files of a working tree written since a given moment, by their times. This is for callers without a
 * snapshot of that moment, because the process that took it was killed. Files deleted or committed since do not show.
 */
export async function countChangedSince(
  tools: WorkspaceTools,
  directory: string,
  since: Date,
  options: SnapshotOptions = {},
): Promise<ChangedCounts> {
  const { root, files } = await takeSnapshot(tools, directory, options);
  const isNew = (path: string) =>
    (tools.fileSystem.look(join(root, path))?.modifiedMs ?? 0) >= since.getTime();
  const changed = [...files.keys()].filter(isNew);
  return { files: changed.length, documents: changed.filter(isDocument).length, paths: changed };
}
