import type { StandardSchemaWithJSON } from '@modelcontextprotocol/server';
import type * as z from 'zod';
import { InvalidInputError } from '../foundation/index.js';

/**
 * A schema that clients are shown, while the input comes to us as it was sent: the SDK's own refusal has no code and
 * shows the client's text as it is.
 */
export function checkedByUs(schema: z.ZodType): StandardSchemaWithJSON<unknown> {
  const standard = (schema as unknown as StandardSchemaWithJSON<unknown>)['~standard'];
  return { '~standard': { ...standard, validate: (value) => ({ value }) } };
}

/** Checks the input of a tool. Throws INVALID_INPUT with the reason and the place. */
export function parseInput<Schema extends z.ZodType>(schema: Schema, input: unknown): z.output<Schema> {
  const result = schema.safeParse(input);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const place = (issue?.path ?? [])
    .map((step) => (typeof step === 'number' ? `[${step}]` : `.${String(step)}`))
    .join('')
    .replace(/^\./, '');
  const reason = issue?.message ?? 'not valid';
  throw new InvalidInputError(place === '' ? reason : `${place}: ${reason}`, { place });
}
