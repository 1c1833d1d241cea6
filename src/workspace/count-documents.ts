import { join } from 'node:path';
import { type FileSystem, listDirectory, lookAt } from '../storage/index.js';

/** Markdown documents of a project; decision records are counted among them. */
export interface DocumentCount {
  readonly total: number;
  readonly decisionRecords: number;
}

const DOCUMENT = /\.(?:md|mdx|rst|adoc)$/i;
const RECORD_DIRECTORY = /^(?:adrs?|decisions?)$/i;
const RECORD_NAME = /^adr[-_ ]?\d+/i;
/** What others wrote, or programs made. Hidden directories are left out as well, ours among them. */
const NOT_OURS = new Set(['node_modules', 'vendor', 'target', 'dist', 'build', '__pycache__', 'venv']);
const MAX_DEPTH = 8;
const MAX_ENTRIES = 20_000;

/** Whether a path of a project is a document, by its name, and none that others wrote. */
export function isDocument(path: string): boolean {
  const names = path.split('/');
  return DOCUMENT.test(path) && !names.some((name) => name.startsWith('.') || NOT_OURS.has(name));
}

/** Counts the documents below a directory. Links are not followed; what cannot be listed has none. */
export function countDocuments(fileSystem: FileSystem, root: string): DocumentCount {
  const count = { total: 0, decisionRecords: 0 };
  let entries = 0;
  const visit = (directory: string, depth: number, isRecords: boolean) => {
    for (const name of listDirectory(fileSystem, directory)) {
      entries += 1;
      if (entries > MAX_ENTRIES || name.startsWith('.') || NOT_OURS.has(name)) continue;
      const path = join(directory, name);
      const kind = lookAt(fileSystem, path)?.kind;
      if (kind === 'directory' && depth < MAX_DEPTH)
        visit(path, depth + 1, isRecords || RECORD_DIRECTORY.test(name));
      if (kind !== 'file' || !DOCUMENT.test(name)) continue;
      count.total += 1;
      if ((isRecords && !/^readme\b/i.test(name)) || RECORD_NAME.test(name)) count.decisionRecords += 1;
    }
  };
  visit(root, 0, false);
  return count;
}
