/*
 * Checks plainly valid input against a zod schema without zod: the commands that start often check little more than a few texts,
 * and loading zod for that took half as long as starting Node. Anything not plainly valid goes to zod, for its messages and for
 * everything that is not known here; see docs/decisions/0152.
 */

/** How a schema is made: `z.string().max(4)` is `max` of `string`. */
export interface SchemaNote {
  readonly name: string;
  readonly args: readonly unknown[];
  /** The schema that it is made from, if any. */
  readonly owner?: SchemaNote | undefined;
}

/** Finds the note of an argument of a builder; undefined if the argument is not a schema. */
export type NoteOf = (schema: unknown) => SchemaNote | undefined;

/** The schema's output for an input that it surely accepts; otherwise undefined. */
export function takePlain(note: SchemaNote, input: unknown, noteOf: NoteOf): { value: unknown } | undefined {
  const value = new Reader(noteOf).read(note, input);
  return value === UNSURE || value === REFUSED ? undefined : { value };
}

/** The schema may or may not accept it: zod has to decide. */
const UNSURE = Symbol('unsure');
/** The schema surely does not accept it; only a union needs to know. */
const REFUSED = Symbol('refused');

type Check = (input: unknown) => boolean;

const isText: Check = (input) => typeof input === 'string';
const TYPES: Readonly<Record<string, Check>> = {
  string: isText,
  boolean: (input) => typeof input === 'boolean',
  number: Number.isFinite,
  int: Number.isSafeInteger,
};

/** Limits of a text or a number, by type. */
const LIMITS: Readonly<Record<string, (input: never, limit: number) => boolean>> = {
  'string.min': (input: string, limit) => input.length >= limit,
  'string.max': (input: string, limit) => input.length <= limit,
  'number.min': (input: number, limit) => input >= limit,
  'number.max': (input: number, limit) => input <= limit,
  'number.nonnegative': (input: number) => input >= 0,
  'int.min': (input: number, limit) => input >= limit,
  'int.max': (input: number, limit) => input <= limit,
  'int.nonnegative': (input: number) => input >= 0,
};

const NEEDED: ReadonlySet<string> = new Set([
  ...Object.keys(TYPES),
  'enum',
  'literal',
  'array',
  'strictObject',
]);

type Shape = Readonly<Record<string, SchemaNote>>;

class Reader {
  readonly #noteOf: NoteOf;

  constructor(noteOf: NoteOf) {
    this.#noteOf = noteOf;
  }

  read(note: SchemaNote, input: unknown): unknown {
    const { name, args, owner } = note;
    if (owner !== undefined) return this.#readMade(note, owner, input);
    const check = args.length === 0 && Object.hasOwn(TYPES, name) ? TYPES[name] : undefined;
    if (check !== undefined) return check(input) ? input : REFUSED;
    if (name === 'enum' || name === 'literal') return readWord(args, input);
    if (name === 'custom') return readCustom(args, input);
    if (name === 'array') return this.#readList(args, input);
    if (name === 'union') return this.#readUnion(args, input);
    return this.#readObject(note, input);
  }

