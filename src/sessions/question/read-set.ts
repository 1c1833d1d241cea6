import type { Codec } from '../../foundation/index.js';
import {
  DocumentDamagedError,
  type FileSystem,
  lookAt,
  readDocument,
  UnsafePathError,
} from '../../storage/index.js';
import { assertFits } from './check-answers.js';
import { InvalidAnswerError } from './errors.js';
import { AnswersFile, RequestFile, StatusFile } from './schema.js';
import { type FileFault, type QuestionFile, type QuestionSnapshot, replacementIn } from './state.js';

export const FILE_NAMES: readonly QuestionFile[] = ['request.json', 'status.json', 'answers.json'];

/** Reads the files of a set without a lock. A file that does not verify becomes a fault; any other failure is thrown. */
export function readSet(fileSystem: FileSystem, directory: string, id: string): QuestionSnapshot {
  const faults: FileFault[] = [];
  const read = <Document extends { sessionId: string }>(
    file: QuestionFile,
    codec: Codec<Document>,
  ): Document | undefined => {
    try {
      const document = readDocument(fileSystem, `${directory}/${file}`, codec);
      if (document?.sessionId === id) return document;
      faults.push(wrongFile(file, document));
    } catch (error) {
      faults.push(faultyFile(file, error));
    }
    return undefined;
  };
  // In this order, so that a status saying `completed` is read before the answer that was written before it.
  const request = read('request.json', RequestFile);
  const status = read('status.json', StatusFile);
  // Most sets in a list have no answer, and a look is cheaper than the error from opening a missing file.
  const isAnswered = lookAt(fileSystem, `${directory}/answers.json`) !== undefined;
  const given = isAnswered ? read('answers.json', AnswersFile) : undefined;
  const misfit = misfitOf(request, given);
  if (misfit !== undefined) faults.push({ file: 'answers.json', kind: 'damaged', reason: misfit });
  const answers = misfit === undefined ? given : undefined;
  const replacement = replacementIn({ status, answers });
  if (replacement !== undefined) faults.push(replacement);
  const snapshot = { id, request, status, answers, faults };
  if (request !== undefined || status !== undefined || answers !== undefined) return snapshot;
  const touchedMs = lookAt(fileSystem, directory)?.modifiedMs;
  return { ...snapshot, touchedAt: touchedMs === undefined ? undefined : new Date(touchedMs).toISOString() };
}

function wrongFile(file: QuestionFile, document: { sessionId: string } | undefined): FileFault {
  return document === undefined
    ? { file, kind: 'missing', reason: 'the file is missing' }
    : { file, kind: 'damaged', reason: `it belongs to session ${document.sessionId}` };
}

function faultyFile(file: QuestionFile, error: unknown): FileFault {
  if (error instanceof DocumentDamagedError) return { file, kind: 'damaged', reason: error.reason };
  if (error instanceof UnsafePathError) {
    return { file, kind: 'unsafe', reason: error.reason };
  }
  throw error;
}

/** AUQ accepts whatever it is given; an answer that does not match its questions does not count. */
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

/** The documents of a set by file name. */
export function documentsOf(
  snapshot: QuestionSnapshot,
): Record<QuestionFile, { version?: number | undefined } | undefined> {
  const { request, status, answers } = snapshot;
  return { 'request.json': request, 'status.json': status, 'answers.json': answers };
}
