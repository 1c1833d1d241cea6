import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import * as late from './late-zod.js';
import { takePlain } from './plain-input.js';

/** A schema, built by zod and noted by its replacement. */
type Make = (zod: typeof z) => z.ZodType;

const notes = late as unknown as typeof z;

function plainOf(make: Make, input: unknown): { value: unknown } | undefined {
  const note = late.noteOf(make(notes));
  if (note === undefined) throw new Error('a schema without a note');
  return takePlain(note, input, late.noteOf);
}

const word = fc.constantFrom('', 'a', 'b', 'long enough', '__proto__', 'constructor');
const key = fc.constantFrom('a', 'b', 'c', 'isAll', 'toString');

const simple: fc.Arbitrary<Make> = fc.oneof(
  fc.constant<Make>((zod) => zod.string()),
  fc.nat(4).map<Make>((limit) => (zod) => zod.string().min(1, 'too short').max(limit)),
  fc.constant<Make>((zod) => zod.string('a text')),
  fc.constant<Make>((zod) => zod.string().regex(/a/)),
  fc.constant<Make>((zod) => zod.string().trim()),
  fc.constant<Make>((zod) => zod.boolean()),
  fc.constant<Make>((zod) => zod.number()),
  fc.nat(4).map<Make>((limit) => (zod) => zod.number().nonnegative().max(limit)),
  fc.constant<Make>((zod) => zod.number().int()),
  fc.constant<Make>((zod) => zod.int().nonnegative()),
  fc.constant<Make>((zod) => zod.enum(['a', 'b'])),
  fc.constant<Make>((zod) => zod.literal('all')),
  fc.constant<Make>((zod) => zod.literal(4)),
  fc.constant<Make>((zod) => zod.unknown()),
  fc.constant<Make>((zod) => zod.custom()),
  fc.constant<Make>((zod) => zod.custom((value) => typeof value === 'function', 'a function')),
  fc.constant<Make>((zod) => zod.record(zod.string(), zod.string())),
);

const { schema } = fc.letrec<{ schema: Make; shape: Readonly<Record<string, Make>> }>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    simple,
    tie('schema').map<Make>((inner) => (zod) => inner(zod).optional()),
    tie('schema').map<Make>((inner) => (zod) => inner(zod).nullable()),
    tie('schema').map<Make>((inner) => (zod) => inner(zod).transform((value) => [value])),
    fc
      .tuple(tie('schema'), fc.oneof(word, fc.constant(null), fc.constant(undefined), fc.constant(['x'])))
      .map<Make>(
        ([inner, value]) =>
          (zod) =>
            inner(zod).default(value as never),
      ),
    fc.tuple(tie('schema'), word).map<Make>(
      ([inner, value]) =>
        (zod) =>
          inner(zod).prefault(value as never),
    ),
    fc.tuple(tie('schema'), word).map<Make>(
      ([inner, value]) =>
        (zod) =>
          inner(zod).catch(value as never),
    ),
    tie('schema').map<Make>((inner) => (zod) => zod.array(inner(zod))),
    fc
      .array(tie('schema'), { minLength: 1, maxLength: 3 })
      .map<Make>((options) => (zod) => zod.union(options.map((option) => option(zod)))),
    tie('shape').map<Make>((shape) => (zod) => zod.strictObject(built(shape, zod))),
    tie('shape').map<Make>((shape) => (zod) => zod.object(built(shape, zod))),
    tie('shape').map<Make>((shape) => (zod) => zod.strictObject(built(shape, zod)).partial()),
    fc.tuple(tie('shape'), tie('shape')).map<Make>(
      ([shape, more]) =>
        (zod) =>
          zod.strictObject(built(shape, zod)).extend(built(more, zod)),
    ),
  ),
  shape: fc.dictionary(key, tie('schema'), { maxKeys: 4 }),
}));

function built(shape: Readonly<Record<string, Make>>, zod: typeof z): Record<string, z.ZodType> {
  return Object.fromEntries(Object.entries(shape).map(([name, make]) => [name, make(zod)]));
}

const { input } = fc.letrec<{ input: unknown }>((tie) => ({
  input: fc.oneof(
    { maxDepth: 3 },
    word,
    fc.constantFrom('all', 'b', 1, 0, -0, -1, 2.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 60, 4),
    fc.constantFrom(true, false, null, undefined, Symbol.iterator, 3n),
    fc.constantFrom<unknown>(Number.isNaN, () => 'made'),
    fc.constantFrom<unknown>(new Date(0), new Map(), Object.create(null)),
    fc.array(tie('input'), { maxLength: 3 }),
    fc.dictionary(key, tie('input'), { maxKeys: 4 }),
    fc.dictionary(key, fc.oneof(word, fc.boolean(), fc.constant(undefined)), { maxKeys: 4 }),
  ),
}));

describe('plainly valid input', () => {
  it('is also accepted by zod, with an equal result', () => {
    let taken = 0;
    fc.assert(
      fc.property(schema, fc.array(input, { minLength: 8, maxLength: 24 }), (make, inputs) => {
        for (const given of inputs) {
          const plain = plainOf(make, given);
          if (plain === undefined) continue;
          taken += 1;
          const result = make(z).safeParse(given);
          expect(result).toStrictEqual({ success: true, data: plain.value });
          expect(keysOf(plain.value)).toEqual(keysOf(result.data));
        }
      }),
      { numRuns: 5_000 },
    );
    expect(taken).toBeGreaterThan(1_000);
  });

  it.each<[string, Make, unknown, unknown]>([
    [
      'a flag and a choice',
      (zod) => zod.strictObject({ isAll: zod.boolean().default(false), status: zod.enum(['a']).optional() }),
      { status: undefined },
      { isAll: false, status: undefined },
    ],
    [
      'a text and what may be null',
      (zod) => zod.strictObject({ session: zod.string(), reason: zod.string().nullable().default(null) }),
      { session: '3f2a' },
      { session: '3f2a', reason: null },
    ],
    [
      'keys that were added',
      (zod) => zod.strictObject({ storyId: zod.string().optional() }).extend({ task: zod.string() }),
      { task: '1.1' },
      { task: '1.1' },
    ],
    [
      'one of several forms',
      (zod) => zod.union([zod.array(zod.string()), zod.custom((value) => typeof value === 'function')]),
      Number.isNaN,
      Number.isNaN,
    ],
  ])('needs no zod: %s', (_what, make, given, expected) => {
    expect(plainOf(make, given)).toStrictEqual({ value: expected });
  });

  it.each<[string, Make, unknown]>([
    ['an unknown key', (zod) => zod.strictObject({}), { somethingElse: true }],
    ['a key that is missing', (zod) => zod.strictObject({ session: zod.string() }), {}],
    ['another type', (zod) => zod.strictObject({ session: zod.string() }), { session: 4 }],
    ['a limit that is passed', (zod) => zod.number().nonnegative(), -1],
    ['what is made into something else', (zod) => zod.string().trim(), ' a'],
  ])('leaves to zod: %s', (_what, make, given) => {
    expect(plainOf(make, given)).toBeUndefined();
  });
});

/** Every key in order, as printed JSON shows it. */
function keysOf(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return null;
  return Object.entries(value).map(([name, inner]) => [name, keysOf(inner)]);
}
