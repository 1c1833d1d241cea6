/** Whether a value is what it should be, told without a schema. */
export type Check = (value: unknown) => boolean;
type Shape = Readonly<Record<string, Check>>;

/** An object with all of the first keys, perhaps some of the others, and nothing else. */
export function shape(required: Shape, optional: Shape): Check {
  const checks = new Map([...Object.entries(optional), ...Object.entries(required)]);
  const needed = Object.keys(required);
  return (value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
    const object = value as Record<string, unknown>;
    if (!needed.every((key) => object[key] !== undefined)) return false;
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

export function isText(value: unknown): value is string {
  return typeof value === 'string';
}

export function isTextOrNull(value: unknown): value is string | null {
  return value === null || typeof value === 'string';
}

export function isBoolean(value: unknown): value is boolean {
  return typeof value === 'boolean';
}

/** As `toISOString` spells it; every month has 28 days. */
const SURE_TIME = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z$/;

/** A time just as we write it; other spellings are for a schema to judge. */
export function isOwnTime(value: unknown): value is string {
  if (typeof value !== 'string') return false;
  if (SURE_TIME.test(value)) return true;
  const milliseconds = value.length === 24 ? Date.parse(value) : Number.NaN;
  return !Number.isNaN(milliseconds) && new Date(milliseconds).toISOString() === value;
}

/** A whole number of 0 or more. */
export function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}
