import { DocumentDamagedError, type DocumentSchema, UnsafePathError } from '../../storage/index.js';
import { assertFits } from './check-answers.js';
import { InvalidAnswerError } from './errors.js';
import { OwnAnswersFile, OwnRequestFile, OwnStatusFile } from './own-files.js';
import type { AnswersFile, RequestFile, StatusFile } from './schema.js';
import type { FileFault, QuestionFile, QuestionSnapshot } from './state.js';

/** What each file of a set must hold. */
export const SCHEMAS: Readonly<Record<QuestionFile, DocumentSchema<unknown>>> = {
  'request.json': OwnRequestFile,
  'status.json': OwnStatusFile,
  'answers.json': OwnAnswersFile,
};

/** In this order: a status that says `completed` is read before the answer that was written before it. */
export const FILE_NAMES: readonly QuestionFile[] = ['request.json', 'status.json', 'answers.json'];

/** One file of a set: its document, or what is wrong with it. */
export type Reading = { readonly file: QuestionFile; readonly document: unknown } | FileFault;

/** What was read of a file, if it belongs to the set. */
export function accept(id: string, file: QuestionFile, document: unknown): Reading {
  if (document === undefined) return { file, kind: 'missing', reason: 'the file is missing' };
  const { sessionId } = document as { sessionId: string };
  return sessionId === id
    ? { file, document }
    : { file, kind: 'damaged', reason: `it belongs to session ${sessionId}` };
}

/** What is wrong with a file that could not be read; anything but damage is thrown on. */
export function refuse(file: QuestionFile, error: unknown): FileFault {
  if (error instanceof DocumentDamagedError) return { file, kind: 'damaged', reason: error.reason };
  if (error instanceof UnsafePathError) {
    return { file, kind: 'unsafe', reason: error.message.replace(`Refusing to use ${error.path}: `, '') };
  }
  throw error;
}

/** One snapshot of what was read; `touchedAt` is asked for only where no file tells a time. */
export function assemble(
  id: string,
  readings: readonly Reading[],
  touchedAt: () => string | undefined,
): QuestionSnapshot {
  const documents: { [File in QuestionFile]?: unknown } = {};
  const faults: FileFault[] = [];
  for (const reading of readings) {
    if ('document' in reading) documents[reading.file] = reading.document;
    else if (reading.kind !== 'missing' || reading.file !== 'answers.json') faults.push(reading);
  }
  const request = documents['request.json'] as RequestFile | undefined;
  const status = documents['status.json'] as StatusFile | undefined;
  let answers = documents['answers.json'] as AnswersFile | undefined;
  const misfit = misfitOf(request, answers);
  if (misfit !== undefined) {
    faults.push({ file: 'answers.json', kind: 'damaged', reason: misfit });
    answers = undefined;
  }
  const isUndated = request === undefined && status === undefined && answers === undefined;
  return { id, request, status, answers, faults, ...(isUndated ? { touchedAt: touchedAt() } : {}) };
}

/** AUQ accepts whatever it is given: an answer that does not speak of its questions is none. */
function misfitOf(request: RequestFile | undefined, answers: AnswersFile | undefined): string | undefined {
  if (request === undefined || answers === undefined) return undefined;
  try {
    assertFits(request.questions, answers.answers);
    return undefined;
  } catch (error) {
    if (error instanceof InvalidAnswerError) return error.message;
    throw error;
  }
}

/** The documents of a set by their files. */
export function documentsOf(
  snapshot: QuestionSnapshot,
): Record<QuestionFile, { version?: number | undefined } | undefined> {
  const { request, status, answers } = snapshot;
  return { 'request.json': request, 'status.json': status, 'answers.json': answers };
}
