import { InvalidInputError, messageOf } from '../../../foundation/index.js';

/** Parses a JSON object that the user typed or piped in. Throws INVALID_INPUT that names what it should be, with this hint. */
export function parseInput(what: string, text: string, hint: string): Readonly<Record<string, unknown>> {
  const value = parseJson(what, text, hint);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new InvalidInputError(`Invalid JSON input for ${what}: an object is expected`, { hint });
  }
  return value as Readonly<Record<string, unknown>>;
}

/** The same for any JSON. */
export function parseJson(what: string, text: string, hint: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new InvalidInputError(`Invalid JSON input for ${what}: ${messageOf(error)}`, {
      cause: error,
      hint,
    });
  }
}
