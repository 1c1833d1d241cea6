import * as z from 'zod';
import type { Codec } from '../../foundation/index.js';
import { DocumentDamagedError, fromDisk, parseJson } from '../../storage/index.js';
import { writeDocuments } from './read-loop.js';
import { DOCUMENTS, type DocumentName, type LoopDocuments, STATUS_LOG } from './schema.js';

/** All documents of a loop as one value: their texts as of one commit. */
export const LoopExportForm = z.strictObject({
  version: z.literal(1),
  /** The number of that commit. */
  commit: z.int().nonnegative(),
  files: z.record(z.string().max(100), z.string().max(16 * 1024 * 1024)),
});
export type LoopExport = z.infer<typeof LoopExportForm>;

/** How much of the end of the status log moves along: it is for people, and nothing depends on it. */
const MAX_LOG = 256 * 1024;

/** Throws DOCUMENT_REFUSED. */
export function exportLoop(documents: LoopDocuments, commit: number, statusLog: string): LoopExport {
  const files = { ...writeDocuments(documents, commit), [STATUS_LOG]: statusLog.slice(-MAX_LOG) };
  return { version: 1, commit, files };
}

/**
 * The files of an exported loop, for this machine. Another machine wrote them, so each is checked by its document's
 * codec, and anything else in the value is ignored. Throws DOCUMENT_DAMAGED.
 */
export function adoptedFiles(exported: LoopExport, movedFrom: string): Record<string, string> {
  const names = Object.keys(DOCUMENTS) as DocumentName[];
  const documents = Object.fromEntries(
    names.map((name) => {
      const { file, codec } = DOCUMENTS[name];
      const text = exported.files[file];
      if (text === undefined) throw new DocumentDamagedError(file, 'it is missing');
      return [name, fromDisk(file, parseJson(file, text), codec as Codec<unknown>)];
    }),
  ) as unknown as LoopDocuments;
  // Requests are numbered per machine, and this one has taken none yet.
  const state = { ...documents.state, movedFrom, lastRequest: -1 };
  return {
    ...writeDocuments({ ...documents, state }, exported.commit),
    [STATUS_LOG]: exported.files[STATUS_LOG] ?? '',
  };
}
