import {
  isBoolean,
  isCount,
  isOwnTime,
  isText,
  isTextOrNull,
  isUuidV4,
  listOf,
  shape,
} from '../../foundation/index.js';
import { withShortWay } from '../../storage/index.js';
import { questionLifecycle } from './lifecycle.js';
import { AnswersFile, RequestFile, StatusFile } from './schema.js';

const isOption = shape({ label: isText }, { description: isText });
/** What is asked looks the same from an asker and in its file. */
export const isPlainQuestion = shape(
  { prompt: isText, title: isText, options: listOf(isOption) },
  { multiSelect: isBoolean },
);
export const isPlainAsker = shape({}, { agent: isText, version: isText, session: isText, asks: isText });
const isProcess = shape(
  {
    pid: (value) => Number.isSafeInteger(value) && (value as number) > 0,
    startTime: isTextOrNull,
    bootId: isTextOrNull,
    pidNamespace: isTextOrNull,
    host: isText,
  },
  { timeNamespace: isTextOrNull },
);

const isRequest = shape(
  {
    sessionId: isUuidV4,
    questions: (value) => listOf(isPlainQuestion)(value) && (value as unknown[]).length > 0,
    status: isText,
    timestamp: isOwnTime,
    version: Number.isSafeInteger,
  },
  {
    callId: isText,
    workingDirectory: isText,
    expiresAt: isOwnTime,
    requestId: isText,
    asker: isPlainAsker,
  },
);

const isStatus = shape(
  {
    sessionId: isUuidV4,
    status: (value) => (questionLifecycle.states as readonly unknown[]).includes(value),
    createdAt: isOwnTime,
    lastModified: isOwnTime,
    totalQuestions: isCount,
    version: Number.isSafeInteger,
  },
  {
    callId: isText,
    workingDirectory: isText,
    rejectionReason: isTextOrNull,
    abandonedReason: isText,
    late: isBoolean,
    actor: isText,
    collectedAt: isOwnTime,
    collectedDigest: isText,
    outcomeDigest: isText,
    askerProcess: isProcess,
    askerGoneAt: isOwnTime,
  },
);

const isAnswers = shape(
  {
    sessionId: isUuidV4,
    answers: listOf(
      shape(
        { questionIndex: isCount, timestamp: isOwnTime },
        { selectedOption: isText, selectedOptions: listOf(isText), customText: isText },
      ),
    ),
    timestamp: isOwnTime,
    version: Number.isSafeInteger,
  },
  { callId: isText, late: isBoolean, lastReadAt: isOwnTime },
);

/**
 * The schemas of the files that every command reads, with a short way for what we wrote ourselves. The schema alone decides
 * what is wrong; a property test holds the two against each other.
 */
export const OwnRequestFile = withShortWay(RequestFile, isRequest);
export const OwnStatusFile = withShortWay(StatusFile, isStatus);
export const OwnAnswersFile = withShortWay(AnswersFile, isAnswers);
