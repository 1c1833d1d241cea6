/** A value as JSON that PostgreSQL accepts: it stores neither the null character nor a lone UTF-16 surrogate. */
export function storable(value: unknown): string {
  return JSON.stringify(cleaned(value));
}

function cleaned(value: unknown): unknown {
  if (typeof value === 'string') return cleanText(value);
  if (Array.isArray(value)) return value.map(cleaned);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [cleanText(key), cleaned(inner)]));
}

const UNKEEPABLE = /\0|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

function cleanText(text: string): string {
  return text.replaceAll(UNKEEPABLE, '\ufffd');
}
