/** What a hostile or careless program may give in place of a number. */
export const HOSTILE_NUMBERS: readonly unknown[] = [
  Number.NaN,
  Number.POSITIVE_INFINITY,
  Number.NEGATIVE_INFINITY,
  -1,
  -0,
  5.5,
  1e300,
  2 ** 53 + 1,
  Number.MAX_SAFE_INTEGER,
  '5',
  'many',
];

/** For every number in a value and every hostile one: a copy with that number replaced. */
export function* withHostileNumbers<Value extends object>(
  value: Value,
): Generator<{ readonly place: string; readonly number: unknown; readonly hostile: Value }> {
  for (const place of numbersIn(value))
    for (const number of HOSTILE_NUMBERS)
      yield { place: place.join('.'), number, hostile: replaced(value, place, number) as Value };
}

/** For every number in a value, however deep: a copy with that number replaced by this one. */
export function eachNumber<Value extends object>(value: Value, number: unknown): Value[] {
  return numbersIn(value).map((place) => replaced(value, place, number) as Value);
}

/** A copy with every number replaced by the same one. */
export function everyNumber<Value extends object>(value: Value, number: unknown): Value {
  return numbersIn(value).reduce<object>((copy, place) => replaced(copy, place, number), value) as Value;
}

function numbersIn(value: object, place: readonly string[] = []): (readonly string[])[] {
  return Object.entries(value).flatMap(([key, inner]) => {
    if (typeof inner === 'number') return [[...place, key]];
    return typeof inner === 'object' && inner !== null ? numbersIn(inner, [...place, key]) : [];
  });
}

function replaced(value: object, [key = '', ...rest]: readonly string[], number: unknown): object {
  const inner = (value as Record<string, unknown>)[key];
  const isDeeper = rest.length > 0 && typeof inner === 'object' && inner !== null;
  const copy = Array.isArray(value) ? [...value] : { ...value };
  return Object.assign(copy, { [key]: isDeeper ? replaced(inner, rest, number) : number });
}
