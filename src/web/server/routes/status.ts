import { type HoldfastError, isHoldfastError } from '../../../foundation/index.js';
import type { Refusal } from '../../contract/index.js';

/** The response status by error code; unlisted codes are 500. */
const BY_CODE: Readonly<Record<string, number>> = {
  INVALID_INPUT: 400,
  INVALID_ANSWER: 400,
  INVALID_SESSION_ID: 400,
  AMBIGUOUS_ID: 400,
  NOT_SIGNED_IN: 401,
  CODE_REFUSED: 401,
  NOT_PAIRED: 401,
  FOREIGN_ORIGIN: 403,
  KEY_REFUSED: 403,
  NOT_ALLOWED: 403,
  NOT_WHOLE: 403,
  SESSION_NOT_FOUND: 404,
  RUN_NOT_FOUND: 404,
  REQUEST_NOT_FOUND: 404,
  LOOP_NOT_FOUND: 404,
  NO_SUCH_ADDRESS: 404,
  INVALID_CONVERSATION_ID: 404,
  ALREADY_SETTLED: 409,
  ASKER_GONE: 409,
  LOOP_ENDED: 409,
  DECIDED_ELSEWHERE: 409,
  RUN_MAY_HAVE_MOVED: 409,
  REMOTE_REFUSED: 409,
  NOT_TAKEN_BACK: 409,
  BODY_TOO_LARGE: 413,
  EXPORT_TOO_LARGE: 413,
  NOT_JSON: 415,
  WRONG_HOST: 421,
  LOCKED: 423,
  LOCK_LOST: 423,
  TOO_MANY_REQUESTS: 429,
  FLEET_REFUSED: 502,
  FLEET_RULE: 502,
  FLEET_SCHEMA: 502,
  FLEET_UNREACHABLE: 503,
  NOT_STORED: 503,
};

export function statusOf(error: unknown): number {
  return isHoldfastError(error) ? (BY_CODE[error.code] ?? 500) : 500;
}

/** What the page learns about an error. About a foreign error, nothing: its message could reveal anything. */
export function refusalOf(error: unknown): Refusal {
  if (!isHoldfastError(error)) return INTERNAL;
  const { code, message, hint, hintForPeople = hint } = error as HoldfastError;
  return { code, message, ...(hintForPeople === undefined ? {} : { hint: hintForPeople }) };
}

const INTERNAL: Refusal = {
  code: 'INTERNAL',
  message: 'Something went wrong in the server',
  hint: 'The cause is shown where `holdfast web` runs.',
};
