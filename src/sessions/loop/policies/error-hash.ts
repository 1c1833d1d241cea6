import { createHash } from 'node:crypto';

/** What differs between two occurrences of the same error: colours, times, ids, places, numbers. */
const VOLATILE: readonly [RegExp, string][] = [
  [/\u001b\[[0-9;]*[A-Za-z]/g, ''],
  [/\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)?/g, '<time>'],
  [/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi, '<id>'],
  [/\b0x[0-9a-f]+\b/gi, '<address>'],
  [/(?:[A-Za-z]:)?(?:[\w.@~-]*[/\\])+/g, ''],
  [/\d+(\.\d+)?/g, '<n>'],
  [/\s+/g, ' '],
];

/** Beyond this length an error only repeats itself. */
const MAX_CHARACTERS = 4_000;

/** SHA-256 of an error without the parts that change from run to run, so the same error has the same hash. */
export function hashError(error: string): string {
  let text = error.slice(0, MAX_CHARACTERS);
  for (const [pattern, replacement] of VOLATILE) text = text.replaceAll(pattern, replacement);
  return createHash('sha256').update(text.trim().toLowerCase()).digest('hex');
}
