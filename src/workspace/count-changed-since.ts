import { join } from 'node:path';
import { type SnapshotOptions, takeSnapshot, type WorkspaceTools } from './take-snapshot.js';

/**
 * How many files of a working tree were written since a moment, by their times: for who has no snapshot of that moment,
 * because the process that took it was killed. What was deleted or committed since does not show.
 */
export async function countChangedSince(
  tools: WorkspaceTools,
  directory: string,
  since: Date,
  options: SnapshotOptions = {},
): Promise<number> {
  const { root, files } = await takeSnapshot(tools, directory, options);
  const isNew = (path: string) =>
    (tools.fileSystem.look(join(root, path))?.modifiedMs ?? 0) >= since.getTime();
  return [...files.keys()].filter(isNew).length;
}
