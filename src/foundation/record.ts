import { isObject } from './is-object.js';

/**
 * The one codec between a record on disk and a value in code. For each key it has the name in code, the name on disk, a
 * check and perhaps a default. Both directions check, so nothing is written that could not be read back. See
 * docs/decisions/0137.
 */
export interface Codec<Value> {
  /** The value in code; undefined stands for a missing key. Throws RecordFault. */
  fromDisk(this: void, value: unknown): Value;
  /** The value on disk; undefined leaves the key out. Throws RecordFault if `fromDisk` would refuse the result. */
  toDisk(this: void, value: Value): unknown;
  /** A missing key just stays missing, so the codec need not be called: most keys of most records are missing. */
  readonly isOptional?: true;
}

/** A value that is the same on disk and in code. */
export interface Scalar<Value> extends Codec<Value> {
  is(this: void, value: unknown): value is Value;
}

/** The value that a codec makes. */
export type ValueOf<Made> = Made extends Codec<infer Value> ? Value : never;

/** What is wrong with a record, and where. */
export class RecordFault extends Error {
  readonly path: readonly (string | number)[];
  readonly reason: string;

  constructor(reason: string, path: readonly (string | number)[] = []) {
    super(`${path.length === 0 ? 'the document' : path.join('.')}: ${reason}`);
    this.path = path;
    this.reason = reason;
  }
}

/** A check as a codec. `reason` describes a value that fails it; `absent` says what is wrong if there is none. */
export function scalar<Value>(
  is: (value: unknown) => value is Value,
  reason: string,
  absent = 'missing',
): Scalar<Value> {
  const check = (value: unknown): Value => {
    if (is(value)) return value;
    throw new RecordFault(value === undefined ? absent : reason);
  };
  return { is, fromDisk: check, toDisk: check };
}

const NOT_AN_OBJECT = 'it is not an object';

export const text = scalar((value): value is string => typeof value === 'string', 'not text');
export const flag = scalar((value): value is boolean => typeof value === 'boolean', 'not true or false');

/** A text that passes the given check. */
export function textThat(is: (value: string) => boolean, reason: string): Scalar<string> {
  return scalar((value): value is string => typeof value === 'string' && is(value), reason);
}

export const filledText = textThat((value) => value !== '', 'empty or not text');

/** A finite number from `min` to `max`. */
export function number(
  min = Number.NEGATIVE_INFINITY,
  max = Number.POSITIVE_INFINITY,
  reason = `not a number${range(min, max)}`,
): Scalar<number> {
  return scalar(
    (value): value is number => Number.isFinite(value) && Number(value) >= min && Number(value) <= max,
    reason,
  );
}

/** A whole number from `min` to `max`, within the range of exact integers. */
export function whole(
  min = Number.MIN_SAFE_INTEGER,
  max = Number.MAX_SAFE_INTEGER,
  reason = `not a whole number${range(min, max)}`,
): Scalar<number> {
  return scalar(
    (value): value is number => Number.isSafeInteger(value) && Number(value) >= min && Number(value) <= max,
    reason,
  );
}

export const count = whole(0);

function range(min: number, max: number): string {
  const isOpen = max >= Number.MAX_SAFE_INTEGER;
  if (min <= Number.MIN_SAFE_INTEGER) return isOpen ? '' : ` of at most ${max}`;
  return isOpen ? ` of ${min} or more` : ` from ${min} to ${max}`;
}

/** The spelling of `toISOString`, limited to days 1 to 28, which every month has. */
const SURE_TIME = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z$/;
const TIME =
  /^(\d{4})-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d+)?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/;

/** A moment as ISO 8601 writes it, with its offset from UTC. */
export const time = textThat((value) => SURE_TIME.test(value) || isDatedRight(value), 'not a time');

/** Whether that day exists in its month. */
function isDatedRight(value: string): boolean {
  const [, year, month, day] = TIME.exec(value) ?? [];
  if (day === undefined) return false;
  const date = new Date(0);
  // Not with `Date.UTC`, which takes the years 0 to 99 to mean the last century.
  date.setUTCFullYear(Number(year), Number(month) - 1, Number(day));
  return date.getUTCDate() === Number(day);
}

export function oneOf<const Name extends string>(names: readonly Name[]): Scalar<Name> {
  const known: ReadonlySet<unknown> = new Set(names);
  return scalar(
    (value): value is Name => known.has(value),
    `Invalid option: expected one of ${names.map((name) => `"${name}"`).join('|')}`,
  );
}

