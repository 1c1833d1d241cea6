import { isUuidV4 } from '../../foundation/index.js';
import type { DocumentSchema } from '../../storage/index.js';
import { questionLifecycle } from './lifecycle.js';
import { RequestFile, StatusFile } from './schema.js';

type Check = (value: unknown) => boolean;
type Shape = Readonly<Record<string, Check>>;

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
    totalQuestions: (value) => Number.isSafeInteger(value) && (value as number) >= 0,
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

/**
 * The schemas of the files that every command reads, with a short way for what we wrote ourselves: to check a hundred
 * sets by schema takes a start of the command line longer than to read them. Whatever is not plainly as we write it is
 * judged by the schema, which alone decides what is wrong; a property test holds the two against each other.
 */
export const OwnRequestFile = withShortWay(RequestFile, isRequest);
export const OwnStatusFile = withShortWay(StatusFile, isStatus);

function withShortWay<Document>(schema: DocumentSchema<Document>, isOurs: Check): DocumentSchema<Document> {
  return {
    safeParse: (value, context) =>
      isOurs(value) ? { success: true, data: value as Document } : schema.safeParse(value, context),
  };
}

/** An object with all of the first keys, perhaps some of the others, and nothing else. */
function shape(required: Shape, optional: Shape): Check {
  const all: Shape = Object.assign(Object.create(null), required, optional);
  const needed = Object.keys(required);
  return (value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
    for (const key of needed) if (!Object.hasOwn(value, key)) return false;
    for (const [key, content] of Object.entries(value)) if (all[key]?.(content) !== true) return false;
    return true;
  };
}

function listOf(isItem: Check): Check {
  return (value) => Array.isArray(value) && value.every(isItem);
}

function isText(value: unknown): boolean {
  return typeof value === 'string';
}

function isTextOrNull(value: unknown): boolean {
  return value === null || typeof value === 'string';
}

function isBoolean(value: unknown): boolean {
  return typeof value === 'boolean';
}

/** As `toISOString` spells it, and on the calendar. */
function isTime(value: unknown): boolean {
  if (typeof value !== 'string' || value.length !== 24) return false;
  const milliseconds = Date.parse(value);
  return !Number.isNaN(milliseconds) && new Date(milliseconds).toISOString() === value;
}
