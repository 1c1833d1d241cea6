import * as z from 'zod';

/** Of every object that was declared here: its shape by the names on disk. */
const DECLARED = new WeakMap<z.ZodType, Spelling>();

interface Spelling {
  readonly shape: z.ZodRawShape;
  /** From a name on disk to the one in code. */
  readonly codeNames: ReadonlyMap<string, string>;
}

/**
 * An object whose keys are spelled with underscores on disk and in camel case in code. Keys that it does not know are
 * kept as they are spelled.
 */
export function diskObject<Shape extends z.ZodRawShape>(shape: Shape) {
  const codeNames = new Map(Object.keys(shape).map((name) => [diskName(name), name]));
  const schema = z.preprocess((value) => inCode(value, { shape, codeNames }), z.looseObject(shape));
  DECLARED.set(schema, { shape, codeNames });
  return schema;
}

/** A document as it stands on disk. Only what its schema declares is spelled anew, at its place; all else is foreign. */
export function toDisk(schema: z.ZodType, value: unknown): unknown {
  return spelled(schema, value, () => {});
}

/**
 * A document as its specification spells it. The names in code, which release 0.1 published, still lead to the same
 * values; they are not listed among the keys.
 */
export function toPublished(schema: z.ZodType, value: unknown): unknown {
  return spelled(schema, value, (published, key, name) => {
    if (name !== key) Object.defineProperty(published, key, { get: () => published[name] });
  });
}

function spelled(
  schema: z.ZodType,
  value: unknown,
  onKey: (made: Record<string, unknown>, key: string, name: string) => void,
): unknown {
  if (value === null || typeof value !== 'object') return value;
  const plain = unwrapped(schema);
  if (Array.isArray(value)) return value.map((item) => spelled(elementOf(plain), item, onKey));
  const inner = plain instanceof z.ZodRecord ? (plain.valueType as z.ZodType) : undefined;
  const spelling = DECLARED.get(plain);
  const named = Object.entries(value).flatMap(([key, item]) => {
    if (item === undefined) return [];
    const known = spelling?.shape[key] as z.ZodType | undefined;
    const name = known === undefined ? foreignOnDisk(key, spelling) : diskName(key);
    return [{ key, name, item: spelled(known ?? inner ?? z.unknown(), item, onKey) }];
  });
  const made: Record<string, unknown> = Object.fromEntries(named.map(({ name, item }) => [name, item]));
  for (const { key, name } of named) onKey(made, key, name);
  return made;
}

/** The spelling on disk of a name in code. */
export function diskName(name: string): string {
  return name
    .replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
    .replaceAll(/([a-z])(\d)/g, '$1_$2');
}

function inCode(value: unknown, spelling: Spelling): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [
      spelling.codeNames.get(key) ?? foreignInCode(key, spelling),
      inner,
    ]),
  );
}

/** A foreign key that looks like one of our names in code would take its place; a mark before it keeps them apart. */
const MARK = '~';

function foreignInCode(key: string, spelling: Spelling): string {
  return looksLikeOurs(key, spelling) ? `${MARK}${key}` : key;
}

function foreignOnDisk(key: string, spelling: Spelling | undefined): string {
  const isMarked = key.startsWith(MARK) && spelling !== undefined && looksLikeOurs(key, spelling);
  return isMarked ? key.slice(MARK.length) : key;
}

function looksLikeOurs(key: string, { shape }: Spelling): boolean {
  return Object.hasOwn(shape, key.replace(/^~+/, ''));
}

function unwrapped(schema: z.ZodType): z.ZodType {
  if (DECLARED.has(schema)) return schema;
  const isWrapper =
    schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault;
  return isWrapper ? unwrapped(schema.unwrap() as z.ZodType) : schema;
}

function elementOf(schema: z.ZodType): z.ZodType {
  return schema instanceof z.ZodArray ? (schema.element as z.ZodType) : z.unknown();
}
