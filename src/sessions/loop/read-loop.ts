import { join } from 'node:path';
import type { Codec } from '../../foundation/index.js';
import {
  DOCUMENT_VERSION,
  DocumentDamagedError,
  type FileGroup,
  type FileSystem,
  formatDocument,
  fromDisk,
  parseJson,
  type Redo,
  readFile,
  readRedo,
  UnsafePathError,
} from '../../storage/index.js';
import {
  DOCUMENTS,
  type DocumentName,
  FoundState,
  type LoopDocuments,
  type LoopState,
  STATUS_LOG,
  Stamp,
} from './schema.js';

/** A file that exists but does not verify. */
export interface LoopFault {
  readonly file: string;
  readonly kind: 'damaged' | 'unsafe' | 'mixed';
  readonly reason: string;
}

/** What the files of a loop say at one moment. */
export interface LoopSnapshot {
  /** Whether there is a session: its state, readable or not, or a commit that will create it. */
  readonly isFound: boolean;
  /** What `loop-state.json` says, even where it does not verify. */
  readonly found: FoundState | undefined;
  readonly documents: Partial<LoopDocuments>;
  readonly faults: readonly LoopFault[];
  /** Files that are missing. A session written by another program may lack all but its state. */
  readonly missing: readonly string[];
  /** The highest format version among the documents. */
  readonly version: number;
  /** The last commit, if all documents belong to it; null if they carry no number. */
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

/** How often a reader without the lock retries after a commit landed between two files. */
const MAX_TRIES = 20;

/**
 * Reads all documents as of one commit, without a lock. Uses the redo record while there is one; otherwise the files,
 * if they are all of the same commit; otherwise it tries again.
 */
export function readLoop(fileSystem: FileSystem, directory: string): LoopSnapshot {
  for (let tries = 1; ; tries++) {
    const snapshot = readOnce(fileSystem, directory);
    if (tries === MAX_TRIES || !snapshot.faults.some((fault) => fault.kind === 'mixed')) return snapshot;
  }
}

/** The text of every document as a commit writes it. Throws DOCUMENT_REFUSED, before anything is changed. */
export function writeDocuments(documents: LoopDocuments, commit: number): Record<string, string> {
  const texts: Record<string, string> = {};
  for (const name of NAMES) {
    const { sessionId } = documents.state;
    const { file, codec } = DOCUMENTS[name];
    const stamped = { ...documents[name], sessionId, version: DOCUMENT_VERSION, commit };
    texts[file] = formatDocument(file, stamped, codec as Codec<object>);
  }
  return texts;
}

/** Checks a state that the caller has read: returns it, or what is wrong with it. */
export function checkState(raw: Readonly<Record<string, unknown>>): {
  readonly found: FoundState;
  readonly state?: LoopState;
  readonly fault?: string;
} {
  const { file, codec } = DOCUMENTS.state;
  const found = FoundState.fromDisk(raw);
  try {
    return { found, state: fromDisk(file, JSON.parse(JSON.stringify(raw)), codec) };
  } catch (error) {
    if (!(error instanceof DocumentDamagedError)) throw error;
    return { found, fault: `${file}: ${error.reason}` };
  }
}

function readOnce(fileSystem: FileSystem, directory: string): LoopSnapshot {
  const faults: LoopFault[] = [];
  const redo = readRedoOrFault(fileSystem, directory, faults);
  const documents: Partial<Record<DocumentName, unknown>> = {};
  const missing: string[] = [];
  const commits = new Set<unknown>();
  let found: FoundState | undefined;
  let version = DOCUMENT_VERSION;
  let isFound = redo !== undefined;
  for (const name of NAMES) {
    const { file, codec } = DOCUMENTS[name];
    try {
      const text = redo?.replaced[file] ?? readFile(fileSystem, join(directory, file));
      if (name === 'state' && text !== undefined) isFound = true;
      if (text === undefined) {
        missing.push(file);
        continue;
      }
      const value = parseJson(file, text);
      const stamp = fromDisk(file, value, Stamp);
      if (name === 'state') found = FoundState.fromDisk(value);
      if (typeof stamp.version === 'number') version = Math.max(version, stamp.version);
      documents[name] = fromDisk(file, value, codec as Codec<unknown>);
      commits.add(stamp.commit ?? null);
    } catch (error) {
      if (name === 'state') isFound = true;
      faults.push(toFault(file, error));
    }
  }
  const [commit] = commits;
  if (commits.size > 1) faults.push(mixed(documents));
  return {
    isFound,
    found,
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