  /** Reads with a schema that is made from another. */
  #readMade(note: SchemaNote, owner: SchemaNote, input: unknown): unknown {
    const { name, args } = note;
    if (name === 'optional' && args.length === 0) {
      if (input !== undefined) return this.read(owner, input);
      return this.#isNeeded(owner) ? undefined : UNSURE;
    }
    if (name === 'nullable' && args.length === 0) return input === null ? null : this.read(owner, input);
    if (name === 'default') {
      if (input !== undefined) return this.read(owner, input);
      return isPrimitive(args[0]) ? args[0] : UNSURE;
    }
    const type = typeOf(owner);
    const limit = type === undefined ? undefined : LIMITS[`${type}.${name}`];
    if (limit === undefined) return this.#readObject(note, input);
    const value = this.read(owner, input);
    if (value === REFUSED || value === UNSURE) return value;
    return limit(value as never, args[0] as number) ? value : UNSURE;
  }

  /** Whether a schema surely has no default for a missing value. */
  #isNeeded(note: SchemaNote): boolean {
    const { name, args, owner } = note;
    if (owner !== undefined) return name === 'nullable' ? this.#isNeeded(owner) : typeOf(note) !== undefined;
    if (name !== 'union') return NEEDED.has(name);
    return this.#notesIn(args[0])?.every((option) => this.#isNeeded(option)) === true;
  }

  #readList([element]: readonly unknown[], input: unknown): unknown {
    if (!Array.isArray(input)) return REFUSED;
    const note = this.#noteOf(element);
    if (note === undefined) return UNSURE;
    const values = Array.from(input, (item: unknown) => this.read(note, item));
    return values.some((value) => value === REFUSED || value === UNSURE) ? UNSURE : values;
  }

  /** The first option that accepts it, if those before it surely do not. */
  #readUnion([options]: readonly unknown[], input: unknown): unknown {
    for (const note of this.#notesIn(options) ?? []) {
      const value = this.read(note, input);
      if (value !== REFUSED) return value;
    }
    return UNSURE;
  }

  #notesIn(schemas: unknown): readonly SchemaNote[] | undefined {
    if (!Array.isArray(schemas)) return undefined;
    const notes = schemas.map(this.#noteOf);
    return notes.every((note) => note !== undefined) ? notes : undefined;
  }

  #readObject(note: SchemaNote, input: unknown): unknown {
    const shape = this.#shapeOf(note);
    if (shape === undefined || !isPlainObject(input)) return UNSURE;
    const known = Object.keys(shape);
    if (!Object.keys(input).every((key) => Object.hasOwn(shape, key))) return UNSURE;
    const values: Record<string, unknown> = {};
    for (const key of known) {
      const field = shape[key] as SchemaNote;
      const isGiven = Object.hasOwn(input, key);
      const value = this.read(field, input[key]);
      if (value === REFUSED || value === UNSURE) return UNSURE;
      if (isGiven || value !== undefined) values[key] = value;
      else if (field.name !== 'optional') return UNSURE;
    }
    return values;
  }

  /** The keys of an object that allows no others; undefined for everything else. */
  #shapeOf({ name, args, owner }: SchemaNote): Shape | undefined {
    if (owner === undefined)
      return name === 'strictObject' && args.length === 1 ? this.#shape(args[0]) : undefined;
    const shape = name === 'extend' ? this.#shapeOf(owner) : undefined;
    const more = shape === undefined ? undefined : this.#shape(args[0]);
    return more === undefined ? undefined : { ...shape, ...more };
  }

  #shape(given: unknown): Shape | undefined {
    if (!isPlainObject(given)) return undefined;
    const shape: Record<string, SchemaNote> = {};
    for (const [key, schema] of Object.entries(given)) {
      const note = this.#noteOf(schema);
      if (note === undefined || key === '__proto__') return undefined;
      shape[key] = note;
    }
    return shape;
  }
}

/** The type of a text or a number, with limits or without. */
function typeOf({ name, owner }: SchemaNote): string | undefined {
  if (owner === undefined) return name in TYPES ? name : undefined;
  const type = typeOf(owner);
  return type !== undefined && `${type}.${name}` in LIMITS ? type : undefined;
}

function readWord([words, ...more]: readonly unknown[], input: unknown): unknown {
  if (more.length > 0) return UNSURE;
  const known: readonly unknown[] = Array.isArray(words) ? words : [words];
  if (!known.every(isText)) return UNSURE;
  return known.includes(input) ? input : REFUSED;
}

function readCustom([check]: readonly unknown[], input: unknown): unknown {
  if (check === undefined) return input;
  return typeof check === 'function' && check(input) === true ? input : UNSURE;
}

/** Whether it is an object as JSON or a literal makes it, with no prototype that could supply a key. */
function isPlainObject(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null) return false;
  return (
    Object.getPrototypeOf(value) === Object.prototype && Object.getOwnPropertySymbols(value).length === 0
  );
}

function isPrimitive(value: unknown): boolean {
  return value === null || (typeof value !== 'object' && typeof value !== 'function');
}
