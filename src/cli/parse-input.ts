import { InvalidInputError, messageOf } from '../foundation/index.js';

/** A JSON object that the user typed or piped in. Throws INVALID_INPUT naming what it should have been. */
export function parseInput(what: string, text: string): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new InvalidInputError(`Invalid JSON input for ${what}: ${messageOf(error)}`, { cause: error });
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new InvalidInputError(`Invalid JSON input for ${what}: an object is expected`);
  }
  return value as Readonly<Record<string, unknown>>;
}
