import type { DocumentSchema } from '../../storage/index.js';

export type Check = (value: unknown) => boolean;
type Shape = Readonly<Record<string, Check>>;

/**
 * A schema with a short way: what `isPlain` says yes to is taken as it is, and the schema judges the rest. The first use of
 * a schema costs a start of the command line more than all the reading and writing it does.
 */
export function withShortWay<Document>(
  schema: DocumentSchema<Document>,
  isPlain: Check,
): DocumentSchema<Document> {
  return {
    safeParse: (value, context) =>
      isPlain(value) ? { success: true, data: value as Document } : schema.safeParse(value, context),
  };
}

/** An object with all of the first keys, perhaps some of the others, and nothing else. */
export function shape(required: Shape, optional: Shape): Check {
  const checks = new Map([...Object.entries(optional), ...Object.entries(required)]);
  const needed = Object.keys(required);
  return (value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
    const object = value as Record<string, unknown>;
    for (const key of needed) if (object[key] === undefined) return false;
    // Without a list of the keys; what is inherited is no key of ours either.
    for (const key in object) {
      const check = checks.get(key);
      if (check === undefined || !check(object[key])) return false;
    }
    return true;
  };
}

export function listOf(isItem: Check): Check {
  return (value) => Array.isArray(value) && value.every(isItem);
}

export function isText(value: unknown): boolean {
  return typeof value === 'string';
}

export function isTextOrNull(value: unknown): boolean {
  return value === null || typeof value === 'string';
}

export function isBoolean(value: unknown): boolean {
  return typeof value === 'boolean';
}

/** As `toISOString` spells it, and on the calendar: every month has 28 days, and for the others we ask. */
const SURE_TIME = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z$/;

export function isTime(value: unknown): boolean {
  if (typeof value !== 'string') return false;
  if (SURE_TIME.test(value)) return true;
  const milliseconds = value.length === 24 ? Date.parse(value) : Number.NaN;
  return !Number.isNaN(milliseconds) && new Date(milliseconds).toISOString() === value;
}

/** A whole number of 0 or more. */
export function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}
