import { isUuidV4 } from '../../foundation/index.js';
import { questionLifecycle } from './lifecycle.js';
import { AnswersFile, RequestFile, StatusFile } from './schema.js';
import { isBoolean, isCount, isText, isTextOrNull, isTime, listOf, shape, withShortWay } from './shape.js';

const isOption = shape({ label: isText }, { description: isText });
const isQuestion = shape(
  { prompt: isText, title: isText, options: listOf(isOption) },
  { multiSelect: isBoolean },
);
const isAsker = shape({}, { agent: isText, version: isText, session: isText });
const isProcess = shape(
  {
    pid: (value) => Number.isSafeInteger(value) && (value as number) > 0,
    startTime: isTextOrNull,
    bootId: isTextOrNull,
    pidNamespace: isTextOrNull,
    host: isText,
  },
  {},
);

const isRequest = shape(
  {
    sessionId: isUuidV4,
    questions: (value) => listOf(isQuestion)(value) && (value as unknown[]).length > 0,
    status: isText,
    timestamp: isTime,
    version: Number.isSafeInteger,
  },
  {
    callId: isText,
    workingDirectory: isText,
    expiresAt: isTime,
    requestId: isText,
    asker: isAsker,
  },
);

const isStatus = shape(
  {
    sessionId: isUuidV4,
    status: (value) => (questionLifecycle.states as readonly unknown[]).includes(value),
    createdAt: isTime,
    lastModified: isTime,
    totalQuestions: isCount,
    version: Number.isSafeInteger,
  },
  {
    callId: isText,
    workingDirectory: isText,
    rejectionReason: isTextOrNull,
    abandonedReason: isText,
    late: isBoolean,
    collectedAt: isTime,
    askerProcess: isProcess,
    askerGoneAt: isTime,
  },
);

const isAnswers = shape(
  {
    sessionId: isUuidV4,
    answers: listOf(
      shape(
        { questionIndex: isCount, timestamp: isTime },
        { selectedOption: isText, selectedOptions: listOf(isText), customText: isText },
      ),
    ),
    timestamp: isTime,
    version: Number.isSafeInteger,
  },
  { callId: isText, late: isBoolean, lastReadAt: isTime },
);

/**
 * The schemas of the files that every command reads, with a short way for what we wrote ourselves. The schema alone decides
 * what is wrong; a property test holds the two against each other.
 */
export const OwnRequestFile = withShortWay(RequestFile, isRequest);
export const OwnStatusFile = withShortWay(StatusFile, isStatus);
export const OwnAnswersFile = withShortWay(AnswersFile, isAnswers);
