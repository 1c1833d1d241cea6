/** What a method was asked to do while something ran. */
export interface Work {
  readonly calls: number;
  /** The sum of the sizes of all calls. */
  readonly total: number;
  /** The size of the largest. */
  readonly largest: number;
}

// biome-ignore lint/suspicious/noExplicitAny: any method of anything
type Method = (this: any, ...args: any[]) => any;

/**
 * Until the end of the block, counts the calls of a method with at most two parameters, and the size of what it is given, such
 * as the characters of a text. This is how a test measures speed: work is the same on every machine, time is not.
 */
export function countWork<Name extends string>(
  owner: Record<Name, Method>,
  name: Name,
  sizeOf?: (self: unknown, args: readonly [unknown, unknown]) => number,
): Work & Disposable {
  const original = owner[name];
  const work = { calls: 0, total: 0, largest: 0 };
  // Two parameters rather than a rest list: some methods are called millions of times.
  owner[name] = function counted(this: unknown, first: unknown, second: unknown) {
    const size = sizeOf?.(this, [first, second]) ?? 1;
    work.calls += 1;
    work.total += size;
    if (size > work.largest) work.largest = size;
    return original.call(this, first, second);
  };
  return Object.assign(work, {
    [Symbol.dispose]: () => {
      owner[name] = original;
    },
  });
}

/** Counts the characters that are split into graphemes, which is the main cost in a terminal. */
export function countSegmented(): Work & Disposable {
  return countWork(Intl.Segmenter.prototype, 'segment', (_self, [text]) => String(text).length);
}
