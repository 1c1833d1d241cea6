import type { StandardSchemaWithJSON } from '@modelcontextprotocol/server';
import type * as z from 'zod';

/**
 * The schema is shown to clients, but their input reaches us unchecked: a refusal by the SDK has no code, and shows the
 * client's text unescaped.
 */
export function checkedByUs(schema: z.ZodType): StandardSchemaWithJSON<unknown> {
  const standard = (schema as unknown as StandardSchemaWithJSON<unknown>)['~standard'];
  return { '~standard': { ...standard, validate: (value) => ({ value }) } };
}
