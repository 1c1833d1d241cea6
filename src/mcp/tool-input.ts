import type { StandardSchemaWithJSON } from '@modelcontextprotocol/server';
import type * as z from 'zod';

/**
 * A schema that clients are shown, while the input comes to us as it was sent: the SDK's own refusal has no code and
 * shows the client's text as it is.
 */
export function checkedByUs(schema: z.ZodType): StandardSchemaWithJSON<unknown> {
  const standard = (schema as unknown as StandardSchemaWithJSON<unknown>)['~standard'];
  return { '~standard': { ...standard, validate: (value) => ({ value }) } };
}
