import { InvalidInputError, messageOf } from '../foundation/index.js';

/** A JSON object that the user typed or piped in. Throws INVALID_INPUT naming what it should have been, with this hint. */
export function parseInput(what: string, text: string, hint: string): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new InvalidInputError(`Invalid JSON input for ${what}: ${messageOf(error)}`, {
      cause: error,
      hint,
    });
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new InvalidInputError(`Invalid JSON input for ${what}: an object is expected`, { hint });
  }
  return value as Readonly<Record<string, unknown>>;
}
