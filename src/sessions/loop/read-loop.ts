import { join } from 'node:path';
import type * as z from 'zod';
import { InvalidInputError } from '../../foundation/index.js';
import {
  DOCUMENT_VERSION,
  DocumentDamagedError,
  type FileGroup,
  type FileSystem,
  parseDocument,
  type Redo,
  readFile,
  readRedo,
  UnsafePathError,
} from '../../storage/index.js';
import { diskName, toDisk } from './disk-keys.js';
import { DOCUMENTS, type DocumentName, type LoopDocuments, STATUS_LOG } from './schema.js';

/** A file that is there and does not verify. */
export interface LoopFault {
  readonly file: string;
  readonly kind: 'damaged' | 'unsafe' | 'mixed';
  readonly reason: string;
}

/** What the files of a loop say at one moment. */
export interface LoopSnapshot {
  /** Whether there is a session: its state, readable or not, or a commit that is going to make it. */
  readonly isFound: boolean;
  /** `loop-state.json` as it stands on disk. */
  readonly raw: Readonly<Record<string, unknown>> | undefined;
  readonly documents: Partial<LoopDocuments>;
  readonly faults: readonly LoopFault[];
  /** Files that are not there; a session of somebody else may lack all but its state. */
  readonly missing: readonly string[];
  /** The highest format version among the documents. */
  readonly version: number;
  /** The last commit that all documents are of; null where they carry no number. */
  readonly commit: number | null;
}

const NAMES = Object.keys(DOCUMENTS) as DocumentName[];

/** The files of a loop that change together. */
export function groupOf(directory: string): FileGroup {
  return {
    directory,
    record: 'redo.json',
    files: [...NAMES.map((name) => DOCUMENTS[name].file), STATUS_LOG],
  };
}

/** How often a reader without the lock looks again when a commit passed between two files. */
const MAX_TRIES = 20;

/**
 * Reads all documents as one commit left them, without a lock: from the redo record while one is there, else from the
 * files if they are all of the same commit, else once more.
 */
export function readLoop(fileSystem: FileSystem, directory: string): LoopSnapshot {
  for (let tries = 1; ; tries++) {
    const snapshot = readOnce(fileSystem, directory);
    if (tries === MAX_TRIES || !snapshot.faults.some((fault) => fault.kind === 'mixed')) return snapshot;
  }
}

/**
 * The text of every document as a commit writes it. Each is read back first: what a reader would refuse is not written.
 * Throws INVALID_INPUT, before anything is changed.
 */
export function writeDocuments(documents: LoopDocuments, commit: number): Record<string, string> {
  const texts: Record<string, string> = {};
  for (const name of NAMES) {
    const stamped = {
      ...documents[name],
      sessionId: documents.state.sessionId,
      version: DOCUMENT_VERSION,
      commit,
    };
    const { file, schema } = DOCUMENTS[name];
    const text = JSON.stringify(toDisk(schema, stamped), null, 2);
    refuseUnreadable(file, text, schema);
    texts[file] = text;
  }
  return texts;
}

function refuseUnreadable(file: string, text: string, schema: z.ZodType): void {
  try {
    check(file, text, schema);
  } catch (error) {
    if (!(error instanceof DocumentDamagedError)) throw error;
    throw new InvalidInputError(`Nothing was written, because nobody could read ${file}: ${error.reason}`, {
      cause: error,
      hint: 'Give numbers and texts that the file can hold; the session is as it was.',
    });
  }
}

/** A state that somebody has read themselves: checked, or what is wrong with it. */
export function checkState(raw: unknown): {
  readonly state?: LoopDocuments['state'];
  readonly fault?: string;
} {
  const { file, schema } = DOCUMENTS.state;
  try {
    return { state: check(file, JSON.stringify(raw), schema) as LoopDocuments['state'] };
  } catch (error) {
    if (!(error instanceof DocumentDamagedError)) throw error;
    return { fault: `${file}: ${error.reason}` };
  }
}

function readOnce(fileSystem: FileSystem, directory: string): LoopSnapshot {
  const faults: LoopFault[] = [];
  const redo = readRedoOrFault(fileSystem, directory, faults);
  const documents: Partial<Record<DocumentName, unknown>> = {};
  const missing: string[] = [];
  const commits = new Set<unknown>();
  let raw: Readonly<Record<string, unknown>> | undefined;
  let version = DOCUMENT_VERSION;
  let isFound = redo !== undefined;
  for (const name of NAMES) {
    const { file, schema } = DOCUMENTS[name];
    try {
      const text = redo?.replaced[file] ?? readFile(fileSystem, join(directory, file));
      if (name === 'state' && text !== undefined) isFound = true;
      if (text === undefined) {
        missing.push(file);
        continue;
      }
      const loose = parseLoose(file, text);
      if (name === 'state') raw = loose;
      if (typeof loose.version === 'number') version = Math.max(version, loose.version);
      const document = check(file, text, schema);
      documents[name] = document;
      commits.add(loose.commit ?? null);
    } catch (error) {
      if (name === 'state') isFound = true;
      faults.push(toFault(file, error));
    }
  }
  const [commit] = commits;
  if (commits.size > 1) faults.push(mixed(documents));
  return {
    isFound,
    raw,
    documents: documents as Partial<LoopDocuments>,
    faults,
    missing,
    version,
    commit: commits.size === 1 && typeof commit === 'number' ? commit : null,
  };
}

function readRedoOrFault(fileSystem: FileSystem, directory: string, faults: LoopFault[]): Redo | undefined {
  const group = groupOf(directory);
  try {
    return readRedo(fileSystem, group);
  } catch (error) {
    faults.push(toFault(group.record, error));
    return undefined;
  }
}

const ANY_OBJECT = {
  safeParse: (value: unknown) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? { success: true as const, data: value }
      : { success: false as const, error: { issues: [{ path: [], message: 'it is not an object' }] } },
};

function parseLoose(file: string, text: string): Readonly<Record<string, unknown>> {
  return parseDocument(file, text, ANY_OBJECT as unknown as z.ZodType<Readonly<Record<string, unknown>>>);
}

/** As `parseDocument`, naming places as they are spelled on disk. */
function check(file: string, text: string, schema: z.ZodType): unknown {
  try {
    return parseDocument(file, text, schema);
  } catch (error) {
    if (!(error instanceof DocumentDamagedError)) throw error;
    const [place = '', ...rest] = error.reason.split(':');
    throw new DocumentDamagedError(file, [diskName(place), ...rest].join(':'), { cause: error });
  }
}

function toFault(file: string, error: unknown): LoopFault {
  if (error instanceof DocumentDamagedError) return { file, kind: 'damaged', reason: error.reason };
  if (error instanceof UnsafePathError) return { file, kind: 'unsafe', reason: error.reason };
  throw error;
}

function mixed(documents: Partial<Record<DocumentName, unknown>>): LoopFault {
  const parts = Object.entries(documents).map(([name, document]) => {
    const { commit } = document as { commit?: number };
    return `${DOCUMENTS[name as DocumentName].file} ${commit ?? 'none'}`;
  });
  return {
    file: DOCUMENTS.state.file,
    kind: 'mixed',
    reason: `the files are not of one commit (${parts.join(', ')})`,
  };
}