/** An object whose keys and values do not concern us. */
export const object = scalar(isPlain, NOT_AN_OBJECT);

export const anything: Codec<unknown> = { fromDisk: (value) => value, toDisk: (value) => value };

export function nullable<Value>(codec: Codec<Value>): Codec<Value | null> {
  return {
    fromDisk: (value) => (value === null ? null : codec.fromDisk(value)),
    toDisk: (value) => (value === null ? null : codec.toDisk(value)),
  };
}

export function optional<Value>(codec: Codec<Value>): Codec<Value | undefined> {
  return {
    fromDisk: (value) => (value === undefined ? undefined : codec.fromDisk(value)),
    toDisk: (value) => (value === undefined ? undefined : codec.toDisk(value)),
    isOptional: true,
  };
}

/** Null in code if the file has null or no such key; null is left out of the file. */
export function nullIfAbsent<Value>(codec: Codec<Value>): Codec<Value | null> {
  return {
    fromDisk: (value) => (value === undefined || value === null ? null : codec.fromDisk(value)),
    toDisk: (value) => (value === undefined || value === null ? undefined : codec.toDisk(value)),
  };
}

/** `make` provides the value if the file has none. */
export function withDefault<Value>(codec: Codec<Value>, make: () => NoInfer<Value>): Codec<Value> {
  return {
    fromDisk: (value) => (value === undefined ? make() : codec.fromDisk(value)),
    toDisk: (value) => (value === undefined ? undefined : codec.toDisk(value)),
  };
}

/** A value that cannot be used counts as `other`, so the rest of the record still holds. */
export function lenient<Value, Other>(codec: Scalar<Value>, other: Other): Codec<Value | Other> {
  const judge = (value: unknown) => (codec.is(value) ? value : other);
  return { fromDisk: judge, toDisk: judge };
}

export function listOf<Value>(codec: Codec<Value>, min = 0): Codec<Value[]> {
  const check = (values: unknown): unknown[] => {
    if (!Array.isArray(values)) throw new RecordFault(values === undefined ? 'missing' : 'not an array');
    if (values.length < min) throw new RecordFault(`fewer than ${min}`);
    return values;
  };
  return {
    fromDisk: (values) => check(values).map((value, index) => at(index, codec.fromDisk, value)),
    toDisk: (values) => check(values).map((value, index) => at(index, codec.toDisk, value as Value)),
  };
}

export function pairOf<First, Second>(first: Codec<First>, second: Codec<Second>): Codec<[First, Second]> {
  const check = (pair: unknown): [unknown, unknown] => {
    if (Array.isArray(pair) && pair.length === 2) return [pair[0], pair[1]];
    throw new RecordFault('not a pair');
  };
  return {
    fromDisk(pair) {
      const [one, two] = check(pair);
      return [at(0, first.fromDisk, one), at(1, second.fromDisk, two)];
    },
    toDisk(pair) {
      const [one, two] = check(pair);
      return [at(0, first.toDisk, one as First), at(1, second.toDisk, two as Second)];
    },
  };
}

/** An object whose keys are freely chosen names. */
export function mapOf<Value>(codec: Codec<Value>): Codec<Record<string, Value>> {
  const each = <Given, Made>(values: unknown, turn: (value: Given) => Made): Record<string, Made> => {
    const made: Record<string, Made> = {};
    for (const [name, value] of Object.entries(asObject(values)))
      if (name !== '__proto__') made[name] = at(name, turn, value as Given);
    return made;
  };
  return {
    fromDisk: (values) => each(values, codec.fromDisk),
    toDisk: (values) => each(values, codec.toDisk),
  };
}

/** A key that has another name on disk. */
export function named<Value>(diskName: string, codec: Codec<Value>): Named<Value> {
  return { diskName, codec };
}

export interface Named<Value> {
  readonly diskName: string;
  readonly codec: Codec<Value>;
}

/** One key of a record. All have the same shape, so reading them is fast. */
interface Field {
  readonly name: string;
  readonly diskName: string;
  readonly codec: Codec<unknown>;
}

