import * as z from 'zod';

/** From the names in code to those on disk, of every object that was declared here. */
const DISK_NAMES = new Map<string, string>();

/**
 * An object whose keys are spelled with underscores on disk and in camel case in code. Keys that it does not know are
 * kept as they are spelled.
 */
export function diskObject<Shape extends z.ZodRawShape>(shape: Shape) {
  const codeNames = new Map<string, string>();
  for (const name of Object.keys(shape)) {
    const onDisk = diskName(name);
    if (onDisk !== name) DISK_NAMES.set(name, onDisk);
    codeNames.set(onDisk, name);
  }
  return z.preprocess((value) => renameKeys(value, codeNames), z.looseObject(shape));
}

/** A document as it stands on disk. */
export function toDisk(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toDisk);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(([, inner]) => inner !== undefined);
  return Object.fromEntries(entries.map(([key, inner]) => [DISK_NAMES.get(key) ?? key, toDisk(inner)]));
}

/**
 * A document as its specification spells it. The names in code, which release 0.1 published, still lead to the same
 * values; they are not listed among the keys.
 */
export function toPublished(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toPublished);
  if (typeof value !== 'object' || value === null) return value;
  const published: Record<string, unknown> = {};
  for (const [key, inner] of Object.entries(value).filter(([, inner]) => inner !== undefined)) {
    const name = DISK_NAMES.get(key) ?? key;
    published[name] = toPublished(inner);
    if (name !== key) Object.defineProperty(published, key, { get: () => published[name] });
  }
  return published;
}

/** The spelling on disk of a name in code. */
export function diskName(name: string): string {
  return name
    .replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
    .replaceAll(/([a-z])(\d)/g, '$1_$2');
}

function renameKeys(value: unknown, names: ReadonlyMap<string, string>): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [names.get(key) ?? key, inner]));
}
