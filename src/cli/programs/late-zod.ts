import type * as Zod from 'zod';
import { type SchemaNote, takePlain } from './plain-input.js';

/*
 * Replaces zod in the commands that start often, by an alias of the build. Schemas are at the top of many files, and building
 * them took longer than running the command, although most commands only read our own files and never use one. Here a schema is
 * a note of how to build it, which is enough to accept plainly valid input (`plain-input.ts`). zod itself is a separate file,
 * loaded when a schema is used for anything else.
 */

type Builder = (...args: readonly unknown[]) => object;
type Members = Readonly<Record<string | symbol, unknown>>;

let loaded: typeof Zod | undefined;
function zod(): Members {
  loaded ??= require('./zod.cjs') as typeof Zod;
  return loaded as unknown as Members;
}

/** Methods of a schema that make another schema: they are noted too. Everything else is a use. */
const MAKES_ANOTHER: ReadonlySet<string | symbol> = new Set([
  ...[
    'optional',
    'nullable',
    'nullish',
    'default',
    'prefault',
    'catch',
    'readonly',
    'array',
    'or',
    'and',
    'pipe',
  ],
  ...['brand', 'describe', 'meta', 'refine', 'superRefine', 'transform', 'overwrite', 'check'],
  ...[
    'min',
    'max',
    'length',
    'nonempty',
    'regex',
    'startsWith',
    'endsWith',
    'includes',
    'trim',
    'toLowerCase',
  ],
  ...['int', 'gt', 'gte', 'lt', 'lte', 'positive', 'nonnegative', 'multipleOf'],
  ...['extend', 'safeExtend', 'pick', 'omit', 'partial', 'required', 'strict', 'loose', 'catchall'],
]);

const BUILT = Symbol('built');
const NOTE = Symbol('note');

/** A schema before it is used: how to build it, and the schema once built. */
interface Late {
  readonly note: SchemaNote;
  readonly build: () => object;
  built?: object;
}

function late(note: SchemaNote, build: () => object): object {
  return new Proxy<Late>({ note, build }, HANDLER);
}

function use(target: Late): object {
  target.built ??= target.build();
  return target.built;
}

/** Shared by all schemas, as every start notes many. */
const HANDLER: ProxyHandler<Late> = {
  get(target, name) {
    if (name === BUILT) return use(target);
    if (name === NOTE) return target.note;
    if (target.built === undefined) {
      if (name === 'safeParse') return plainParser(target);
      if (name === 'shape') return lateShape(() => Reflect.get(use(target), name));
      if (MAKES_ANOTHER.has(name))
        return (...args: readonly unknown[]) =>
          late({ name: String(name), args, owner: target.note }, () => call(use(target), name, args));
    }
    const member: unknown = Reflect.get(use(target), name);
    return typeof member === 'function' ? member.bind(use(target)) : member;
  },
  has: (target, name) => name === BUILT || name === NOTE || Reflect.has(use(target), name),
  getPrototypeOf: (target) => Reflect.getPrototypeOf(use(target)),
};

/** `safeParse`, without zod if the input is plainly valid. */
function plainParser(target: Late): (input: unknown, ...rest: readonly unknown[]) => object {
  return (input, ...rest) => {
    const taken = takePlain(target.note, input, noteOf);
    if (taken !== undefined) return { success: true, data: taken.value };
    return (Reflect.get(use(target), 'safeParse') as Builder).call(use(target), input, ...rest);
  };
}

/** The note of a schema that was made here. */
export function noteOf(schema: unknown): SchemaNote | undefined {
  return typeof schema === 'object' && schema !== null && NOTE in schema
    ? (schema[NOTE] as SchemaNote)
    : undefined;
}

/** The members of an object schema, used to make others. Noted as long as they are read one at a time. */
function lateShape(shape: () => Members): object {
  return new Proxy(
    {},
    {
      get: (_target, name) => late({ name: 'shape', args: [] }, () => shape()[name] as object),
      ownKeys: () => Reflect.ownKeys(shape()),
      getOwnPropertyDescriptor: (_target, name) => Reflect.getOwnPropertyDescriptor(shape(), name),
    },
  );
}

function call(owner: object, name: string | symbol, args: readonly unknown[]): object {
  return ((owner as Members)[name] as Builder).apply(owner, args.map(real));
}

/** Builds what was noted: a schema, or the schemas in a shape or a list. */
function real(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (BUILT in value) return value[BUILT];
  if (Array.isArray(value)) return value.map(real);
  if (Object.getPrototypeOf(value) !== Object.prototype) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, real(inner)]));
}

const builder =
  (name: string): Builder =>
  (...args) =>
    late({ name, args }, () => call(zod(), name, args));

// The build refuses names that the commands use and that are missing here.
export const array = builder('array');
export const boolean = builder('boolean');
export const custom = builder('custom');
const enumeration = builder('enum');

export { enumeration as enum };
export const discriminatedUnion = builder('discriminatedUnion');
export const int = builder('int');
export const literal = builder('literal');
export const looseObject = builder('looseObject');
export const number = builder('number');
export const object = builder('object');
export const preprocess = builder('preprocess');
export const record = builder('record');
export const strictObject = builder('strictObject');
export const string = builder('string');
export const tuple = builder('tuple');
export const union = builder('union');
export const unknown = builder('unknown');
export const uuidv4 = builder('uuidv4');
export const iso = {
  datetime: (...args: readonly unknown[]) =>
    late({ name: 'datetime', args }, () => call(zod().iso as object, 'datetime', args)),
};
/** For `instanceof`, which counts as a use. */
const type = (name: string) => ({
  [Symbol.hasInstance]: (value: unknown) => real(value) instanceof (zod()[name] as new () => object),
});
export const ZodArray = type('ZodArray');
export const ZodDefault = type('ZodDefault');
export const ZodNullable = type('ZodNullable');
export const ZodOptional = type('ZodOptional');
export const ZodRecord = type('ZodRecord');
/** Returned by a refused transformation, which has already given its reasons; the value is not used. */
export const NEVER = Object.freeze({ status: 'aborted' });
/** A function that returns an object may be called with `new`. */
export function ZodError(issues: unknown): object {
  return Reflect.construct(zod().ZodError as new (issues: unknown) => object, [issues]);
}