type Keys = Readonly<Record<string, Codec<unknown> | Named<unknown>>>;
type ValueAt<Key> = Key extends Named<infer Value> ? Value : Key extends Codec<infer Value> ? Value : never;
type OptionalNames<Of extends Keys> = {
  [Name in keyof Of]: undefined extends ValueAt<Of[Name]>
    ? unknown extends ValueAt<Of[Name]>
      ? never
      : Name
    : never;
}[keyof Of];
/** A record in code: one property for each key, optional if its values include undefined. */
export type RecordOf<Of extends Keys> = {
  -readonly [Name in Exclude<keyof Of, OptionalNames<Of>>]: ValueAt<Of[Name]>;
} & { -readonly [Name in OptionalNames<Of>]?: ValueAt<Of[Name]> } extends infer Value
  ? { [Name in keyof Value]: Value[Name] }
  : never;

/** What happens to keys that a record does not declare: kept unchanged, dropped when read, or refused. */
export type UnknownKeys = 'keep' | 'drop' | 'refuse';

/** Holds foreign keys spelled like one of our names in code, so they cannot take its place. */
const FOREIGN = Symbol('foreign keys');

/** An object with these keys, written in this order. Other keys have the same name in code as on disk. */
export function record<const Of extends Keys>(
  keys: Of,
  unknownKeys: UnknownKeys = 'keep',
): Codec<RecordOf<Of>> {
  const fields = Object.entries(keys).map(
    ([name, key]): Field =>
      'diskName' in key
        ? { name, diskName: key.diskName, codec: key.codec }
        : { name, diskName: name, codec: key },
  );
  const names = new Set(fields.map(({ name }) => name));
  const diskNames = new Set(fields.map(({ diskName }) => diskName));

  function fromDisk(source: unknown): RecordOf<Of> {
    const given = asObject(source);
    const made: Record<string | symbol, unknown> = {};
    let place = '';
    let known = 0;
    try {
      // By index, not with `of`: a list of a hundred sessions calls this so often that V8 would compile it again, to
      // machine code, which takes longer than the whole list.
      for (let at = 0; at < fields.length; at++) {
        const field = fields[at] as Field;
        const item = given[field.diskName];
        if (item === undefined && field.codec.isOptional) continue;
        if (item !== undefined) known++;
        place = field.diskName;
        const value = field.codec.fromDisk(item);
        if (value !== undefined) made[field.name] = value;
      }
    } catch (error) {
      throw below(place, error);
    }
    if (unknownKeys === 'drop') return made as RecordOf<Of>;
    const present = Object.keys(given);
    // A list reads hundreds of records, and hardly any has a foreign key.
    if (present.length === known) return made as RecordOf<Of>;
    for (const key of present) {
      if (diskNames.has(key) || key === '__proto__') continue;
      if (unknownKeys === 'refuse') throw new RecordFault(`unknown key "${key}"`);
      if (names.has(key)) made[FOREIGN] = { ...(made[FOREIGN] as object), [key]: given[key] };
      else made[key] = given[key];
    }
    return made as RecordOf<Of>;
  }

  function toDisk(value: RecordOf<Of>): Record<string, unknown> {
    const given: Record<string | symbol, unknown> = asObject(value);
    const made: Record<string, unknown> = {};
    let place = '';
    try {
      for (const { name, diskName, codec } of fields) {
        place = diskName;
        const item = codec.toDisk(given[name]);
        if (item !== undefined) made[diskName] = item;
      }
    } catch (error) {
      throw below(place, error);
    }
    if (unknownKeys !== 'keep') return made;
    for (const key of Object.keys(given)) if (!names.has(key)) keep(made, key, given[key]);
    const foreign = given[FOREIGN];
    if (isPlain(foreign)) for (const key of Object.keys(foreign)) keep(made, key, foreign[key]);
    return made;
  }

  /** Our declared keys win. */
  function keep(made: Record<string, unknown>, key: string, value: unknown): void {
    if (!diskNames.has(key) && key !== '__proto__') made[key] = value;
  }

  return { fromDisk, toDisk };
}

function at<Given, Made>(place: string | number, turn: (value: Given) => Made, value: Given): Made {
  try {
    return turn(value);
  } catch (error) {
    throw below(place, error);
  }
}

function below(place: string | number, error: unknown): unknown {
  return error instanceof RecordFault ? new RecordFault(error.reason, [place, ...error.path]) : error;
}

function asObject(value: unknown): Readonly<Record<string, unknown>> {
  if (isPlain(value)) return value;
  throw new RecordFault(value === undefined ? 'missing' : NOT_AN_OBJECT);
}

/** Whether a file would store it as an object too: something with a `toJSON` becomes whatever that returns. */
function isPlain(value: unknown): value is Readonly<Record<string, unknown>> {
  return isObject(value) && typeof value.toJSON !== 'function';
}
