import { type Clock, type Codec, RecordFault } from '../../foundation/index.js';
import { DocumentDamagedError, DocumentRefusedError, NewerVersionError, StorageError } from '../errors.js';
import { readFile, replaceFile, type StorageTools } from './atomic-file.js';
import type { FileSystem } from './file-system.js';

/** The format version we write; a document without one counts as 1. */
export const DOCUMENT_VERSION = 1;

/** How long a reader that meets a half-written foreign file or a temporary fault waits before it looks again. */
const READ_WAITS_MS = [10, 20, 40];

/** Reads, and retries up to three times if it meets damage, a temporary fault, or a result that `isWhole` rejects. */
export async function readPatiently<Result>(
  clock: Clock,
  read: () => Result,
  isWhole: (result: Result) => boolean = () => true,
): Promise<Result> {
  for (const waitMs of READ_WAITS_MS) {
    try {
      const result = read();
      if (isWhole(result)) return result;
    } catch (error) {
      if (!(error instanceof DocumentDamagedError) && !isPassing(error)) throw error;
    }
    await clock.sleep(waitMs);
  }
  return read();
}

/** Reads a JSON document; undefined if there is none. Throws DOCUMENT_DAMAGED, UNSAFE_PATH, STORAGE_FAILED. */
export function readDocument<Document>(
  fileSystem: FileSystem,
  path: string,
  codec: Codec<Document>,
): Document | undefined {
  const text = readFile(fileSystem, path);
  return text === undefined ? undefined : parseDocument(path, text, codec);
}

/** Replaces a JSON document durably. Throws ATOMIC_WRITE_FAILED, NEWER_VERSION, DOCUMENT_REFUSED. */
export function writeDocument<Document extends object>(
  tools: StorageTools,
  path: string,
  document: NoInfer<Document>,
  codec: Codec<Document>,
): void {
  refuseNewer(path, document);
  replaceFile(tools, path, formatDocument(path, document, codec));
}

/**
 * The text of a document for its file: two spaces, no final newline. Throws DOCUMENT_REFUSED if its own reader would
 * not accept it back.
 */
export function formatDocument<Document>(
  path: string,
  document: NoInfer<Document>,
  codec: Codec<Document>,
): string {
  try {
    return JSON.stringify(codec.toDisk(document), null, 2);
  } catch (error) {
    if (!(error instanceof RecordFault)) throw error;
    throw new DocumentRefusedError(path, error.message, { cause: error });
  }
}

/** Checks the text of a file. Keys we do not know survive, `__proto__` does not. Throws DOCUMENT_DAMAGED. */
export function parseDocument<Document>(path: string, text: string, codec: Codec<Document>): Document {
  return fromDisk(path, parseJson(path, text), codec);
}

/** Checks a JSON value read from a file. Throws DOCUMENT_DAMAGED. */
export function fromDisk<Document>(path: string, value: unknown, codec: Codec<Document>): Document {
  try {
    return codec.fromDisk(value);
  } catch (error) {
    if (!(error instanceof RecordFault)) throw error;
    throw new DocumentDamagedError(path, error.message, { cause: error });
  }
}

/** Parses the text of a file as JSON and drops every `__proto__` key. Throws DOCUMENT_DAMAGED. */
export function parseJson(path: string, text: string): unknown {
  try {
    // The key may also be spelled with escapes, such as \u005f for its underscores.
    const mayHoldPrototype = text.includes('__proto__') || text.includes('\\u00');
    return JSON.parse(text, mayHoldPrototype ? withoutPrototype : undefined);
  } catch (error) {
    throw new DocumentDamagedError(path, text === '' ? 'it is empty' : 'it is not JSON', { cause: error });
  }
}

function withoutPrototype(key: string, value: unknown): unknown {
  return key === '__proto__' ? undefined : value;
}

function refuseNewer(path: string, document: object): void {
  const version = 'version' in document ? document.version : DOCUMENT_VERSION;
  if (typeof version === 'number' && version > DOCUMENT_VERSION) throw new NewerVersionError(path, version);
}

function isPassing(error: unknown): boolean {
  return error instanceof StorageError && (error.fault === 'broken' || error.fault === 'exhausted');
}
