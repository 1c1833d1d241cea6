import type * as z from 'zod';
import type { Check, Clock } from '../../foundation/index.js';
import { DocumentDamagedError, DocumentRefusedError, NewerVersionError, StorageError } from '../errors.js';
import { readFile, replaceFile, type StorageTools } from './atomic-file.js';
import type { FileSystem } from './file-system.js';

/** The format version we write; a document without one counts as 1. */
export const DOCUMENT_VERSION = 1;

/** What a document is checked against: a zod schema, or something that answers like one. */
export interface DocumentSchema<Document> {
  /** Says yes to documents that need no look at the rest, and knows all their keys; see `withShortWay`. */
  readonly isPlain?: Check;
  safeParse(
    value: unknown,
    context: { readonly jitless: boolean },
  ): { success: true; data: Document } | { success: false; error: z.ZodError };
}

/** How long a reader that met a half-written foreign file or a passing fault waits before it looks again. */
const READ_WAITS_MS = [10, 20, 40];

/** Reads, and again up to three times while it meets damage, a passing fault, or what `isWhole` says no to. */
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

/** Reads a JSON document; undefined where there is none. Throws DOCUMENT_DAMAGED, UNSAFE_PATH, STORAGE_FAILED. */
export function readDocument<Document>(
  fileSystem: FileSystem,
  path: string,
  schema: DocumentSchema<Document>,
): Document | undefined {
  const text = readFile(fileSystem, path);
  return text === undefined ? undefined : parseDocument(path, text, schema);
}

/**
 * Replaces a JSON document durably, after its reader's schema has agreed to what the file will hold. Throws
 * ATOMIC_WRITE_FAILED, NEWER_VERSION, DOCUMENT_REFUSED.
 */
export function writeDocument(
  tools: StorageTools,
  path: string,
  document: object,
  schema?: DocumentSchema<unknown>,
): void {
  refuseNewer(path, document);
  const text = schema === undefined ? formatDocument(document) : formatChecked(path, document, schema);
  replaceFile(tools, path, text);
}

/** A document as its file holds it, if its reader will take it back. Throws DOCUMENT_REFUSED. */
export function formatChecked(path: string, document: object, schema: DocumentSchema<unknown>): string {
  const text = formatDocument(document);
  try {
    // As it will stand there: a number that is none has become null by then.
    parseDocument(path, text, schema);
  } catch (error) {
    if (!(error instanceof DocumentDamagedError)) throw error;
    throw new DocumentRefusedError(path, error.reason, { cause: error });
  }
  return text;
}

/** A document as its file holds it: two spaces, no final newline. */
export function formatDocument(document: object): string {
  return JSON.stringify(document, null, 2);
}

/** Checks text against a schema. Keys we do not know survive, `__proto__` does not. Throws DOCUMENT_DAMAGED. */
export function parseDocument<Document>(
  path: string,
  text: string,
  schema: DocumentSchema<Document>,
): Document {
  const value = parseJson(path, text);
  if (schema.isPlain?.(value)) return value as Document;
  // A process reads few documents: to compile a parser costs more than it saves.
  const result = schema.safeParse(withoutPrototypeKeys(value, text), { jitless: true });
  if (result.success) return result.data;
  const issue = result.error.issues[0];
  const place = issue?.path.join('.') ?? '';
  throw new DocumentDamagedError(
    path,
    `${place === '' ? 'the document' : place}: ${issue?.message ?? 'not valid'}`,
    {
      cause: result.error,
    },
  );
}

function parseJson(path: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new DocumentDamagedError(path, text === '' ? 'it is empty' : 'it is not JSON', { cause: error });
  }
}

function withoutPrototypeKeys(value: unknown, text: string): unknown {
  // A key may also be spelled with escapes, such as \u005f for its underscores.
  const mayHoldOne = text.includes('__proto__') || text.includes('\\u00');
  return mayHoldOne ? JSON.parse(text, (key, inner) => (key === '__proto__' ? undefined : inner)) : value;
}

function refuseNewer(path: string, document: object): void {
  const version = 'version' in document ? document.version : DOCUMENT_VERSION;
  if (typeof version === 'number' && version > DOCUMENT_VERSION) throw new NewerVersionError(path, version);
}

function isPassing(error: unknown): boolean {
  return error instanceof StorageError && (error.fault === 'broken' || error.fault === 'exhausted');
}

/**
 * A schema with a short way: what `isPlain` says yes to is taken as it is, and the schema judges the rest. The first use of
 * a schema costs a start of the command line more than all the reading and writing it does. `isPlain` must say no to keys
 * that it does not know.
 */
export function withShortWay<Document>(
  schema: DocumentSchema<Document>,
  isPlain: Check,
): DocumentSchema<Document> {
  return {
    isPlain,
    safeParse: (value, context) =>
      isPlain(value) ? { success: true, data: value as Document } : schema.safeParse(value, context),
  };
}
